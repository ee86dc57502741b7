import Kernels

/// Merges the phases of an image, which follow one another along the channel axis, each padded to whole blocks.
struct Interleaving: EngineOperation {
    var phases: Phases
    var channels: Int

    var kind: String { "Interleaving" }
    var isSpatial: Bool { true }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        [TensorType([inputs[0].shape[0], phases.rows.size, phases.columns.size, channels])]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let image = inputs[0].shape
        let output = try! outputTypes(inputs.map(\.type))[0].shape
        return inputs[0].withFloats { x in
            [
                Tensor(shape: output) { y in
                    for i in 0..<y.count {
                        let column = i / channels % output[2] + phases.columns.offset
                        let row = i / (channels * output[2]) % output[1] + phases.rows.offset
                        let batch = i / (channels * output[2] * output[1])
                        let phase = row % phases.rows.stride * phases.columns.stride + column % phases.columns.stride
                        let pixel =
                            (batch * image[1] + row / phases.rows.stride) * image[2] + column / phases.columns.stride
                        y[i] = x[pixel * image[3] + phase * image[3] / phases.count + i % channels]
                    }
                }
            ]
        }
    }

    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? { .interleaving(phases) }
}

extension Graph {
    /// The maximum number of weights of a transposed convolution after its phases are padded to whole blocks.
    private static let largestPhases = 1 << 24

    /// The graph with each transposed convolution replaced by a convolution whose phases are interleaved.
    func withPhases() throws -> Graph {
        guard nodes.contains(where: { $0.operation is TransposedConvolution }) else { return self }
        let readers = readerCounts
        // Activations move before the interleaving, where they can be fused into the convolution.
        var interleaved: [Value: (source: Value, operation: Interleaving)] = [:]
        return try rebuilt { node, inputs, builder in
            var source = inputs
            var operation = node.operation
            var interleaving: Interleaving?
            if let transposed = operation as? TransposedConvolution,
                let whole = transposed.byPhases(builder[inputs[0]].shape)
            {
                (operation, interleaving) = (whole.convolution, whole.interleaving)
            } else if operation.isActivation, let before = interleaved[inputs[0]] {
                (source, interleaving) = ([before.source], before.operation)
            }
            guard let interleaving else {
                return operation is TransposedConvolution ? nil : try builder.add(operation, source, name: node.name)
            }
            let phases = try builder.add(operation, source, name: node.name + "/phases")[0]
            let result = try builder.add(interleaving, [phases], name: node.name)
            if readers[node.outputs[0].index] == 1 { interleaved[result[0]] = (phases, interleaving) }
            return result
        }
    }

    fileprivate static func fits(_ shape: Shape) -> Bool { shape.checkedCount ?? .max <= largestPhases }
}

extension Operation {
    /// Whether it is an elementwise function that keeps the zeros in the lanes past the last channel harmless.
    fileprivate var isActivation: Bool {
        switch (self as? Unary)?.function {
        case .relu, .relu6, .leakyRelu, .elu, .sigmoid, .tanh: true
        default: false
        }
    }
}

extension TransposedConvolution {
    /// The convolution that computes all phases, or nil if it would be too large.
    fileprivate func byPhases(_ image: Shape) -> (convolution: Convolution, interleaving: Interleaving)? {
        guard groups == 1, window.height.dilation == 1, window.width.dilation == 1 else { return nil }
        let axes = [window.height, window.width]
        let sizes = zip(axes, [image[1], image[2]]).map { $0.spread($1) }
        let phases = Phases(
            rows: .init(stride: axes[0].stride, offset: axes[0].before, size: sizes[0]),
            columns: .init(stride: axes[1].stride, offset: axes[1].before, size: sizes[1]))
        let padded = (outputChannels + blockWidth - 1) / blockWidth * blockWidth
        let taps = axes.map { ($0.size + $0.stride - 1) / $0.stride }
        let shape: Shape = [taps[0], taps[1], image[3], phases.count * padded]
        guard Graph.fits(shape) else { return nil }
        let windows = (0..<2).map { axis in
            let positions = (sizes[axis] - 1 + axes[axis].before) / axes[axis].stride + 1
            return Window.Axis(
                size: taps[axis], before: taps[axis] - 1, after: Swift.max(0, positions - image[axis + 1]))
        }
        let convolution = Convolution(
            filters: phaseFilters(shape, padded: padded), bias: phaseBias(count: phases.count, padded: padded),
            window: Window(height: windows[0], width: windows[1]))
        return (convolution, Interleaving(phases: phases, channels: outputChannels))
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
