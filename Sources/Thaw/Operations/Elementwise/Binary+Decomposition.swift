extension Binary: CoreMLOperation {
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? {
        let operands = operands(inputs) { .constant($0) }
        if case .neuralNetwork(let arrays, _) = parts.dialect {
            return try decomposeForNetwork(operands, inputs[0], arrays, &parts)
        }
        switch function {
        case .squaredDifference: return try squaredDifference(operands, &parts)
        case .truncateDivide, .remainder: return try truncated(operands, &parts)
        case .divideOrZero: return try quotientOrZero(operands, &parts)
        case .equal, .notEqual: return try comparedBooleans(operands, inputs[0], &parts)
        default: return nil
        }
    }

    /// The square of the difference.
    private func squaredDifference(_ operands: (Operand, Operand), _ parts: inout Decomposition) throws -> Operand {
        let difference = try parts.combine(.subtract, operands.0, operands.1, as: "difference")
        return try parts.add(Unary(.square), difference)
    }

    /// Replaces the quotient by 0 if the divisor is 0.
    private func quotientOrZero(_ operands: (Operand, Operand), _ parts: inout Decomposition) throws -> Operand {
        let (dividend, divisor) = (try parts.edge(operands.0), try parts.edge(operands.1))
        let zero = Operand.constant(Tensor(0, element: divisor.type.element))
        let isZero = try parts.combine(.equal, divisor, zero, as: "zero")
        let quotient = try parts.add(Binary(.divide), dividend, divisor, as: "quotient")
        let nothing = Operand.constant(Tensor(0, element: quotient.type.element))
        return try parts.add(Select(), isZero, nothing, quotient)
    }

    // MARK: ML Programs

    /// Rounding down the absolute values is rounding toward zero; the signs are restored at the end.
    private func truncated(_ operands: (Operand, Operand), _ parts: inout Decomposition) throws -> Operand {
        let dividend = try parts.add(Unary(.absolute), operands.0, as: "dividend")
        let divisor = try parts.add(Unary(.absolute), operands.1, as: "divisor")
        let isQuotient = function == .truncateDivide
        let whole = try parts.combine(isQuotient ? .floorDivide : .floorRemainder, dividend, divisor, as: "whole")
        var sign = try parts.add(Unary(.sign), operands.0, as: "sign")
        if isQuotient {
            let other = try parts.add(Unary(.sign), operands.1, as: "other_sign")
            sign = try parts.combine(.multiply, sign, other, as: "signs")
        }
        return try parts.combine(.multiply, whole, sign)
    }

    /// The operations that compare for equality accept only numbers.
    private func comparedBooleans(
        _ operands: (Operand, Operand), _ input: Operand, _ parts: inout Decomposition
    ) throws -> Operand? {
        guard input.type.element == .bool else { return nil }
        guard function == .equal else { return try parts.combine(.exclusiveOr, operands.0, operands.1) }
        let differs = try parts.combine(.exclusiveOr, operands.0, operands.1, as: "differs")
        return try parts.add(Unary(.not), differs)
    }

    // MARK: Neural networks

    private func decomposeForNetwork(
        _ operands: (Operand, Operand), _ input: Operand, _ arrays: NeuralArrays, _ parts: inout Decomposition
    ) throws -> Operand? {
        switch function {
        case .squaredDifference:
            // A layer that holds a constant subtracts it.
            let isHeld = constant.map { Binary.form(of: $0, input.shape, arrays) != nil } ?? false
            return try squaredDifference(isHeld && constantFirst ? (operands.1, operands.0) : operands, &parts)
        case .truncateDivide: return try truncatedQuotient(operands, &parts)
        case .remainder: return try remainder(operands, &parts)
        case .divideOrZero: return try quotientOrZero(operands, &parts)
        default: break
        }
        guard constantFirst, let constant, let form = Binary.form(of: constant, input.shape, arrays) else { return nil }
        switch (function, form) {
        case (.divide, _):
            return try parts.add(
                [("inverse", Unary(.reciprocal)), ("product", Binary(.multiply, constant: constant))], to: input)
        case (.subtract, .channels):
            return try parts.add(
                [("negative", Unary(.negate)), ("sum", Binary(.add, constant: constant))], to: input)
        default: return nil
        }
    }

    /// The absolute value is rounded down and gets its sign back.
    private func truncatedQuotient(_ operands: (Operand, Operand), _ parts: inout Decomposition) throws -> Operand {
        // A product with the inverse of a constant would be rounded differently.
        let (dividend, divisor) = (try parts.edge(operands.0), try parts.edge(operands.1))
        let quotient = try parts.add(Binary(.divide), dividend, divisor, as: "quotient")
        let magnitude = try parts.add(Unary(.absolute), quotient, as: "magnitude")
        let whole = try parts.add(Unary(.floor), magnitude, as: "whole")
        let sign = try parts.add(Unary(.sign), quotient, as: "sign")
        return try parts.add(Binary(.multiply), whole, sign)
    }

    /// The remainder of the absolute values with the sign of the dividend.
    private func remainder(_ operands: (Operand, Operand), _ parts: inout Decomposition) throws -> Operand {
        let value = try parts.edge(operands.0)
        let known = operands.1.constant.map { Operand.constant(Unary(.absolute).evaluate([$0])[0]) }
        let fixedDivisor = try known.map { try parts.edge($0) }
        let dividend = try parts.add(Unary(.absolute), value, as: "dividend")
        let divisor = try fixedDivisor ?? parts.add(Unary(.absolute), operands.1, as: "divisor")
        let sign = try parts.add(Unary(.sign), value, as: "sign")
        let remainder = try parts.add(Binary(.floorRemainder), dividend, divisor, as: "remainder")
        return try parts.add(Binary(.multiply), remainder, sign)
    }
}
