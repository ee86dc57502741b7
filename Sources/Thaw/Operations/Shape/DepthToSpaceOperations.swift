/// TensorFlow's DepthToSpace, SpaceToDepth and MirrorPad. They are decomposed into reshapes, transposes, slices and
/// concatenations, so none of them remains in the graph.
enum DepthToSpaceOperations {
    static let tensorFlow = [
        TensorFlowRule("DepthToSpace", "SpaceToDepth", axes: .image(input: 0), roles: .map) { node, context in
            [
                try context.image(node, node.input(0)) { image, context in
                    try node.requireImage(image)
                    let size = try node.int("block_size", default: 0)
                    guard (1..<1 << 12).contains(size) else {
                        throw Failure.badAttribute(node.name, node.op, "block_size")
                    }
                    let blocks = BlockExchange(
                        exchange: node.op == "DepthToSpace" ? .depthToSpace : .spaceToDepth, size: size)
                    guard let rearrangement = blocks.rearrangement(of: image.shape, .channelsLast) else {
                        throw Failure.notDivisible(image.shape, "\(size)×\(size)").at(node.name)
                    }
                    return try context.rearranged(image, rearrangement, name: node.name)
                }
            ]
        },
        TensorFlowRule("MirrorPad", axes: .padded, roles: []) { node, context in
            var value = try node.input(0)
            let amounts = try node.integers(1, "paddings")
            let mode = try node.string("mode", default: "")
            guard mode == "REFLECT" || mode == "SYMMETRIC" else {
                throw Failure.badAttribute(node.name, node.op, "mode")
            }
            let border = mode == "REFLECT" ? EdgePadding.reflected : .mirrored
            guard amounts.count == 2 * value.shape.rank,
                amounts.indices.allSatisfy({ border.fits(amounts[$0], of: value.shape[$0 / 2]) })
            else { throw node.refused("the paddings \(amounts) do not fit a tensor of shape \(value.shape)") }
            for axis in value.shape.indices where amounts[2 * axis] + amounts[2 * axis + 1] > 0 {
                let ranges = border.ranges(amounts[2 * axis], amounts[2 * axis + 1], of: value.shape[axis])
                func mirrored(_ range: StridedSlice.Range) throws -> [Operand] {
                    guard range.count > 0 else { return [] }
                    var ranges = value.shape.map { StridedSlice.Range(start: 0, count: $0) }
                    ranges[axis] = range
                    return [try context.add(StridedSlice(ranges: ranges), value, name: node.name + "/mirror")]
                }
                let parts = try mirrored(ranges.before) + [value] + mirrored(ranges.after)
                value = try context.add(Concatenation(axis: axis), parts, name: node.name)[0]
            }
            return [value]
        },
    ]
}

extension ImportContext {
    fileprivate mutating func rearranged(
        _ input: Operand, _ rearrangement: Rearrangement, name: String
    ) throws -> Operand {
        let steps = rearrangement.steps
        return try steps.enumerated().reduce(input) { operand, step in
            try add(step.element, operand, name: step.offset == steps.count - 1 ? name : "\(name)/step\(step.offset)")
        }
    }
}
