extension Gather: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add(
            "gather", node,
            ["x": .value(node.inputs[0]), "indices": .value(node.inputs[1]), "axis": .integer(axis)])
    }
}

// MARK: Reading

extension Gather {
    static let mil = [
        MILRule("gather") { op, reading in
            guard try op.integer("batch_dims", default: 0) == 0 else {
                throw op.refused("batched indices are not supported")
            }
            let x = try op.operand()
            let indices = try op.operand("indices")
            let axis = try op.axis(x, default: 0)
            try op.check(indices, sizes: [x.shape[axis]], of: x)
            let gather = Gather(axis: axis, countsFromEnd: true)
            guard indices.shape.rank == 0 else { return try reading.add(gather, [x, indices], op) }
            let list = try reading.add(Reshape([1]), indices, op)
            let slice = try reading.add(gather, [x, list], op)[0]
            var shape = slice.shape.dimensions
            shape.remove(at: axis)
            return [try reading.add(Reshape(Shape(shape)), slice, op)]
        }
    ]
}

extension MILRead {
    /// Rejects constant indices that are out of bounds. Negative indices count from the end, unless the program sets
    /// `validate_indices`, which was introduced in iOS 17.
    /// - Parameter sizes: The sizes of the axes that the indices refer to, in turn.
    func check(_ indices: Operand, sizes: [Int], of tensor: Operand) throws {
        guard let known = indices.constant?.integers, !sizes.isEmpty else { return }
        let isFromFront = try bool("validate_indices", default: false)
        for (position, index) in known.enumerated() {
            let size = sizes[position % sizes.count]
            guard !((isFromFront ? 0 : -size)..<size).contains(index) else { continue }
            throw refused("index \(index) is out of bounds for a tensor of shape \(tensor.shape)")
        }
    }
}
