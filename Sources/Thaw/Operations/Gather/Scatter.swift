/// Slices written to a tensor at constant indices along the first axes.
enum Scatter {
    static let tensorFlow = [
        // Updates at the same index are added.
        TensorFlowRule("ScatterNd", axes: .lost, roles: []) { node, _ in
            let updates = try node.constant(1, "tensor of updates")
            let shape = Shape(try node.integers(2, "shape"))
            try ImportContext.checkConstant(shape)
            let zeros = Tensor(shape: shape, element: updates.element) { _ in 0 }
            return [.constant(try scatter(node, node.constant(0, "list of indices"), updates, into: zeros, .add))]
        },
        // The last update at an index wins.
        TensorFlowRule("TensorScatterUpdate", axes: .lost, roles: []) { node, _ in
            let (tensor, indices) = (try node.constant(0, "tensor"), try node.constant(1, "list of indices"))
            return [.constant(try scatter(node, indices, node.constant(2, "tensor of updates"), into: tensor, .update))]
        },
    ]

    private static func scatter(
        _ node: TensorFlowNode, _ indices: Tensor, _ updates: Tensor, into tensor: Tensor, _ mode: ScatterMode
    ) throws -> Tensor {
        let (operation, inputs) = (ScatterSlices(mode: mode), [tensor, updates, indices])
        _ = try operation.outputTypes(inputs.map(\.type))
        // Unlike Core ML, TensorFlow refuses indices that are out of bounds, and none is negative.
        try node.check(indices, of: tensor.shape)
        return operation.evaluate(inputs)[0]
    }
}

extension TensorFlowNode {
    /// Refuses constant indices along the first axes of a tensor that are out of bounds.
    /// - Parameter indices: The last axis contains one index for each of the tensor's first axes.
    func check(_ indices: Tensor, of shape: Shape) throws {
        guard let depth = indices.shape.last, depth > 0, depth <= shape.rank else { return }
        let numbers = indices.integers
        for start in stride(from: 0, to: numbers.count, by: depth) {
            let index = numbers[start..<start + depth]
            guard zip(index, shape).allSatisfy({ (0..<$1).contains($0) }) else {
                throw refused("index \(Array(index)) is out of bounds for a tensor of shape \(shape)")
            }
        }
    }
}
