extension Unary: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool {
        switch function {
        case .ceiling, .floor, .round, .sign, .sine, .cosine, .errorFunction, .not, .isNaN: false
        case .gelu, .geluByTanh, .relu6, .clip: false
        case .arcSine, .arcCosine, .arcTangent, .hyperbolicSine, .hyperbolicCosine: false
        case .inverseHyperbolicSine, .inverseHyperbolicCosine, .inverseHyperbolicTangent: false
        default: true
        }
    }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        switch function {
        case .relu, .sigmoid, .tanh, .elu, .scaledElu, .leakyRelu, .thresholdedRelu, .negate, .softplus, .softsign,
            .hardSigmoid:
            layers.add(node, writeActivation)
        case .squareRoot, .exponential, .absolute, .logarithm, .logarithm1p, .reciprocal, .reciprocalSquareRoot,
            .inverseDeviation, .boundedNegation:
            layers.add(node, writeUnary)
        case .relu6, .clip:
            let (low, high) = bounds
            layers.add(node) {
                $0.choose("clip")
                $0.clip.minVal = low
                $0.clip.maxVal = high
            }
        case .not where node.input.element != .bool:
            layers.add(node) { $0.choose("equal") }
        case .ceiling, .floor, .round, .sign, .sine, .cosine, .errorFunction, .not, .arcSine, .arcCosine, .arcTangent,
            .hyperbolicSine, .hyperbolicCosine, .inverseHyperbolicSine, .inverseHyperbolicCosine,
            .inverseHyperbolicTangent:
            let kind = Unary.layers.first { $0.value == function }!.key
            layers.add(node) { $0.choose(kind) }
        // Apple's processors choose the precision themselves.
        case .float16: layers.alias(node)
        case .gelu, .geluByTanh:
            layers.add(node) { $0.gelu.mode = function == .gelu ? "EXACT" : "TANH_APPROXIMATION" }
        // Only NaN differs from itself.
        case .isNaN:
            layers.add(node.name, [node.input, node.input], node.outputs) { $0.choose("notEqual") }
        case .square: layers.add(node.name, [node.input, node.input], node.outputs) { $0.choose("multiply") }
        case .exponentialMinus1, .complementaryErrorFunction, .selu, .hardSwish, .swish, .mish:
            throw Failure.cannotWriteLayer(node.name, kind)
        }
    }

    /// Configures a layer for an activation.
    private func writeActivation(_ layer: inout Message) {
        switch function {
        case .relu: layer.activation.choose("ReLU")
        case .sigmoid: layer.activation.choose("sigmoid")
        case .tanh: layer.activation.choose("tanh")
        case .elu: layer.activation.ELU.alpha = 1.0 as Float
        case .scaledElu(let alpha): layer.activation.ELU.alpha = alpha
        case .leakyRelu(let slope): layer.activation.leakyReLU.alpha = slope
        case .thresholdedRelu(let bound): layer.activation.thresholdedReLU.alpha = bound
        case .negate: layer.activation.linear.alpha = -1.0 as Float
        case .softplus: layer.activation.choose("softplus")
        case .softsign: layer.activation.choose("softsign")
        case .hardSigmoid(let alpha, let beta):
            layer.activation.sigmoidHard.alpha = alpha
            layer.activation.sigmoidHard.beta = beta
        default: preconditionFailure("\(function) is another layer")
        }
    }

    /// Configures a layer for a function of the input, after it is scaled and shifted.
    private func writeUnary(_ layer: inout Message) {
        switch function {
        case .squareRoot: layer.unary.type = "SQRT"
        case .exponential: layer.unary.type = "EXP"
        case .absolute: layer.unary.type = "ABS"
        case .logarithm: layer.writeLogarithm()
        case .logarithm1p:
            layer.writeLogarithm()
            layer.unary.shift = 1.0 as Float
        case .reciprocal: layer.writePower(-1)
        // The dedicated layer adds an epsilon that cannot be zero. A power does not.
        case .reciprocalSquareRoot: layer.writePower(-0.5)
        case .inverseDeviation(let epsilon):
            layer.writePower(-0.5)
            layer.unary.shift = epsilon
        case .boundedNegation(let bound):
            layer.unary.type = "THRESHOLD"
            layer.unary.alpha = bound
            layer.unary.scale = -1.0 as Float
        default: preconditionFailure("\(function) is another layer")
        }
    }

    /// The epsilon of a logarithm without one. coremltools does not write it: its own is the smallest number, half of this.
    fileprivate static let negligibleEpsilon = Float.leastNonzeroMagnitude.nextUp

    /// The layers without parameters.
    fileprivate static let layers: [String: Function] = [
        "ceil": .ceiling, "floor": .floor, "round": .round, "sign": .sign, "sin": .sine, "cos": .cosine,
        "asin": .arcSine, "acos": .arcCosine, "atan": .arcTangent, "sinh": .hyperbolicSine, "cosh": .hyperbolicCosine,
        "asinh": .inverseHyperbolicSine, "acosh": .inverseHyperbolicCosine, "atanh": .inverseHyperbolicTangent,
        "erf": .errorFunction, "logicalNot": .not, "tanh": .tanh,
    ]
}

extension Message {
    /// Configures a layer for x ^ exponent.
    mutating func writePower(_ exponent: Float) {
        self.unary.type = "POWER"
        self.unary.alpha = exponent
    }

    /// Configures a layer for log(x + epsilon) with an epsilon that has no effect; 0 would select the default 1e-6.
    mutating func writeLogarithm() {
        self.unary.type = "LOG"
        self.unary.epsilon = Unary.negligibleEpsilon
    }
}

// MARK: Reading

extension Unary {
    static let neural = [
        NeuralRule("activation") { layer, reading in
            guard let kind = layer.parameters.choice else {
                throw layer.refused("the type of the activation is missing")
            }
            let parameters: Message = layer.parameters[kind]
            let functions: [String: Function] = [
                "ReLU": .relu, "sigmoid": .sigmoid, "tanh": .tanh, "softplus": .softplus, "softsign": .softsign,
            ]
            if let function = functions[kind] { return [try reading.add(Unary(function), layer.input(), layer)] }
            switch kind {
            case "leakyReLU":
                return [try reading.add(Unary(.leakyRelu(slope: parameters.alpha)), layer.input(), layer)]
            case "thresholdedReLU":
                return [try reading.add(Unary(.thresholdedRelu(bound: parameters.alpha)), layer.input(), layer)]
            case "sigmoidHard":
                return [
                    try reading.add(
                        Unary(.hardSigmoid(alpha: parameters.alpha, beta: parameters.beta)), layer.input(), layer)
                ]
            case "linear":
                if parameters.alpha as Float == -1, parameters.beta as Float == 0 {
                    return [try reading.negated(layer.input(), layer)]
                }
                let product = try reading.add(
                    Binary(.multiply, constant: Tensor([parameters.alpha as Float], shape: [])), layer.input(), layer)
                return [
                    try reading.add(
                        Binary(.add, constant: Tensor([parameters.beta as Float], shape: [])), product, layer)
                ]
            default:
                if let value = try ComposedLayers.activation(kind, layer, &reading) { return [value] }
                throw layer.refused("activations of type '\(kind)' are not supported")
            }
        },
        NeuralRule("gelu") { layer, reading in
            guard let function = Function.gelus[layer.parameters.mode as String] else {
                throw layer.refused("the mode \(layer.parameters.mode as String) is not supported")
            }
            return [try reading.add(Unary(function), layer.input(), layer)]
        },
        NeuralRule("clip") { layer, reading in
            let function = Function.clamp(layer.parameters.minVal, layer.parameters.maxVal)
            return [try reading.add(Unary(function), layer.input(), layer)]
        },
        NeuralRule(kinds: layers.keys.sorted()) { layer, reading in
            let result = try reading.add(Unary(layers[layer.kind]!), layer.input(), layer)
            // Core ML treats all tensors as float32, including Booleans.
            return [try reading.asFloats(result, layer)]
        },
        NeuralRule("unary") { layer, reading in
            [try reading.unary(layer, of: reading.scaledAndShifted(layer))]
        },
    ]
}

extension ImportContext {
    /// The input of a `unary` layer, as its function gets it.
    fileprivate mutating func scaledAndShifted(_ layer: NeuralLayer) throws -> Operand {
        let x = try layer.input()
        // An unset scale is 1.
        let (scale, shift): (Float, Float) = (layer.parameters.scale, layer.parameters.shift)
        let scaled =
            switch scale {
            case 0, 1: x
            case -1: try negated(x, layer)
            default: try combined(x, .multiply, scale, layer)
            }
        return shift == 0 ? scaled : try combined(scaled, .add, shift, layer)
    }

    /// The function of a `unary` layer.
    fileprivate mutating func unary(_ layer: NeuralLayer, of x: Operand) throws -> Operand {
        let (type, alpha, given): (String, Float, Float) = (
            layer.parameters.type, layer.parameters.alpha, layer.parameters.epsilon
        )
        let epsilon = given == 0 ? 1e-6 : given
        switch type {
        case "SQRT": return try add(Unary(.squareRoot), x, layer)
        case "EXP": return try add(Unary(.exponential), x, layer)
        case "ABS": return try add(Unary(.absolute), x, layer)
        case "LOG":
            return try logarithm(of: x, epsilon: epsilon == Unary.negligibleEpsilon ? 0 : epsilon, layer)
        case "RSQRT": return try add(Unary(.reciprocalSquareRoot), combined(x, .add, epsilon, layer), layer)
        case "INVERSE":
            let one = Binary(.divide, constant: Tensor([1], shape: []), constantFirst: true)
            return try add(one, combined(x, .add, epsilon, layer), layer)
        case "POWER":
            switch alpha {
            case -0.5: return try add(Unary(.reciprocalSquareRoot), x, layer)
            case -1: return try add(Unary(.reciprocal), x, layer)
            default: return try combined(x, .power, alpha, layer)
            }
        case "THRESHOLD":
            // A lower bound of the negated value is an upper bound of the original.
            if let positive = beforeNegation(x) {
                let bounded = try combined(positive, .minimum, -alpha, layer)
                return try negated(bounded, layer)
            }
            return try combined(x, .maximum, alpha, layer)
        default: throw layer.refused("the function \(type) is not supported")
        }
    }

    private mutating func combined(
        _ x: Operand, _ function: Binary.Function, _ number: Float, _ layer: NeuralLayer
    ) throws -> Operand {
        try add(Binary(function, constant: Tensor([number], shape: [])), x, layer)
    }

    /// −x; a double negation returns the original.
    fileprivate mutating func negated(_ x: Operand, _ layer: NeuralLayer) throws -> Operand {
        try beforeNegation(x) ?? apply(.multiply, x, -1, layer)
    }

    /// The value whose negation this is; nil if it is not a negation.
    fileprivate func beforeNegation(_ x: Operand) -> Operand? {
        guard case .edge(let value, _) = x, let producer = builder.producer(of: value),
            let binary = producer.operation as? Binary, binary.function == .multiply,
            binary.constant?.shape == [], binary.constant?.floats == [-1]
        else { return nil }
        return .edge(producer.inputs[0], builder[producer.inputs[0]])
    }
}
