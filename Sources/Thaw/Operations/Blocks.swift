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
}

extension ImportContext {
    /// The array rearranged: see `Rearrangement`.
    fileprivate mutating func rearranged(
        _ input: Operand, as axes: [Int], order: [Int], to target: [Int], name: String
    ) throws -> Operand {
        let steps = Rearrangement(axes: axes, order: order, result: Shape(target)).steps
        return try steps.enumerated().reduce(input) { operand, step in
            try add(step.element, operand, name: step.offset == steps.count - 1 ? name : "\(name)/step\(step.offset)")
        }
    }
}
