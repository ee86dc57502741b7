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
                throw op.refused("batches of places are not supported")
            }
            let x = try op.operand()
            let places = try op.operand("indices")
            let axis = try op.axis(x, default: 0)
            try op.check(places, sizes: [x.shape[axis]], of: x)
            let gather = Gather(axis: axis, countsFromEnd: true)
            guard places.shape.rank == 0 else { return try reading.add(gather, [x, places], op) }
            let list = try reading.add(Reshape([1]), places, op)
            let slice = try reading.add(gather, [x, list], op)[0]
            var shape = slice.shape.dimensions
            shape.remove(at: axis)
            return [try reading.add(Reshape(Shape(shape)), slice, op)]
        }
    ]
}

extension MILRead {
    /// Refuses places that are known and lie outside an array. Negative ones count from the end; those of a program that has
    /// its places checked, which iOS 17 brought, do not.
    /// - Parameter sizes: Of the axes that the places go along, in turn.
    func check(_ places: Operand, sizes: [Int], of array: Operand) throws {
        guard let known = places.constant?.integers, !sizes.isEmpty else { return }
        let isFromFront = try bool("validate_indices", default: false)
        for (index, place) in known.enumerated() {
            let size = sizes[index % sizes.count]
            guard !((isFromFront ? 0 : -size)..<size).contains(place) else { continue }
            throw refused("place \(place) lies outside an array of shape \(array.shape)")
        }
    }
}
