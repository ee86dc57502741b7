extension Gather: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.withoutBooleans(node) { node, block in
            block.add(
                "gather", node,
                ["x": .value(node.inputs[0]), "indices": .value(node.inputs[1]), "axis": .integer(axis)])
        }
    }
}

// MARK: Reading

extension Gather {
    static let mil = [
        MILRule("gather") { op, reading in
            let x = try op.operand()
            let indices = try op.operand("indices")
            let axis = try op.axis(x, default: 0)
            try op.check(indices, sizes: [x.shape[axis]], of: x)
            let batches = try op.integer("batch_dims", default: 0)
            if batches != 0 {
                guard Gather.shareBatches(x.shape, indices.shape, batches, axis: axis) else {
                    throw op.refused(
                        "tensors of shapes \(x.shape) and \(indices.shape) do not share their first \(batches) axes")
                }
                let counted = try reading.countedFromFront(indices, size: x.shape[axis], op)
                return [try reading.gather(x, counted, axis: axis, batches: batches, name: op.name)]
            }
            return [try reading.gathered(x, at: indices, Gather(axis: axis, countsFromEnd: true), op)]
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

extension ImportContext {
    /// Indices along an axis of this size, with negative ones, which count from the end, made positive.
    mutating func countedFromFront(_ indices: Operand, size: Int, _ node: some SourceNode) throws -> Operand {
        if let known = indices.constant {
            let counted = known.integers.map { $0 < 0 ? $0 + size : $0 }
            return .constant(Tensor(integers: counted, shape: known.shape))
        }
        let isNegative = try apply(.less, indices, 0, node)
        let steps = try add(Cast(element: indices.type.element), isNegative, node)
        return try combine(.add, indices, apply(.multiply, steps, Float(size), node), node)
    }
}
