extension Binary: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        if function == .truncateDivide || function == .remainder { return try writeTruncated(node, to: &layers) }
        guard let constant else { return try writeTwoInputs(node, to: &layers) }
        if constant.elementCount == 1, node.output.shape == node.input.shape {
            if try writeNumber(constant.floats[0], node, to: &layers) { return }
        } else if let shape = channelShape(constant, node, layers),
            try writeChannels(constant, shape, node, to: &layers)
        {
            return
        }
        try layers.requireExactArrays()
        let operand = layers.addConstant(constant, name: node.output.name + "/constant")
        let inputs = constantFirst ? [operand, node.input] : [node.input, operand]
        try Binary(function).write(NeuralNode(name: node.name, inputs: inputs, outputs: node.outputs), to: &layers)
    }

    // MARK: With a scalar

    /// - Returns: Whether there is a layer for it.
    private func writeNumber(_ number: Float, _ node: NeuralNode, to layers: inout NeuralLayers) throws -> Bool {
        func linear(_ alpha: Float, _ beta: Float) {
            layers.add(node) {
                $0.activation.choose("linear")
                $0.activation.linear.alpha = alpha
                $0.activation.linear.beta = beta
            }
        }
        switch (function, constantFirst) {
        case (.add, _): linear(1, number)
        case (.subtract, false): linear(1, -number)
        case (.subtract, true): linear(-1, number)
        case (.multiply, _): linear(number, 0)
        case (.divide, false): linear(1 / number, 0)
        case (.divide, true):
            let inverse = layers.addPart(node, "inverse", node.inputs) { $0.writePower(-1) }
            layers.add(node.name, [inverse], node.outputs) { $0.activation.linear.alpha = number }
        case (.maximum, _):
            layers.add(node) {
                $0.unary.type = "THRESHOLD"
                $0.unary.alpha = number
            }
        case (.power, false) where number != 0: layers.add(node) { $0.writePower(number) }
        case (.squaredDifference, _):
            let difference = layers.addPart(node, "difference", node.inputs) {
                $0.activation.linear.alpha = 1.0 as Float
                $0.activation.linear.beta = -number
            }
            layers.add(node.name, [difference, difference], node.outputs) { $0.choose("multiply") }
        default: return false
        }
        return true
    }

    // MARK: With a value per channel or element

    /// The constant's shape as channel, height, width, if the input is an image and the constant is the same for the
    /// whole batch.
    private func channelShape(_ constant: Tensor, _ node: NeuralNode, _ layers: NeuralLayers) -> [Int]? {
        guard node.output.shape == node.input.shape else { return nil }
        if node.input.shape.rank == 2, layers.arrays == .images, constant.shape.last == node.input.shape[1],
            constant.elementCount == node.input.shape[1]
        {
            return [constant.elementCount, 1, 1]
        }
        guard node.input.shape.rank == 4, constant.shape.rank <= 4 else { return nil }
        let shape = constant.shape.padded(to: 4)
        let whole =
            shape[1] == node.input.shape[1]
            && (shape[2] == node.input.shape[2] && shape[3] == node.input.shape[3] || shape[2] * shape[3] == 1)
        return shape[0] == 1 && whole ? Array(shape.dimensions.dropFirst()) : nil
    }

    /// - Returns: Whether there are layers for it.
    private func writeChannels(_ constant: Tensor, _ shape: [Int], _ node: NeuralNode, to layers: inout NeuralLayers)
        throws -> Bool
    {
        func bias(_ layer: inout Message, _ sign: Float) {
            layer.bias.shape = shape
            layer.bias.bias = .weights(sign == 1 ? constant : constant.mapped { -$0 })
        }
        func scale(_ layer: inout Message, _ factors: Tensor) {
            layer.scale.shapeScale = shape
            layer.scale.scale = .weights(factors)
        }
        switch (function, constantFirst) {
        case (.add, _): layers.add(node) { bias(&$0, 1) }
        case (.subtract, false): layers.add(node) { bias(&$0, -1) }
        case (.subtract, true):
            let negative = layers.addPart(node, "negative", node.inputs) { $0.activation.linear.alpha = -1.0 as Float }
            layers.add(node.name, [negative], node.outputs) { bias(&$0, 1) }
        case (.multiply, _): layers.add(node) { scale(&$0, constant) }
        case (.divide, false): layers.add(node) { scale(&$0, constant.mapped { 1 / $0 }) }
        case (.divide, true):
            let inverse = layers.addPart(node, "inverse", node.inputs) { $0.writePower(-1) }
            layers.add(node.name, [inverse], node.outputs) { scale(&$0, constant) }
        case (.squaredDifference, _):
            let difference = layers.addPart(node, "difference", node.inputs) { bias(&$0, -1) }
            layers.add(node.name, [difference, difference], node.outputs) { $0.choose("multiply") }
        default: return false
        }
        return true
    }

    // MARK: With another tensor

    private func writeTwoInputs(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        let simple: [Function: String] = [.add: "add", .multiply: "multiply", .maximum: "max", .minimum: "min"]
        let shapes = node.inputs.map(\.shape)
        if let kind = simple[function], shapes[0] == shapes[1] { return layers.add(node) { $0.choose(kind) } }
        // The older sums and products broadcast one value per channel over its image (coremltools'
        // NeuralNetwork.proto, AddLayerParams).
        if let kind = simple[function], function == .add || function == .multiply, layers.arrays == .images,
            shapes.allSatisfy({ $0.rank == 4 }), shapes.contains(node.output.shape),
            shapes.contains(Shape(node.output.shape.prefix(2) + [1, 1]))
        {
            return layers.add(node) { $0.choose(kind) }
        }
        try layers.requireExactArrays()
        if function == .squaredDifference {
            let difference = layers.addPart(node, "difference", node.inputs) { $0.choose("subtractBroadcastable") }
            return layers.add(node.name, [difference, difference], node.outputs) { $0.choose("multiply") }
        }
        if function == .divideOrZero { return writeDivisionOrZero(node, to: &layers) }
        guard let kind = Binary.layers.first(where: { $0.function == function })?.kind else {
            throw Failure.cannotWriteOperation(node.name, self.kind)
        }
        layers.add(node) { $0.choose(kind) }
    }

    /// Replaces the quotient by 0 if the divisor is 0.
    private func writeDivisionOrZero(_ node: NeuralNode, to layers: inout NeuralLayers) {
        let isZero = NeuralBlob(name: node.output.name + "/zero", shape: node.inputs[1].shape)
        layers.add(isZero.name, [node.inputs[1]], [isZero]) { $0.choose("equal") }
        let quotient = layers.addPart(node, "quotient", node.inputs) { $0.choose("divideBroadcastable") }
        let nothing = layers.addConstant(Tensor([0], shape: [1]), name: node.output.name + "/nothing")
        layers.add(node.name, [isZero, nothing, quotient], node.outputs) { $0.choose("whereBroadcastable") }
    }

    /// The quotient truncated toward zero; or the remainder of the absolute values with the sign of the dividend.
    private func writeTruncated(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireExactArrays()
        var operands = node.inputs
        if let constant {
            let divisor = function == .remainder && !constantFirst ? constant.mapped(abs) : constant
            let operand = layers.addConstant(divisor, name: node.output.name + "/constant")
            operands.insert(operand, at: constantFirst ? 0 : 1)
        }
        guard function == .remainder else {
            let quotient = layers.addPart(node, "quotient", operands) { $0.choose("divideBroadcastable") }
            return layers.addTruncation(node, quotient)
        }
        func part(_ name: String, _ operand: NeuralBlob, _ fill: (inout Message) -> Void) -> NeuralBlob {
            let blob = NeuralBlob(name: node.output.name + "/" + name, shape: operand.shape)
            layers.add(node.name + "/" + name, [operand], [blob], fill)
            return blob
        }
        let dividend = part("dividend", operands[0]) { $0.unary.type = "ABS" }
        let isKnown = constant != nil && !constantFirst
        let divisor = isKnown ? operands[1] : part("divisor", operands[1]) { $0.unary.type = "ABS" }
        let sign = part("sign", operands[0]) { $0.choose("sign") }
        let rest = layers.addPart(node, "rest", [dividend, divisor]) { $0.choose("modBroadcastable") }
        layers.add(node.name, [rest, sign], node.outputs) { $0.choose("multiplyBroadcastable") }
    }

    /// The layers for two tensors with broadcasting.
    fileprivate static let layers: [(kind: String, function: Function)] = [
        ("addBroadcastable", .add), ("subtractBroadcastable", .subtract), ("multiplyBroadcastable", .multiply),
        ("divideBroadcastable", .divide), ("maxBroadcastable", .maximum), ("minBroadcastable", .minimum),
        ("powBroadcastable", .power), ("floorDivBroadcastable", .floorDivide), ("modBroadcastable", .floorRemainder),
        ("equal", .equal), ("notEqual", .notEqual), ("lessThan", .less), ("lessEqual", .lessOrEqual),
        ("greaterThan", .greater), ("greaterEqual", .greaterOrEqual), ("logicalAnd", .and), ("logicalOr", .or),
        ("logicalXor", .exclusiveOr),
    ]
}

extension Tensor {
    /// The tensor with a function applied to each element.
    fileprivate func mapped(_ function: (Float) -> Float) -> Tensor { Tensor(floats.map(function), shape: shape) }
}

// MARK: Reading

extension Binary.Function {
    fileprivate var isComparison: Bool { isLogical && self != .and && self != .or && self != .exclusiveOr }
}

extension Binary {
    static let neural: [NeuralRule] =
        (layers + [("add", .add), ("multiply", .multiply), ("max", .maximum), ("min", .minimum)]).map {
            kind, function in
            NeuralRule(kind) { layer, reading in
                // A layer with one input uses its own constant.
                if layer.inputs.count == 1, kind == "add" || kind == "multiply" || function.isComparison {
                    let number = Tensor([layer.parameters.alpha as Float], shape: [])
                    let result = try reading.add(Binary(function, constant: number), [layer.input()], layer)
                    return [try reading.asFloats(result, layer)]
                }
                guard layer.inputs.count > 1 else { throw layer.refused("a second input is missing") }
                return [
                    try layer.inputs.dropFirst().reduce(layer.input()) {
                        try reading.asFloats(reading.add(Binary(function), [$0, $1], layer), layer)
                    }
                ]
            }
        } + [
            NeuralRule("bias") { layer, reading in
                let shape = try layer.channelShape(layer.parameters.shape)
                let bias = Binary(.add, constant: try layer.weights(layer.parameters.bias, shape))
                return [try reading.add(bias, [layer.input()], layer)]
            },
            NeuralRule("scale") { layer, reading in
                let parameters = layer.parameters
                let scale = try layer.weights(parameters.scale, layer.channelShape(parameters.shapeScale))
                let product = try reading.add(Binary(.multiply, constant: scale), [layer.input()], layer)
                guard parameters.hasBias as Bool else { return [product] }
                let bias = try layer.weights(parameters.bias, layer.channelShape(parameters.shapeBias))
                return [try reading.add(Binary(.add, constant: bias), [product], layer)]
            },
        ]
}

extension NeuralLayer {
    /// The shape of a constant for images: a scalar, one value per channel, or channel, height, width.
    fileprivate func channelShape(_ shape: [Int]) throws -> Shape {
        switch shape.count {
        case 1: return shape[0] == 1 ? [1] : [shape[0], 1, 1]
        case 3: return Shape(shape)
        default: throw refused("a constant of shape \(Shape(shape)) is not supported")
        }
    }
}
