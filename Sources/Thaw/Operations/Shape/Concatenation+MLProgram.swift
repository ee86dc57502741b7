extension Concatenation: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add(
            "concat", node, ["values": .values(node.inputs), "axis": .integer(axis), "interleave": .bool(false)])
    }
}

extension Split: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let isEven = sizes.allSatisfy { $0 == sizes[0] }
        let parts: MILArgument = isEven ? .integer(sizes.count) : .integers(sizes)
        block.add(
            "split", node,
            ["x": .value(node.input), isEven ? "num_splits" : "split_sizes": parts, "axis": .integer(axis)])
    }
}

// MARK: Reading

extension Concatenation {
    static let mil = [
        MILRule("concat") { op, reading in
            let values = try op.operands("values")
            let axis = try op.axis(values[0])
            guard try op.bool("interleave", default: false) else {
                return try reading.add(Concatenation(axis: axis), values, op)
            }
            let steps = try naming(place: op.place) {
                try Concatenation.interleaving(values.map(\.shape), axis: axis)
            }
            let parts = try values.map { try reading.add(Reshape(steps.part), $0, op) }
            let stacked: Operand = try reading.add(Concatenation(axis: axis + 1), parts, op)[0]
            return [try reading.add(Reshape(steps.result), stacked, op)]
        },
        MILRule("stack") { op, reading in
            let values = try op.operands("values")
            let axis = try Concatenation.stacking(values[0].shape, axis: op.integer("axis")).axis
            let parts = try values.map { value in
                try reading.add(Reshape(Concatenation.stacking(value.shape, axis: axis).part), value, op)
            }
            return try reading.add(Concatenation(axis: axis), parts, op)
        },
    ]
}

extension Split {
    static let mil = [
        MILRule("split") { op, reading in
            let x = try op.operand()
            let axis = try op.axis(x)
            var sizes = try op.integers("split_sizes", default: [])
            if sizes.isEmpty {
                let count = try op.integer("num_splits")
                guard (1...Swift.max(1, x.shape[axis])).contains(count), x.shape[axis] % count == 0 else {
                    throw op.refused("axis \(axis) of shape \(x.shape) does not fall into \(count) equal parts")
                }
                sizes = Array(repeating: x.shape[axis] / count, count: count)
            }
            guard sizes.count == op.outputCount else { throw op.refused("\(sizes.count) parts have not as many names") }
            return try reading.add(Split(axis: axis, sizes: sizes), [x], op)
        }
    ]
}
