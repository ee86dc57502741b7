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
        NeuralRule(onImages: "convolution", leastRank: 4) { layer, reading in
            let parameters = layer.parameters
            if parameters.isDeconvolution as Bool { return [try TransposedConvolution.read(layer, &reading)] }
            let image = try layer.input()
            let shape = image.shape
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
            let axes = [window.height, window.width]
            let filterShape: Shape = [outputs, inputs, window.height.size, window.width.size]
            // Filters and bias may be inputs.
            let filters =
                try layer.inputs.count > 1
                ? layer.input(1) : .constant(layer.weights(parameters.weights, filterShape))
            guard filters.shape == filterShape else {
                throw layer.refused("the filters have shape \(filters.shape)", remedy: "expected \(filterShape)")
            }
            let bias =
                try layer.inputs.count > 2
                ? layer.input(2)
                : parameters.hasBias as Bool ? Operand.constant(layer.weights(parameters.bias, [outputs])) : nil
            guard bias.map({ $0.shape.elementCount == outputs }) ?? true else {
                throw layer.refused("the bias has shape \(bias!.shape)", remedy: "expected \(outputs) values")
            }
            return [try reading.convolved(image, filters, bias, axes, groups: groups, layer)]
        },
        NeuralRule("convolution3d") { layer, reading in
            let parameters = layer.parameters
            let x = try layer.input()
            guard x.shape.rank == 5 else { throw Failure.wrongRank(5, x.shape).at(layer.name) }
            let (outputs, inputs): (Int, Int) = (parameters.outputChannels, parameters.inputChannels)
            let groups = Swift.max(1, parameters.nGroups as Int)
            let isTransposed: Bool = parameters.isDeconvolution
            guard outputs > 0, inputs == x.shape[1], inputs % groups == 0, outputs % groups == 0 else {
                throw layer.refused("\(inputs) channels in \(groups) groups do not fit a tensor of shape \(x.shape)")
            }
            let axes = try layer.volumeWindow(over: x.shape, isTransposed: isTransposed)
            let sizes = axes.map(\.size)
            let bias = parameters.hasBias as Bool ? try layer.weights(parameters.bias, [outputs]) : nil
            if isTransposed {
                let filters = try layer.weights(parameters.weights, Shape([inputs, outputs / groups] + sizes))
                return [try reading.transposedConvolution(x, filters, bias, axes, groups: groups, layer)]
            }
            let filters = try layer.weights(parameters.weights, Shape([outputs, inputs / groups] + sizes))
            return [
                try reading.convolved(
                    x, .constant(filters), bias.map { .constant($0) }, axes, groups: groups, layer)
            ]
        },
    ]
}

extension NeuralLayer {
    /// The window of a layer for volumes along depth, height and width.
    func volumeWindow(over volume: Shape, isTransposed: Bool = false) throws -> [Window.Axis] {
        let names = ["Depth", "Height", "Width"]
        let ends = [("Front", "Back"), ("Top", "Bottom"), ("Left", "Right")]
        let paddingType: String = parameters.paddingType
        let target: [Int] = isTransposed ? parameters.outputShape : []
        return try names.indices.map { index in
            let size: Int = parameters["kernel" + names[index]]
            let stride: Int = parameters["stride" + names[index]]
            let dilation: Int = kind == "convolution3d" ? parameters["dilation" + names[index]] : 1
            let small = 1..<1 << 24
            var axis = Window.Axis(
                size: size, stride: Swift.max(1, stride), dilation: Swift.max(1, dilation))
            guard small.contains(size), small.contains(axis.stride), small.contains(axis.dilation) else {
                throw refused("kernel, stride and dilation must be positive")
            }
            let length = volume[index + 2]
            let output = target.count == 3 ? target[index] : length * axis.stride
            guard target.count != 3 || small.contains(output) else { throw refused("the shape \(target) is not valid") }
            switch paddingType {
            case "SAME":
                return isTransposed
                    ? axis.croppedEvenly(length, to: output, heavyInFront: false) : axis.same(length)
            case "CUSTOM":
                (axis.before, axis.after) = (
                    parameters["customPadding" + ends[index].0], parameters["customPadding" + ends[index].1]
                )
                guard axis.before >= 0, axis.after >= 0, axis.before < small.upperBound, axis.after < small.upperBound
                else { throw refused("the padding is not valid") }
            default: break
            }
            // The shape decides only on the padding at the end.
            return target.count == 3 ? axis.croppedAtEnd(length, to: output) : axis
        }
    }
}

extension NeuralLayer {
    /// The window given by the layer's kernel, stride, dilation and padding, over a channels-first image.
    /// - Parameter kernel: The default height and width.
    func window(over image: Shape, kernel: Int) throws -> Window {
        var window = try unpaddedWindow(kernel: kernel)
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

    /// The same without the padding.
    func unpaddedWindow(kernel: Int) throws -> Window {
        let size = try pair(parameters.kernelSize, default: kernel)
        let stride = try pair(parameters.stride, default: 1)
        let dilation = kind == "convolution" ? try pair(parameters.dilationFactor, default: 1) : (1, 1)
        guard size.height > 0, size.width > 0, stride.height > 0, stride.width > 0, dilation.0 > 0, dilation.1 > 0
        else {
            throw refused("kernel, stride and dilation must be positive")
        }
        return Window(
            height: .init(size: size.height, stride: stride.height, dilation: dilation.0),
            width: .init(size: size.width, stride: stride.width, dilation: dilation.1))
    }
}
