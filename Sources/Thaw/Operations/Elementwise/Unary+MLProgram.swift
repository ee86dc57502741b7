extension Unary: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let x = MILArgument.value(node.input)
        if let kind = Unary.operations.first(where: { $0.function == function })?.kind {
            // These functions also support integers; the others require floating point.
            guard function == .absolute || function == .sign || function == .square || function == .not else {
                return block.inFloats(node) { $1.add(kind, $0, ["x": .value($0.input)]) }
            }
            return block.add(kind, node, ["x": x])
        }
        switch function {
        case .float16:
            guard block.float == .float32, node.input.element == .float32 else { return block.alias(node) }
            let half = block.part("cast", node, "float16", element: .float16, ["x": x, "dtype": .text("fp16")])
            block.castInto(node.output, from: half)
        case .negate: block.add("mul", node, ["x": x, "y": .constant(Tensor(-1, element: node.input.element))])
        case .isNaN: block.add("not_equal", node, ["x": x, "y": x])
        default: block.inFloats(node) { writeFloatingPoint($0, to: &$1) }
        }
    }

    /// The operations that have parameters and support floating point only.
    private func writeFloatingPoint(_ node: MILNode, to block: inout MILBlock) {
        let x = MILArgument.value(node.input)
        switch function {
        case .elu: block.add("elu", node, ["x": x, "alpha": .number(1)])
        case .scaledElu(let alpha): block.add("elu", node, ["x": x, "alpha": .number(alpha)])
        case .leakyRelu(let slope): block.add("leaky_relu", node, ["x": x, "alpha": .number(slope)])
        case .thresholdedRelu(let bound): block.add("thresholded_relu", node, ["x": x, "alpha": .number(bound)])
        case .clip(let low, let high):
            block.add("clip", node, ["x": x, "alpha": .number(low), "beta": .number(high)])
        case .reciprocalSquareRoot: block.add("rsqrt", node, ["x": x, "epsilon": .number(0)])
        case .inverseDeviation(let epsilon): block.add("rsqrt", node, ["x": x, "epsilon": .number(epsilon)])
        case .reciprocal: block.add("inverse", node, ["x": x, "epsilon": .number(0)])
        case .logarithm: block.add("log", node, ["x": x, "epsilon": .number(0)])
        case .hardSigmoid(let alpha, let beta):
            block.add("sigmoid_hard", node, ["x": x, "alpha": .number(alpha), "beta": .number(beta)])
        case .gelu: block.add("gelu", node, ["x": x, "mode": .text("EXACT")])
        case .geluByTanh: block.add("gelu", node, ["x": x, "mode": .text("TANH_APPROXIMATION")])
        case .swish(beta: 1): block.add("silu", node, ["x": x])
        default: preconditionFailure("\(function) is decomposed")
        }
    }

    /// The operations without parameters.
    fileprivate static let operations: [(kind: String, function: Function)] = [
        ("relu", .relu), ("relu6", .relu6), ("sigmoid", .sigmoid), ("tanh", .tanh), ("softplus", .softplus),
        ("softsign", .softsign), ("sqrt", .squareRoot), ("square", .square), ("exp", .exponential),
        ("abs", .absolute), ("sign", .sign), ("ceil", .ceiling), ("floor", .floor), ("round", .round),
        ("sin", .sine), ("cos", .cosine), ("asin", .arcSine), ("acos", .arcCosine), ("atan", .arcTangent),
        ("sinh", .hyperbolicSine), ("cosh", .hyperbolicCosine), ("atanh", .inverseHyperbolicTangent),
        ("erf", .errorFunction), ("logical_not", .not),
    ]
}

// MARK: Reading

extension Unary {
    static let mil: [MILRule] =
        operations.map { kind, function in
            MILRule(kind) { op, reading in [try reading.add(Unary(function), op.operand(), op)] }
        } + [
            MILRule("identity") { op, _ in [try op.operand()] },
            MILRule("clip") { op, reading in
                let function = Function.clamp(try op.number("alpha"), try op.number("beta"))
                return [try reading.add(Unary(function), op.operand(), op)]
            },
            MILRule("leaky_relu") { op, reading in
                [try reading.add(Unary(.leakyRelu(slope: op.number("alpha"))), op.operand(), op)]
            },
            MILRule("thresholded_relu") { op, reading in
                [try reading.add(Unary(.thresholdedRelu(bound: op.number("alpha"))), op.operand(), op)]
            },
            MILRule("log") { op, reading in
                let epsilon = try op.number("epsilon", default: .leastNonzeroMagnitude)
                return [try reading.logarithm(of: op.operand(), epsilon: epsilon, op)]
            },
            MILRule("rsqrt", "inverse") { op, reading in
                let isRoot = op.kind == "rsqrt"
                let epsilon = try op.number("epsilon", default: isRoot ? 1e-12 : 1e-4)
                let x = epsilon == 0 ? try op.operand() : try reading.shifted(op.operand(), by: epsilon, op)
                return [try reading.add(Unary(isRoot ? .reciprocalSquareRoot : .reciprocal), x, op)]
            },
            MILRule("threshold") { op, reading in
                [try reading.apply(.maximum, op.operand(), op.number("alpha"), op)]
            },
            MILRule("linear_activation") { op, reading in
                let product = try reading.scaled(op.operand(), by: op.number("alpha"), op)
                return [try reading.shifted(product, by: op.number("beta"), op)]
            },
            MILRule("sigmoid_hard") { op, reading in
                let function = Function.hardSigmoid(alpha: try op.number("alpha"), beta: try op.number("beta"))
                return [try reading.add(Unary(function), op.operand(), op)]
            },
            MILRule("silu") { op, reading in [try reading.add(Unary(.swish(beta: 1)), op.operand(), op)] },
            MILRule("gelu") { op, reading in
                let mode = try op.text("mode", default: "EXACT")
                guard let function = Function.gelus[mode] else { throw op.refused("the mode '\(mode)' is unknown") }
                return [try reading.add(Unary(function), op.operand(), op)]
            },
        ]
}
