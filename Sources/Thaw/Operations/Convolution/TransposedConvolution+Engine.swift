extension TransposedConvolution: EngineComposite {
    /// The maximum number of weights after the phases are padded to whole blocks.
    private static let largestPhases = 1 << 24
    /// The maximum ratio of all weights to those that are not zeros between groups or between the taps of a dilated window.
    /// The reference implementation takes more than a hundred times as long for a multiplication.
    private static let largestExpansion = 64

    /// Whether each channel has filters of its own, and one output.
    private var isDepthwise: Bool { groups > 1 && groups == filters.shape[3] && filters.shape[2] == 1 }

    /// A convolution with stride 1 is one with flipped filters. Otherwise, a convolution that computes all phases, whose
    /// pixels are then interleaved.
    func engineOperations(_ inputs: [TensorType], blockWidth: Int) -> [any Operation]? {
        if let convolution = flipped() {
            let composite = convolution as? any EngineComposite
            return composite?.engineOperations(inputs, blockWidth: blockWidth) ?? [convolution]
        }
        let image = inputs[0].shape
        let axes = [window.height, window.width]
        let sizes = zip(axes, [image[1], image[2]]).map { $0.transposedSize($1) }
        let phases = Phases(
            rows: .init(stride: axes[0].stride, offset: axes[0].before, size: sizes[0]),
            columns: .init(stride: axes[1].stride, offset: axes[1].before, size: sizes[1]))
        let padded = outputChannels.rounded(upToMultipleOf: blockWidth)
        let slides = Window(height: axes[0].phaseWindow(image[1]), width: axes[1].phaseWindow(image[2]))
        let shape: Shape = [
            slides.height.size, slides.width.size, isDepthwise ? 1 : image[3], phases.count * padded,
        ]
        let expansion = axes.reduce(isDepthwise ? 1 : groups) { $0 * ($1.stride == 1 ? 1 : $1.extent / $1.size) }
        guard let count = shape.checkedCount, count <= TransposedConvolution.largestPhases,
            expansion <= TransposedConvolution.largestExpansion
        else { return nil }
        let filters = phaseFilters(shape, padded: padded)
        let bias = phaseBias(count: phases.count, padded: padded)
        let interleaving = Interleaving(phases: phases, channels: outputChannels)
        if isDepthwise {
            let single = filters.reshaped([shape[0], shape[1], shape[3]])
            return [DepthwisePhases(filters: single, bias: bias, window: slides, count: phases.count), interleaving]
        }
        return [Convolution(filters: filters, bias: bias, window: slides), interleaving]
    }

    /// The convolution with the same result; nil unless the stride is 1, and if more is cropped than the window adds.
    private func flipped() -> (any Operation)? {
        let axes = [window.height, window.width].map { $0.flipped }
        guard axes.allSatisfy({ $0.stride == 1 && $0.before >= 0 && $0.after >= 0 }) else { return nil }
        let (perGroup, inputs) = (self.filters.shape[2], self.filters.shape[3] / groups)
        let taps = axes[0].size * axes[1].size
        let filters = self.filters.withFloats { from in
            Tensor(shape: [axes[0].size, axes[1].size, inputs, outputChannels]) { to in
                for tap in 0..<taps {
                    for output in 0..<outputChannels {
                        let (group, row) = output.quotientAndRemainder(dividingBy: perGroup)
                        let source = ((taps - 1 - tap) * perGroup + row) * inputs * groups + group * inputs
                        for input in 0..<inputs {
                            to[(tap * inputs + input) * outputChannels + output] = from[source + input]
                        }
                    }
                }
            }
        }
        let window = Window(height: axes[0], width: axes[1])
        guard inputs == 1, groups > 1 else { return Convolution(filters: filters, bias: bias, window: window) }
        let depthwise = filters.reshaped([axes[0].size, axes[1].size, groups, perGroup])
        return DepthwiseConvolution(filters: depthwise, bias: bias, window: window)
    }

    /// Filters whose last tap applies to the pixel itself, the tap before it to the previous pixel, and so on. Those of a
    /// group are zero for the channels of the others.
    private func phaseFilters(_ shape: Shape, padded: Int) -> Tensor {
        let (height, width) = (window.height, window.width)
        let (perGroup, channels) = (filters.shape[2], filters.shape[3])
        return filters.withFloats { from in
            Tensor(shape: shape) { to in
                to.update(repeating: 0)
                for tap in 0..<height.size * width.size {
                    let (y, x) = (height.phase(ofTap: tap / width.size), width.phase(ofTap: tap % width.size))
                    let pixel = (shape[0] - 1 - y.pixel) * shape[1] + shape[1] - 1 - x.pixel
                    let phase = y.phase * width.stride + x.phase
                    for input in 0..<channels {
                        let row = pixel * shape[2] + (isDepthwise ? 0 : input)
                        let start = row * shape[3] + phase * padded + input / (channels / groups) * perGroup
                        for output in 0..<perGroup {
                            to[start + output] = from[(tap * perGroup + output) * channels + input]
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

extension Window.Axis {
    /// The window of the convolution that a transposed window with stride 1 is.
    fileprivate var flipped: Window.Axis {
        var axis = self
        (axis.before, axis.after) = (extent - 1 - before, extent - 1 - after)
        return axis
    }

    /// The window of the phases over `input` pixels, whose last tap applies to the pixel itself. If the stride is 1, there is
    /// only one phase, and the window stays dilated. Otherwise, there are zeros between the taps.
    fileprivate func phaseWindow(_ input: Int) -> Window.Axis {
        let positions = (transposedSize(input) - 1 + before) / stride + 1
        var axis = Window.Axis(size: extent.dividedRoundingUp(by: stride))
        if stride == 1 { (axis.size, axis.dilation) = (size, dilation) }
        (axis.before, axis.after) = (axis.extent - 1, Swift.max(0, positions - input))
        return axis
    }

    /// The phase that a tap belongs to, and the tap of the phase's window, counted from the last one.
    fileprivate func phase(ofTap tap: Int) -> (phase: Int, pixel: Int) {
        guard stride > 1 else { return (0, tap) }
        let (pixel, phase) = (tap * dilation).quotientAndRemainder(dividingBy: stride)
        return (phase, pixel)
    }
}
