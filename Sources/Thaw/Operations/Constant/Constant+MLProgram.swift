extension Constant: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add("identity", node, ["x": .constant(value)])
    }
}

extension Cast: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        // Of numbers with fractions, and of whole ones, there is one type each.
        if node.input.element == node.output.element { return block.alias(node) }
        block.castInto(node.output, from: node.input)
    }
}

// MARK: Reading

extension Cast {
    static let mil = [
        MILRule("cast") { op, reading in
            let x = try op.operand()
            let elements: [String: ElementType] = [
                "fp16": .float32, "fp32": .float32, "fp64": .float32, "int8": .int32, "int16": .int32,
                "int32": .int32, "int64": .int32, "uint8": .int32, "uint16": .int32, "bool": .bool,
            ]
            let name = try op.text("dtype")
            guard let element = elements[name] else { throw op.refused("the type '\(name)' is not known") }
            let result = x.type.element == element ? x : try reading.add(Cast(element: element), x, op)
            return [name == "fp16" ? try reading.add(Unary(.float16), result, op) : result]
        }
    ]
}
