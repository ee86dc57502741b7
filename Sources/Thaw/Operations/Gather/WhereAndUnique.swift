/// TensorFlow's Where and Unique. The output shapes depend on the values, so the inputs must be constant.
enum WhereAndUnique {
    static let tensorFlow = [
        // The indices of all elements that are not zero.
        TensorFlowRule("Where", axes: .lost, roles: []) { node, _ in
            let condition = try node.constant(0, "condition")
            return [.constant(try ComposedShapes.positions(of: condition, .int64))]
        },
        // The distinct values in the order of their first occurrence, and for each element the index of its value.
        TensorFlowRule("Unique", axes: .lost, roles: []) { node, _ in
            let list = try node.constant(0, "list")
            guard list.shape.rank == 1 else { throw Failure.wrongRank(1, list.shape) }
            var positions: [Double: Int] = [:]
            var numbers: [Double] = []
            let indices = list.withElements { x in
                (0..<list.elementCount).map { index in
                    if let position = positions[x[index]] { return position }
                    numbers.append(x[index])
                    positions[x[index]] = numbers.count - 1
                    return numbers.count - 1
                }
            }
            return [
                .constant(Tensor(shape: [numbers.count], element: list.element) { numbers[$0] }),
                .constant(
                    Tensor(integers: indices, shape: list.shape, element: try node.element("out_idx", default: .int32))),
            ]
        },
    ]
}
