/// A separate convolution of each channel.
///
/// Image: batch, height, width, channel. Weights: height, width, channel, multiplier. Output channel c · multiplier +
/// m is channel c convolved with filter m.
struct DepthwiseConvolution: Operation {
    var filters: Tensor
    /// One value per output channel.
    var bias: Tensor?
    var window: Window

    var kind: String { "DepthwiseConvolution" }
    var weights: [Tensor] { [filters] + (bias.map { [$0] } ?? []) }
    var isSpatial: Bool { true }
    var multiplier: Int { filters.shape[3] }
    var outputChannels: Int { filters.shape[2] * filters.shape[3] }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let image = inputs[0].shape
        guard image.rank == 4 else { throw Failure.wrongRank(4, image) }
        guard image[3] == filters.shape[2] else { throw Failure.channelMismatch(image[3], filters.shape[2]) }
        let size = try window.outputSize(height: image[1], width: image[2])
        return [TensorType([image[0], size.height, size.width, outputChannels])]
    }

    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        outputs[0].shape.elementCount * window.height.size * window.width.size
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let output = try! outputTypes(inputs.map(\.type))[0].shape
        return filters.withFloats { w in
            [
                window.convolve(inputs[0], to: output, bias: bias) { sums, pixel, tap in
                    let weights = w.baseAddress! + tap * outputChannels
                    for channel in 0..<filters.shape[2] {
                        let value = Double(pixel[channel])
                        for o in channel * multiplier..<(channel + 1) * multiplier {
                            sums[o] += value * Double(weights[o])
                        }
                    }
                }
            ]
        }
    }
}

// MARK: Facts

extension DepthwiseConvolution: WindowOperation {
    var family: Family { .convolution }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        axis == 3 ? (multiplier == 1 ? .weighted(3) : .rearranged) : window.use(ofAxis: axis)
    }

    var quantizedRole: QuantizedRole { .layer }

    func padded(by border: Border) -> (any Operation)? { sliding(window.padded(by: border)) }

    func followed(by arithmetic: ChannelArithmetic) -> (any Operation)? {
        let flat = filters.reshaped([filters.shape[0], filters.shape[1], outputChannels])
        var result = self
        result.filters = flat.scaled(lastAxes: arithmetic.scale).reshaped(filters.shape)
        result.bias = arithmetic.applied(to: bias)
        return result
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        let filters = multiplier > 1 ? ", \(multiplier) filters per channel" : ""
        return Caption("Depthwise convolution", [window.caption + filters])
    }
}

extension DepthwiseConvolution: QuantizableLayer {
    func largestWeights(inputChannels: Int) -> [Float]? { filters.shape[2] == inputChannels ? largestAlongRows() : nil }
    func multiplyingInputs(by factors: [Double]) -> any QuantizableLayer { multiplyingRows(by: factors) }

    var kernel: Tensor {
        get { filters }
        set { filters = newValue }
    }
}

// MARK: TensorFlow

extension DepthwiseConvolution {
    static let tensorFlow = [
        TensorFlowRule("DepthwiseConv2dNative", axes: .image(input: 0), roles: [.layer, .map]) { node, context in
            [
                try context.image(node, node.input(0)) { image, context in
                    try node.requireImage(image)
                    let filters = try node.constant(1, "filter").asFloat32
                    guard filters.shape.rank == 4 else {
                        throw Failure.weightShape(filters.shape, "height, width, channels, multiplier")
                    }
                    let window = try node.window(height: filters.shape[0], width: filters.shape[1], over: image.shape)
                    return try context.add(
                        DepthwiseConvolution(filters: filters, bias: nil, window: window), image, name: node.name)
                }
            ]
        }
    ]
}

// MARK: Neural network

extension DepthwiseConvolution: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool { true }

    /// Core ML treats it as a convolution with one group per channel.
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        let flat = filters.reshaped([filters.shape[0], filters.shape[1], outputChannels])
        layers.add(node) { layer in
            layer.convolution.outputChannels = outputChannels
            layer.convolution.kernelChannels = 1
            layer.convolution.nGroups = filters.shape[2]
            layer.convolution.setWindow(window)
            layer.convolution.setFilters(flat, order: [2, 0, 1], bias)
        }
    }
}

// MARK: ML Program

extension DepthwiseConvolution: MILOperation {
    /// Core ML treats it as a convolution with one group per channel.
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let channels = filters.shape[2]
        let flat = filters.reshaped([filters.shape[0], filters.shape[1], 1, outputChannels])
        block.addConvolution(node, flat, bias, window, groups: channels)
    }
}

// MARK: Engine

extension DepthwiseConvolution: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .depthwise(filters: filters, bias: bias, window: window)
    }
}

// MARK: Integers

extension DepthwiseConvolution: QuantizableOperation {
    func integerOperation(_ use: QuantizedUse) -> (any Operation)? {
        guard multiplier == 1, use.output != nil else { return nil }
        let terms = window.height.size * window.width.size
        let flat = filters.reshaped([filters.shape[0], filters.shape[1], outputChannels])
        return IntegerLayer(flat, bias: bias, terms: terms, use).map {
            IntegerDepthwiseConvolution(layer: $0, window: window)
        }
    }
}
