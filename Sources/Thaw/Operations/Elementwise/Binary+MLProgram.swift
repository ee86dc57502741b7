extension Binary: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        var operands = node.inputs.map { MILArgument.value($0) }
        if let constant { operands.insert(.constant(constant), at: constantFirst ? 0 : 1) }
        guard let kind = Binary.operations.first(where: { $0.function == function })?.kind else {
            throw Failure.cannotWriteOperation(node.output.name, kind)
        }
        block.add(kind, node, ["x": operands[0], "y": operands[1]])
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
