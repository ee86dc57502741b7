extension Binary: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        var operands = node.inputs.map { MILArgument.value($0) }
        if let constant { operands.insert(.constant(constant), at: constantFirst ? 0 : 1) }
        let (x, y) = (operands[0], operands[1])
        if let kind = Binary.operations.first(where: { $0.function == function })?.kind {
            return block.add(kind, node, ["x": x, "y": y])
        }
        let number = { (value: Double) in MILArgument.constant(Tensor(value, element: node.output.element)) }
        switch function {
        case .squaredDifference:
            let difference = block.part("sub", node, "difference", ["x": x, "y": y])
            block.add("square", node, ["x": .value(difference)])
        case .truncateDivide, .remainder:
            // Rounding down the absolute values is rounding toward zero; the signs are restored at the end.
            let isQuotient = function == .truncateDivide
            let magnitudes = [(x, "dividend"), (y, "divisor")].map { operand, name in
                MILArgument.value(
                    block.part("abs", node, name, shape: shape(of: operand), ["x": operand]))
            }
            let whole = block.part(
                isQuotient ? "floor_div" : "mod", node, "whole", ["x": magnitudes[0], "y": magnitudes[1]])
            var sign = block.part("sign", node, "sign", shape: shape(of: x), ["x": x])
            if isQuotient {
                let other = block.part("sign", node, "other_sign", shape: shape(of: y), ["x": y])
                sign = block.part("mul", node, "signs", ["x": .value(sign), "y": .value(other)])
            }
            block.add("mul", node, ["x": .value(whole), "y": .value(sign)])
        case .divideOrZero:
            // Divides by 1 if the divisor is 0, then multiplies by 0.
            let divisor = shape(of: y)
            let isZero = block.part("equal", node, "is_zero", shape: divisor, element: .bool, ["x": y, "y": number(0)])
            let zeros = block.cast(isZero, to: node.output.element)
            let safe = block.part("add", node, "divisor", shape: divisor, ["x": y, "y": .value(zeros)])
            let quotient = block.part("real_div", node, "quotient", ["x": x, "y": .value(safe)])
            let kept = block.part("sub", node, "kept", shape: divisor, ["x": number(1), "y": .value(zeros)])
            block.add("mul", node, ["x": .value(quotient), "y": .value(kept)])
        default: throw Failure.cannotWriteOperation(node.output.name, kind)
        }
    }

    private func shape(of operand: MILArgument) -> Shape {
        switch operand {
        case .value(let value): value.shape
        case .constant(let tensor): tensor.shape
        default: []
        }
    }

    fileprivate static let operations: [(kind: String, function: Function)] = [
        ("add", .add), ("sub", .subtract), ("mul", .multiply), ("real_div", .divide), ("maximum", .maximum),
        ("minimum", .minimum), ("pow", .power), ("floor_div", .floorDivide), ("mod", .floorRemainder),
        ("equal", .equal), ("not_equal", .notEqual), ("less", .less), ("less_equal", .lessOrEqual),
        ("greater", .greater), ("greater_equal", .greaterOrEqual), ("logical_and", .and), ("logical_or", .or),
        ("logical_xor", .exclusiveOr),
    ]
}

// MARK: Reading

extension Binary {
    static let mil = operations.map { kind, function in
        MILRule(kind) { op, reading in [try reading.combine(function, op.operand("x"), op.operand("y"), op)] }
    }
}
