extension Gather: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add(
            "gather", node,
            ["x": .value(node.inputs[0]), "indices": .value(node.inputs[1]), "axis": .integer(axis)])
    }
}

extension GatherSlices: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add("gather_nd", node, ["x": .value(node.inputs[0]), "indices": .value(node.inputs[1])])
    }
}

extension Select: MILOperation {
    /// All three are of the result's shape to Core ML.
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let names = ["condition", "first", "second"]
        let whole = zip(node.inputs, names).map { block.broadcast($0, to: node.output.shape, node, $1) }
        let condition = block.cast(whole[0], to: .bool)
        block.add("select", node, ["cond": .value(condition), "a": .value(whole[1]), "b": .value(whole[2])])
    }
}

extension Tile: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add("tile", node, ["x": .value(node.input), "reps": .integers(multiples)])
    }
}

extension BroadcastTo: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let whole = block.broadcast(node.input, to: shape, node, "tile")
        var copy = node
        copy.inputs = [whole]
        block.add("identity", copy, ["x": .value(whole)])
    }
}

extension MILBlock {
    /// The value repeated along the axes where it has one element and `shape` more.
    fileprivate mutating func broadcast(_ value: MILValue, to shape: Shape, _ node: MILNode, _ name: String) -> MILValue
    {
        if value.shape == shape { return value }
        let same = value.shape.padded(to: shape.rank)
        var aligned = value
        if same != value.shape {
            let axes = Array(0..<shape.rank - value.shape.rank)
            aligned = part(
                "expand_dims", node, name + "_axes", shape: same, element: value.element,
                ["x": .value(value), "axes": .integers(axes)])
        }
        if same == shape { return aligned }
        return part(
            "tile", node, name, shape: shape, element: value.element,
            ["x": .value(aligned), "reps": .integers(zip(shape, same).map { $1 == $0 ? 1 : $0 })])
    }
}

extension TopK: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add(
            "topk", node,
            [
                "x": .value(node.input), "k": .integer(count), "axis": .integer(axis), "ascending": .bool(false),
            ])
    }
}

extension OneHot: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let number = { MILArgument.constant(Tensor($0, element: node.output.element)) }
        block.add(
            "one_hot", node,
            [
                "indices": .value(node.input), "one_hot_vector_size": .integer(depth), "axis": .integer(axis),
                "on_value": number(on), "off_value": number(off),
            ])
    }
}

extension CumulativeSum: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add(
            "cumsum", node,
            [
                "x": .value(node.input), "axis": .integer(axis), "exclusive": .bool(isExclusive),
                "reverse": .bool(isReversed),
            ])
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
        },
        MILRule("gather_nd") { op, reading in
            guard try op.integer("batch_dims", default: 0) == 0 else {
                throw op.refused("batches of places are not supported")
            }
            let (x, places) = (try op.operand(), try op.operand("indices"))
            let depth = min(places.shape.last ?? 0, x.shape.rank)
            try op.check(places, sizes: Array(x.shape.prefix(depth)), of: x)
            return try reading.add(GatherSlices(countsFromEnd: true), [x, places], op)
        },
        MILRule("select") { op, reading in
            try reading.add(Select(), [op.operand("cond"), op.operand("a"), op.operand("b")], op)
        },
        MILRule("tile") { op, reading in
            [try reading.add(Tile(multiples: op.integers("reps")), op.operand(), op)]
        },
        MILRule("topk") { op, reading in
            guard try !op.bool("ascending", default: false) else {
                throw op.refused("the smallest elements are not supported")
            }
            let x = try op.operand()
            let operation = TopK(axis: try op.axis(x, default: -1), count: try op.integer("k", default: 1))
            return Array(try reading.add(operation, [x], op).prefix(op.outputCount))
        },
        MILRule("one_hot") { op, reading in
            let x = try op.operand("indices")
            let axis = try op.integer("axis", default: -1)
            let depth = try op.integer("one_hot_vector_size")
            guard axis >= -1, depth >= 0 else { throw op.refused("there is no axis \(axis), or no depth \(depth)") }
            let values = try ["on_value", "off_value"].map { try op.has($0) ? op.constant($0) : nil }
            let element = values.compactMap { $0?.element }.first ?? .int32
            let operation = OneHot(
                axis: axis == -1 ? x.shape.rank : axis, depth: depth, on: Double(try op.number("on_value", default: 1)),
                off: Double(try op.number("off_value", default: 0)), element: element)
            return [try reading.add(operation, x, op)]
        },
        MILRule("cumsum") { op, reading in
            let x = try op.operand()
            let operation = CumulativeSum(
                axis: try op.axis(x, default: 0), isExclusive: try op.bool("exclusive", default: false),
                isReversed: try op.bool("reverse", default: false))
            return [try reading.add(operation, x, op)]
        },
    ]
}

extension MILRead {
    /// Refuses places that are known and lie outside an array. Negative ones count from the end; those of a program that has
    /// its places checked, which iOS 17 brought, do not.
    /// - Parameter sizes: Of the axes that the places go along, in turn.
    fileprivate func check(_ places: Operand, sizes: [Int], of array: Operand) throws {
        guard let known = places.constant?.integers, !sizes.isEmpty else { return }
        let isFromFront = try bool("validate_indices", default: false)
        for (index, place) in known.enumerated() {
            let size = sizes[index % sizes.count]
            guard !((isFromFront ? 0 : -size)..<size).contains(place) else { continue }
            throw refused("place \(place) lies outside an array of shape \(array.shape)")
        }
    }
}
