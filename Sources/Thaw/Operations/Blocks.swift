/// TensorFlow operations that move whole blocks of an image about. Reshapes, transposes, slices and concatenations say all
/// that they do, so nothing of them stays in a graph.
enum Blocks {
    static let tensorFlow = [
        TensorFlowRule("DepthToSpace") { node, context in
            [
                try context.image(node, node.input(0)) { image, context in
                    let (size, shape) = try block(node, image)
                    guard shape[3] % (size * size) == 0 else {
                        throw node.refused("\(shape[3]) channels do not fall into blocks of \(size)×\(size)")
                    }
                    let depth = shape[3] / (size * size)
                    return try context.rearranged(
                        image, as: [shape[0], shape[1], shape[2], size, size, depth], order: [0, 1, 3, 2, 4, 5],
                        to: [shape[0], shape[1] * size, shape[2] * size, depth], name: node.name)
                }
            ]
        },
        TensorFlowRule("SpaceToDepth") { node, context in
            [
                try context.image(node, node.input(0)) { image, context in
                    let (size, shape) = try block(node, image)
                    guard shape[1] % size == 0, shape[2] % size == 0 else {
                        throw node.refused(
                            "an image of \(shape[2])×\(shape[1]) does not fall into blocks of \(size)×\(size)")
                    }
                    return try context.rearranged(
                        image, as: [shape[0], shape[1] / size, size, shape[2] / size, size, shape[3]],
                        order: [0, 1, 3, 2, 4, 5],
                        to: [shape[0], shape[1] / size, shape[2] / size, shape[3] * size * size], name: node.name)
                }
            ]
        },
        TensorFlowRule("SpaceToBatchND") { node, context in
            let input = try node.input(0)
            let (sizes, amounts) = try blocks(node, "paddings", rank: input.shape.rank)
            let rest = input.shape.rank - 1 - sizes.count
            let pad = Pad(
                before: [0] + amounts.map(\.0) + Array(repeating: 0, count: rest),
                after: [0] + amounts.map(\.1) + Array(repeating: 0, count: rest))
            let padded =
                amounts.allSatisfy { $0 == (0, 0) } ? input : try context.add(pad, input, name: node.name + "/pad")
            let shape = padded.shape
            guard sizes.indices.allSatisfy({ shape[$0 + 1] % sizes[$0] == 0 }) else {
                throw node.refused("an array of shape \(shape) does not fall into blocks of \(sizes)")
            }
            let outer = sizes.indices.map { shape[$0 + 1] / sizes[$0] }
            let tail = Array(shape.suffix(rest))
            let places = Array(sizes.indices)
            return [
                try context.rearranged(
                    padded, as: [shape[0]] + places.flatMap { [outer[$0], sizes[$0]] } + tail,
                    order: places.map { 2 * $0 + 2 } + [0] + places.map { 2 * $0 + 1 }
                        + tail.indices.map { 2 * sizes.count + 1 + $0 },
                    to: [shape[0] * sizes.reduce(1, *)] + outer + tail, name: node.name)
            ]
        },
        TensorFlowRule("BatchToSpaceND") { node, context in
            let input = try node.input(0)
            let shape = input.shape
            let (sizes, crops) = try blocks(node, "crops", rank: shape.rank)
            let product = sizes.reduce(1, *)
            guard shape[0] % product == 0 else {
                throw node.refused("a batch of \(shape[0]) does not fall into blocks of \(sizes)")
            }
            let batch = shape[0] / product
            let tail = Array(shape.dropFirst(1 + sizes.count))
            let count = sizes.count
            let whole = [batch] + sizes.indices.map { shape[$0 + 1] * sizes[$0] } + tail
            let spread = try context.rearranged(
                input, as: sizes + [batch] + sizes.indices.map { shape[$0 + 1] } + tail,
                order: [count] + sizes.indices.flatMap { [count + 1 + $0, $0] }
                    + tail.indices.map { 2 * count + 1 + $0 },
                to: whole, name: node.name)
            let ranges = try whole.indices.map { axis in
                let (before, after) = (1...count).contains(axis) ? crops[axis - 1] : (0, 0)
                guard before + after <= whole[axis] else { throw Failure.sliceOutside(Shape(whole)) }
                return StridedSlice.Range(start: before, count: whole[axis] - before - after)
            }
            return [
                crops.allSatisfy { $0 == (0, 0) }
                    ? spread : try context.add(StridedSlice(ranges: ranges), spread, name: node.name + "/crop")
            ]
        },
        TensorFlowRule("MirrorPad") { node, context in
            var value = try node.input(0)
            let amounts = try node.integers(1, "paddings")
            let mode = try node.string("mode", default: "")
            guard mode == "REFLECT" || mode == "SYMMETRIC" else {
                throw Failure.badAttribute(node.name, node.op, "mode")
            }
            // A reflection leaves the edge itself out.
            let skipped = mode == "REFLECT" ? 1 : 0
            guard amounts.count == 2 * value.shape.rank,
                amounts.indices.allSatisfy({ (0...Swift.max(0, value.shape[$0 / 2] - skipped)).contains(amounts[$0]) })
            else { throw node.refused("the paddings \(amounts) do not fit an array of shape \(value.shape)") }
            for axis in value.shape.indices where amounts[2 * axis] + amounts[2 * axis + 1] > 0 {
                let length = value.shape[axis]
                func mirrored(from start: Int, _ count: Int) throws -> [Operand] {
                    guard count > 0 else { return [] }
                    var ranges = value.shape.map { StridedSlice.Range(start: 0, count: $0) }
                    ranges[axis] = StridedSlice.Range(start: start, count: count, step: -1)
                    return [try context.add(StridedSlice(ranges: ranges), value, name: node.name + "/mirror")]
                }
                let before = try mirrored(from: skipped + amounts[2 * axis] - 1, amounts[2 * axis])
                let after = try mirrored(from: length - 1 - skipped, amounts[2 * axis + 1])
                value = try context.add(Concatenation(axis: axis), before + [value] + after, name: node.name)[0]
            }
            return [value]
        },
    ]

    /// The side of the blocks, and the shape of the image that falls into them.
    private static func block(_ node: TensorFlowNode, _ image: Operand) throws -> (Int, Shape) {
        try node.requireImage(image)
        let size = try node.int("block_size", default: 0)
        guard (1..<1 << 12).contains(size) else { throw Failure.badAttribute(node.name, node.op, "block_size") }
        return (size, image.shape)
    }

    /// The blocks' sizes along the axes behind the batch, and an amount before and after for each.
    private static func blocks(_ node: TensorFlowNode, _ role: String, rank: Int) throws -> ([Int], [(Int, Int)]) {
        let sizes = try node.integers(1, "block shape")
        let amounts = try node.integers(2, role)
        guard sizes.count < rank, !sizes.isEmpty, amounts.count == 2 * sizes.count,
            sizes.allSatisfy((1..<1 << 12).contains),
            amounts.allSatisfy((0..<1 << 24).contains)
        else { throw node.refused("blocks of \(sizes) with \(role) \(amounts) do not fit an array of \(rank) axes") }
        return (sizes, sizes.indices.map { (amounts[2 * $0], amounts[2 * $0 + 1]) })
    }
}

extension ImportContext {
    /// The array seen as having other axes, those in another order, and that as having the shape `target`. Axes of one
    /// element are left out on the way: Core ML knows five axes at most.
    fileprivate mutating func rearranged(
        _ input: Operand, as axes: [Int], order: [Int], to target: [Int], name: String
    ) throws -> Operand {
        let kept = axes.indices.filter { axes[$0] != 1 }
        let split = try add(Reshape(Shape(kept.map { axes[$0] })), input, name: name + "/split")
        let turned = try add(Transpose(order.compactMap { kept.firstIndex(of: $0) }), split, name: name + "/turn")
        return try add(Reshape(Shape(target)), turned, name: name)
    }
}
