extension Convolution: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool { true }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        let groups = groups(inputChannels: node.input.shape[1])
        layers.add(node) { layer in
            layer.convolution.outputChannels = outputChannels
            layer.convolution.kernelChannels = filters.shape[2]
            layer.convolution.nGroups = groups
            layer.convolution.setWindow(window)
            layer.convolution.setFilters(filters, order: [3, 2, 0, 1], bias)
        }
    }
}

extension Message {
    mutating func setWindow(_ window: Window) {
        self.kernelSize = [window.height.size, window.width.size]
        self.stride = [window.height.stride, window.width.stride]
        self.dilationFactor = [window.height.dilation, window.width.dilation]
        setPadding(window)
    }

    /// Sets the padding, which both convolutions and poolings require even if there is none.
    mutating func setPadding(_ window: Window) {
        if window.followsSize { return choose("same") }
        choose("valid")
        guard window.hasPadding else { return }
        self["valid"]["paddingAmounts"].setBorders([window.height, window.width].map { ($0.before, $0.after) })
    }

    /// Sets the amounts before and after along height and width.
    mutating func setBorders(_ amounts: [(before: Int, after: Int)]) {
        self.borderAmounts = amounts.map { amount in
            var edges = Message(messageType.type(of: "borderAmounts"))
            edges.startEdgeSize = amount.before
            edges.endEdgeSize = amount.after
            return edges
        }
    }

    /// Sets the weights, permuted to Core ML's order, and the bias if there is one.
    mutating func setFilters(_ filters: Tensor, order: [Int], _ bias: Tensor?) {
        self.weights = .weights(filters, order: order)
        self.hasBias = bias != nil
        if let bias { self.bias = .weights(bias) }
    }
}

// MARK: Reading

extension Convolution {
    static let neural = [
        NeuralRule("convolution") { layer, reading in
            let parameters = layer.parameters
            guard layer.inputs.count == 1 else { throw layer.refused("computed weights are not supported") }
            if parameters.isDeconvolution as Bool { return [try TransposedConvolution.read(layer, &reading)] }
            let image = try layer.input()
            let shape = image.shape
            guard shape.rank == 4 else { throw Failure.wrongRank(4, shape).at(layer.name) }
            let outputs: Int = parameters.outputChannels
            let groups = Swift.max(1, parameters.nGroups as Int)
            // In older files the channels of a group follow from the image.
            let inputs = (parameters.kernelChannels as Int) > 0 ? parameters.kernelChannels as Int : shape[1] / groups
            // Division, because a product of numbers in a file may overflow.
            guard outputs > 0, inputs > 0, shape[1] % groups == 0, inputs == shape[1] / groups, outputs % groups == 0
            else {
                throw layer.refused("\(groups) groups of \(inputs) channels do not add up to the image's \(shape[1])")
            }
            let window = try layer.window(over: shape, kernel: 3)
            let filters = try layer.weights(
                parameters.weights, [outputs, inputs, window.height.size, window.width.size])
            let bias = parameters.hasBias as Bool ? try layer.weights(parameters.bias, [outputs]) : nil
            if inputs == 1, groups == shape[1], groups > 1 {
                let depthwise = filters.transposed([2, 3, 0, 1]).reshaped([
                    window.height.size, window.width.size, groups, outputs / groups,
                ])
                return [
                    try reading.add(
                        DepthwiseConvolution(filters: depthwise, bias: bias, window: window), image, layer)
                ]
            }
            return [
                try reading.add(
                    Convolution(filters: filters.transposed([2, 3, 1, 0]), bias: bias, window: window), image, layer)
            ]
        }
    ]
}

extension NeuralLayer {
    /// The window given by the layer's kernel, stride, dilation and padding, over a channels-first image.
    func window(over image: Shape, kernel: Int) throws -> Window {
        let size = try pair(parameters.kernelSize, default: kernel)
        let stride = try pair(parameters.stride, default: 1)
        let dilation = kind == "convolution" ? try pair(parameters.dilationFactor, default: 1) : (1, 1)
        guard size.height > 0, size.width > 0, stride.height > 0, stride.width > 0, dilation.0 > 0, dilation.1 > 0
        else {
            throw refused("kernel, stride and dilation must be positive")
        }
        var window = Window(
            height: .init(size: size.height, stride: stride.height, dilation: dilation.0),
            width: .init(size: size.width, stride: stride.width, dilation: dilation.1))
        if parameters.has("same") {
            window.height = window.height.same(image[2])
            window.width = window.width.same(image[3])
            let same: Message = parameters["same"]
            if same.asymmetryMode as String == "TOP_LEFT_HEAVY" {
                swap(&window.height.before, &window.height.after)
                swap(&window.width.before, &window.width.after)
            }
        } else {
            let valid: Message = parameters["valid"]
            let borders = try edges(valid.paddingAmounts)
            (window.height.before, window.height.after) = borders.height
            (window.width.before, window.width.after) = borders.width
        }
        return window
    }

    /// The amounts before and after along height and width.
    func edges(_ amounts: Message) throws -> (height: (Int, Int), width: (Int, Int)) {
        let edges: [Message] = amounts.borderAmounts
        if edges.isEmpty { return ((0, 0), (0, 0)) }
        let pairs = edges.map { ($0.startEdgeSize as Int, $0.endEdgeSize as Int) }
        guard pairs.count == 2, pairs.allSatisfy({ (0..<1 << 24).contains($0.0) && (0..<1 << 24).contains($0.1) })
        else {
            throw refused("the padding is not specified for height and width")
        }
        return (pairs[0], pairs[1])
    }
}
