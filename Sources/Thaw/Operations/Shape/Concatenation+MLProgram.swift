extension Concatenation: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add(
            "concat", node, ["values": .values(node.inputs), "axis": .integer(axis), "interleave": .bool(false)])
    }
}

// MARK: Reading

extension Concatenation {
    static let mil = [
        MILRule("concat") { op, reading in
            let values = try op.operands("values")
            // coremltools also joins single values into a vector, along any axis.
            if values.allSatisfy({ $0.shape.rank == 0 }) {
                let parts = try values.map { try reading.reshaped($0, [1], op) }
                return try reading.add(Concatenation(axis: 0), parts, op)
            }
            let axis = try op.axis(values[0])
            guard try op.bool("interleave", default: false) else {
                return try reading.add(Concatenation(axis: axis), values, op)
            }
            return [try reading.interleaved(values, axis: axis, op)]
        },
        MILRule("stack") { op, reading in
            [try reading.stacked(op.operands("values"), axis: op.integer("axis"), op)]
        },
    ]
}
