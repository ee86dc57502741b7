extension TransposedConvolution: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool { true }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        let filters = wholeFilters()
        layers.add(node) { layer in
            layer.convolution.isDeconvolution = true
            layer.convolution.outputChannels = outputChannels
            layer.convolution.kernelChannels = filters.shape[3]
            layer.convolution.nGroups = groups
            layer.convolution.kernelSize = [filters.shape[0], filters.shape[1]]
            layer.convolution.stride = [window.height.stride, window.width.stride]
            layer.convolution.dilationFactor = [1, 1]
            layer.convolution.choose("valid")
            layer.convolution["valid"]["paddingAmounts"].setBorders(croppedAmounts)
            layer.convolution.setFilters(filters, order: [3, 2, 0, 1], bias)
        }
    }

    /// The pixels that the padding crops from the result, before and after along height and width.
    private var croppedAmounts: [(before: Int, after: Int)] {
        [window.height, window.width].map { (before: $0.before, after: Swift.max(0, $0.after)) }
    }

    /// The filters with zeros between the taps for dilation, and after them if the result extends further: the layer
    /// supports neither.
    func wholeFilters() -> Tensor {
        let axes = [window.height, window.width]
        let sizes = axes.map { $0.extent + Swift.max(0, -$0.after) }
        guard sizes != axes.map(\.size) else { return filters }
        let row = filters.shape[2] * filters.shape[3]
        return filters.withFloats { from in
            Tensor(shape: [sizes[0], sizes[1], filters.shape[2], filters.shape[3]]) { to in
                to.update(repeating: 0)
                for tap in 0..<axes[0].size * axes[1].size {
                    let y = tap / axes[1].size * axes[0].dilation
                    let x = tap % axes[1].size * axes[1].dilation
                    for i in 0..<row { to[(y * sizes[1] + x) * row + i] = from[tap * row + i] }
                }
            }
        }
    }
}

extension TransposedConvolution: CoreMLOperation {
    /// If the smaller half of the padding comes first, every reader that derives the padding from the output size gets
    /// the same result. Any other padding is cropped by a separate layer.
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? {
        let amounts = croppedAmounts
        guard !parts.dialect.isProgram, !amounts.allSatisfy({ $0.before == ($0.before + $0.after) / 2 }) else {
            return nil
        }
        var whole = self
        (whole.window.height.before, whole.window.width.before) = (0, 0)
        whole.window.height.after = Swift.min(0, window.height.after)
        whole.window.width.after = Swift.min(0, window.width.after)
        let result = try parts.add(whole, inputs[0], as: "whole")
        let ranges = result.shape.enumerated().map { axis, size in
            let amount = axis < 2 ? (before: 0, after: 0) : amounts[axis - 2]
            return StridedSlice.Range(start: amount.before, count: size - amount.before - amount.after)
        }
        return try parts.add(StridedSlice(ranges: ranges), result)
    }
}

// MARK: Reading

extension TransposedConvolution {
    /// Imports a convolution layer that is a deconvolution.
    static func read(_ layer: NeuralLayer, _ reading: inout ImportContext) throws -> Operand {
        let parameters = layer.parameters
        let image = try layer.input()
        let shape = image.shape
        let outputs: Int = parameters.outputChannels
        let groups = Swift.max(1, parameters.nGroups as Int)
        guard outputs > 0, outputs % groups == 0, shape[1] % groups == 0 else {
            throw layer.refused("\(outputs) channels in \(groups) groups do not fit an image of shape \(shape)")
        }
        // The format says that a deconvolution ignores its dilation, but coremltools writes the dilation of
        // `conv_transpose` here, which would be lost.
        var window = try layer.unpaddedWindow(kernel: 3)
        let target: [Int] = parameters.outputShape
        if !target.isEmpty {
            let target = try layer.pair(target, default: 1)
            window.height = window.height.croppedEvenly(shape[2], to: target.height, heavyInFront: false)
            window.width = window.width.croppedEvenly(shape[3], to: target.width, heavyInFront: false)
        } else if parameters.has("same") {
            let same: Message = parameters["same"]
            let heavyInFront = same.asymmetryMode as String == "TOP_LEFT_HEAVY"
            window.height = window.height.croppedEvenly(
                shape[2], to: shape[2] * window.height.stride, heavyInFront: heavyInFront)
            window.width = window.width.croppedEvenly(
                shape[3], to: shape[3] * window.width.stride, heavyInFront: heavyInFront)
        } else {
            let valid: Message = parameters["valid"]
            let borders = try layer.edges(valid.paddingAmounts)
            (window.height.before, window.height.after) = borders.height
            (window.width.before, window.width.after) = borders.width
        }
        // The second axis holds the output channels of one group, and quantized weights have scales and biases for
        // all groups.
        let filters = try layer.weights(
            parameters.weights, [shape[1], outputs / groups, window.height.size, window.width.size], channelAxis: 1)
        let bias = parameters.hasBias as Bool ? try layer.weights(parameters.bias, [outputs]) : nil
        let convolution = TransposedConvolution(
            filters: filters.transposed([2, 3, 1, 0]), bias: bias, window: window, groups: groups)
        return try reading.add(convolution, image, layer)
    }
}

extension Window.Axis {
    /// The axis padded evenly on both sides so that a transposed window expands `input` to `output` pixels.
    func croppedEvenly(_ input: Int, to output: Int, heavyInFront: Bool) -> Window.Axis {
        let total = transposedSize(input) - output
        var axis = self
        axis.before = Swift.max(0, heavyInFront ? total - total / 2 : total / 2)
        axis.after = total - axis.before
        return axis
    }
}
