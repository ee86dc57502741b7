/// TensorFlow's DepthToSpace and SpaceToDepth. They are decomposed into reshapes and transposes, so none of them remains in
/// the graph.
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
        }
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
