extension TransposedConvolution: EngineComposite {
    /// The maximum number of weights after the phases are padded to whole blocks.
    private static let largestPhases = 1 << 24

    /// A convolution that computes all phases, whose pixels are then interleaved.
    func engineOperations(_ inputs: [TensorType], blockWidth: Int) -> [any Operation]? {
        let image = inputs[0].shape
        guard groups == 1, window.height.dilation == 1, window.width.dilation == 1 else { return nil }
        let axes = [window.height, window.width]
        let sizes = zip(axes, [image[1], image[2]]).map { $0.transposedSize($1) }
        let phases = Phases(
            rows: .init(stride: axes[0].stride, offset: axes[0].before, size: sizes[0]),
            columns: .init(stride: axes[1].stride, offset: axes[1].before, size: sizes[1]))
        let padded = outputChannels.rounded(upToMultipleOf: blockWidth)
        let taps = axes.map { $0.size.dividedRoundingUp(by: $0.stride) }
        let shape: Shape = [taps[0], taps[1], image[3], phases.count * padded]
        guard let count = shape.checkedCount, count <= TransposedConvolution.largestPhases else { return nil }
        let windows = (0..<2).map { axis in
            let positions = (sizes[axis] - 1 + axes[axis].before) / axes[axis].stride + 1
            return Window.Axis(
                size: taps[axis], before: taps[axis] - 1, after: Swift.max(0, positions - image[axis + 1]))
        }
        let convolution = Convolution(
            filters: phaseFilters(shape, padded: padded), bias: phaseBias(count: phases.count, padded: padded),
            window: Window(height: windows[0], width: windows[1]))
        return [convolution, Interleaving(phases: phases, channels: outputChannels)]
    }

    /// Filters whose last tap applies to the pixel itself, the tap before it to the previous pixel, and so on.
    private func phaseFilters(_ shape: Shape, padded: Int) -> Tensor {
        let (height, width) = (window.height, window.width)
        return filters.withFloats { from in
            Tensor(shape: shape) { to in
                to.update(repeating: 0)
                for ky in 0..<height.size {
                    for kx in 0..<width.size {
                        let phase = ky % height.stride * width.stride + kx % width.stride
                        let row = shape[0] - 1 - ky / height.stride
                        let column = shape[1] - 1 - kx / width.stride
                        for input in 0..<shape[2] {
                            let start = ((row * shape[1] + column) * shape[2] + input) * shape[3] + phase * padded
                            for output in 0..<outputChannels {
                                let tap = (ky * width.size + kx) * outputChannels + output
                                to[start + output] = from[tap * shape[2] + input]
                            }
                        }
                    }
                }
            }
        }
    }

    private func phaseBias(count: Int, padded: Int) -> Tensor? {
        bias.map { bias in
            let values = bias.floats + Array(repeating: 0, count: padded - bias.elementCount)
            return Tensor((0..<count).flatMap { _ in values }, shape: [count * padded])
        }
    }
}
