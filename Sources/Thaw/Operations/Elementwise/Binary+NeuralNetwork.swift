extension Binary: NeuralOperation {
    /// Sets the kind and the parameters of a layer.
    private typealias Fill = (inout Message) -> Void

    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool {
        simpleLayer(inputs.map(\.shape), output.shape, .images) != nil
    }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        if let fill = simpleLayer(node.inputs.map(\.shape), node.output.shape, layers.arrays) {
            return layers.add(node, fill)
        }
        if let constant {
            var node = node
            let operand = layers.addConstant(constant, name: node.output.name + "/constant")
            node.inputs.insert(operand, at: constantFirst ? 0 : 1)
            return try Binary(function).write(node, to: &layers)
        }
        guard let kind = Binary.layers.first(where: { $0.function == function })?.kind else {
            throw Failure.cannotWriteLayer(node.name, self.kind)
        }
        layers.add(node) { $0.choose(kind) }
    }

    /// The layer for inputs that are not broadcast to each other, or nil if there is none.
    private func simpleLayer(_ inputs: [Shape], _ output: Shape, _ arrays: NeuralArrays) -> Fill? {
        guard let constant else { return tensorLayer(inputs, output, arrays) }
        switch Binary.form(of: constant, inputs[0], arrays) {
        case .scalar(let number)?: return scalarLayer(number)
        case .channels(let shape)?: return channelLayer(constant, shape)
        case nil: return nil
        }
    }

    // MARK: With a constant

    /// How a layer holds a constant operand.
    enum ConstantForm {
        case scalar(Float)
        /// In this shape: channel, height, width.
        case channels([Int])
    }

    /// Nil if the constant has to be an input of the layer.
    static func form(of constant: Tensor, _ input: Shape, _ arrays: NeuralArrays) -> ConstantForm? {
        guard (try? input.broadcast(with: constant.shape)) == input else { return nil }
        if constant.elementCount == 1 { return .scalar(constant.floats[0]) }
        if input.rank == 2, arrays == .images, constant.shape.last == input[1], constant.elementCount == input[1] {
            return .channels([constant.elementCount, 1, 1])
        }
        guard input.rank == 4, constant.shape.rank <= 4 else { return nil }
        let shape = constant.shape.padded(to: 4)
        let isWhole = shape[2] == input[2] && shape[3] == input[3] || shape[2] * shape[3] == 1
        // The layer has the same constant for the whole batch.
        return shape[0] == 1 && shape[1] == input[1] && isWhole ? .channels(Array(shape.dimensions.dropFirst())) : nil
    }

    private func scalarLayer(_ number: Float) -> Fill? {
        func linear(_ alpha: Float, _ beta: Float) -> Fill {
            {
                $0.activation.choose("linear")
                $0.activation.linear.alpha = alpha
                $0.activation.linear.beta = beta
            }
        }
        switch (function, constantFirst) {
        case (.add, _): return linear(1, number)
        case (.subtract, false): return linear(1, -number)
        case (.subtract, true): return linear(-1, number)
        case (.multiply, _): return linear(number, 0)
        case (.divide, false): return linear(1 / number, 0)
        case (.maximum, _):
            return {
                $0.unary.type = "THRESHOLD"
                $0.unary.alpha = number
            }
        case (.power, false) where number != 0: return { $0.writePower(number) }
        default: return nil
        }
    }

    private func channelLayer(_ constant: Tensor, _ shape: [Int]) -> Fill? {
        func bias(_ values: @autoclosure @escaping () -> Tensor) -> Fill {
            {
                $0.bias.shape = shape
                $0.bias.bias = .weights(values())
            }
        }
        func scale(_ factors: @autoclosure @escaping () -> Tensor) -> Fill {
            {
                $0.scale.shapeScale = shape
                $0.scale.scale = .weights(factors())
            }
        }
        switch (function, constantFirst) {
        case (.add, _): return bias(constant)
        case (.subtract, false): return bias(constant.mapped { -$0 })
        case (.multiply, _): return scale(constant)
        case (.divide, false): return scale(constant.mapped { 1 / $0 })
        default: return nil
        }
    }

    // MARK: With another tensor

    private func tensorLayer(_ inputs: [Shape], _ output: Shape, _ arrays: NeuralArrays) -> Fill? {
        let kinds: [Function: String] = [.add: "add", .multiply: "multiply", .maximum: "max", .minimum: "min"]
        guard let kind = kinds[function] else { return nil }
        // The older sums and products broadcast one value per channel over its image (coremltools'
        // NeuralNetwork.proto, AddLayerParams).
        let isByChannel =
            (function == .add || function == .multiply) && arrays == .images && inputs.allSatisfy { $0.rank == 4 }
            && inputs.contains(output) && inputs.contains(Shape(output.prefix(2) + [1, 1]))
        return inputs[0] == inputs[1] || isByChannel ? { $0.choose(kind) } : nil
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
                    let result = try reading.add(Binary(function, constant: number), layer.input(), layer)
                    return [try reading.asFloats(result, layer)]
                }
                guard layer.inputs.count > 1 else { throw layer.refused("a second input is missing") }
                return [
                    try layer.inputs.dropFirst().reduce(layer.input()) { x, y in
                        let result = try reading.combine(function, x.asScalar(with: y), y.asScalar(with: x), layer)
                        return try reading.asFloats(result, layer)
                    }
                ]
            }
        } + [
            NeuralRule("bias") { layer, reading in
                let shape = try layer.channelShape(layer.parameters.shape)
                let bias = Binary(.add, constant: try layer.weights(layer.parameters.bias, shape))
                return [try reading.add(bias, layer.input(), layer)]
            },
            NeuralRule("scale") { layer, reading in
                let parameters = layer.parameters
                let scale = try layer.weights(parameters.scale, layer.channelShape(parameters.shapeScale))
                let product = try reading.add(Binary(.multiply, constant: scale), layer.input(), layer)
                guard parameters.hasBias as Bool else { return [product] }
                let bias = try layer.weights(parameters.bias, layer.channelShape(parameters.shapeBias))
                return [try reading.add(Binary(.add, constant: bias), product, layer)]
            },
        ]
}

extension Operand {
    /// A constant of one element without axes, if the shape of a result with `other` remains the same. Neural networks have no
    /// constants without axes, and bounds are recognized by them.
    fileprivate func asScalar(with other: Operand) -> Operand {
        guard let constant, constant.elementCount == 1, shape.rank <= other.shape.rank, other.constant == nil else {
            return self
        }
        return .constant(constant.reshaped([]))
    }
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
