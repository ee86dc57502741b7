/// Slices written to a tensor at constant indices along the first axes.
enum Scatter {
    static let tensorFlow = [
        // Updates at the same index are added.
        TensorFlowRule("ScatterNd", axes: .lost, roles: []) { node, _ in
            let updates = try node.constant(1, "tensor of updates")
            let shape = Shape(try node.integers(2, "shape"))
            guard shape.checkedCount ?? .max <= ImportContext.largestConstant else {
                throw Failure.constantTooLarge(shape)
            }
            let zeros = Tensor(shape: shape, element: updates.element) { _ in 0 }
            return [.constant(try scatter(node, node.constant(0, "list of indices"), updates, into: zeros, +))]
        },
        // The last update at an index wins.
        TensorFlowRule("TensorScatterUpdate", axes: .lost, roles: []) { node, _ in
            let (tensor, indices) = (try node.constant(0, "tensor"), try node.constant(1, "list of indices"))
            return [.constant(try scatter(node, indices, node.constant(2, "tensor of updates"), into: tensor) { $1 })]
        },
    ]

    /// - Parameter join: Combines the current value with the update.
    private static func scatter(
        _ node: TensorFlowNode, _ indices: Tensor, _ updates: Tensor, into tensor: Tensor,
        _ join: (Double, Double) -> Double
    ) throws -> Tensor {
        let shape = tensor.shape
        guard let depth = indices.shape.last, depth > 0, depth <= shape.rank,
            updates.shape == Shape(indices.shape.dropLast() + shape.dropFirst(depth))
        else { throw Failure.shapesDiffer(indices.shape, updates.shape) }
        guard updates.element == tensor.element else {
            throw Failure.elementTypesDiffer(tensor.element.rawValue, updates.element.rawValue)
        }
        let length = shape.dropFirst(depth).reduce(1, *)
        let coordinates = indices.integers
        var values = tensor.withElements { elements in (0..<tensor.elementCount).map { elements[$0] } }
        try updates.withElements { newValues in
            for slice in 0..<indices.shape.dropLast().reduce(1, *) {
                let index = coordinates[slice * depth..<(slice + 1) * depth]
                guard zip(index, shape).allSatisfy({ (0..<$1).contains($0) }) else {
                    throw node.refused(
                        "index \(Array(index)) is out of bounds", remedy: "its shape is \(shape)")
                }
                let row = zip(index, shape).reduce(0) { $0 * $1.1 + $1.0 }
                for i in 0..<length {
                    values[row * length + i] = join(values[row * length + i], newValues[slice * length + i])
                }
            }
        }
        return Tensor(shape: shape, element: tensor.element) { values[$0] }
    }
}
