extension Unary: CoreMLOperation {
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? {
        guard isDecomposed(for: parts.dialect) else { return nil }
        let element = inputs[0].type.element
        guard !element.isFloatingPoint else { return try decompose(inputs[0], into: &parts) }
        let result = try parts.add(self, parts.floats(inputs[0]), as: "result")
        return try parts.add(Cast(element: element), result)
    }

    private func isDecomposed(for dialect: CoreMLDialect) -> Bool {
        switch function {
        case .exponentialMinus1, .complementaryErrorFunction, .selu, .hardSwish, .mish: true
        case .swish(let beta): !dialect.isProgram || beta != 1
        case .logarithm1p, .inverseHyperbolicSine, .inverseHyperbolicCosine: dialect.isProgram
        case .relu6, .clip:
            switch dialect {
            // The layer is newer than iOS 12, whose layers have lower bounds only.
            case .neuralNetwork(.images, let target?): target < .iOS13
            case .neuralNetwork: false
            case .program, .quantizedProgram: isWithoutRange
            }
        default: false
        }
    }

    private func decompose(_ x: Operand, into parts: inout Decomposition) throws -> Operand {
        func number(_ number: Double) -> Tensor { Tensor([Float(number)], shape: []) }
        switch function {
        case .exponentialMinus1:
            // tanh(x/2) · (eˣ + 1): for a small x, eˣ − 1 would cancel.
            let half = try parts.add(Binary(.multiply, constant: number(0.5)), x, as: "half")
            let ratio = try parts.add(Unary(.tanh), half, as: "ratio")
            let exponential = try parts.add(Unary(.exponential), x, as: "exponential")
            let sum = try parts.add(Binary(.add, constant: number(1)), exponential, as: "sum")
            return try parts.add(Binary(.multiply), ratio, sum)
        case .logarithm1p:
            return try parts.add(
                [("sum", Binary(.add, constant: number(1))), ("logarithm", Unary(.logarithm))], to: x)
        // The square exceeds float16 from 256 on.
        case .inverseHyperbolicSine:
            return try parts.inFloat32 { parts in
                // log(|x| + √(x² + 1)) with the sign of x: for a negative x, x + √(x² + 1) would cancel.
                let size = try parts.add(Unary(.absolute), x, as: "size")
                let sum = try parts.add(Binary(.add), size, root(size, 1, &parts), as: "sum")
                let logarithm = try parts.add(Unary(.logarithm), sum, as: "logarithm")
                let sign = try parts.add(Unary(.sign), x, as: "sign")
                return try parts.add(Binary(.multiply), logarithm, sign)
            }
        case .inverseHyperbolicCosine:
            return try parts.inFloat32 { parts in
                let sum = try parts.add(Binary(.add), x, root(x, -1, &parts), as: "sum")
                return try parts.add(Unary(.logarithm), sum)
            }
        case .complementaryErrorFunction:
            let difference = Binary(.subtract, constant: number(1), constantFirst: true)
            return try parts.add([("erf", Unary(.errorFunction)), ("difference", difference)], to: x)
        case .selu:
            let scaled = Binary(.multiply, constant: number(Selu.scale))
            return try parts.add([("elu", Unary(.scaledElu(alpha: Float(Selu.alpha)))), ("scaled", scaled)], to: x)
        case .relu6, .clip:
            let (low, high) = bounds
            if parts.dialect.isProgram {
                let (least, greatest) = (number(Double(low)), number(Double(high)))
                return try parts.add(
                    [("raised", Binary(.maximum, constant: least)), ("lowered", Binary(.minimum, constant: greatest))],
                    to: x)
            }
            return try parts.add(
                [("above", Unary(.boundedNegation(-high))), ("below", Unary(.boundedNegation(low)))], to: x)
        case .hardSwish(let alpha, let beta):
            return try gated([("gate", Unary(.hardSigmoid(alpha: alpha, beta: beta)))], of: x, &parts)
        case .swish(let beta):
            let scaled =
                beta == 1 ? [] : [("scaled", Binary(.multiply, constant: number(Double(beta))) as any Operation)]
            return try gated(scaled + [("gate", Unary(.sigmoid))], of: x, &parts)
        case .mish: return try gated([("softplus", Unary(.softplus)), ("gate", Unary(.tanh))], of: x, &parts)
        default: preconditionFailure("\(function) is not decomposed")
        }
    }

    /// √(x² + number)
    private func root(_ x: Operand, _ number: Float, _ parts: inout Decomposition) throws -> Operand {
        let square = try parts.add(Unary(.square), x, as: "square")
        let shifted = try parts.add(
            Binary(.add, constant: Tensor([number], shape: [])), square, as: "shifted")
        return try parts.add(Unary(.squareRoot), shifted, as: "root")
    }

    /// Whether the bounds of a clip are equal or reversed, at least in float16. An ML Program's `clip` does not accept that.
    private var isWithoutRange: Bool {
        float(fromHalf: half(from: bounds.low)) >= float(fromHalf: half(from: bounds.high))
    }

    /// The bounds of a clip.
    var bounds: (low: Float, high: Float) {
        if case .clip(let low, let high) = function { (low, high) } else { (0, 6) }
    }

    /// The input times a gate that these steps compute from it.
    private func gated(
        _ steps: [(part: String, operation: any Operation)], of x: Operand, _ parts: inout Decomposition
    ) throws -> Operand {
        let gate = try steps.reduce(x) { try parts.add($1.operation, $0, as: $1.part) }
        return try parts.add(Binary(.multiply), x, gate)
    }
}
