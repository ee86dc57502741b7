/// Which numbers an array holds, and where: how many there are depends on the numbers, so they must be known.
enum Occurrences {
    static let tensorFlow = [
        // The places of all that is not zero.
        TensorFlowRule("Where") { node, _ in
            let condition = try node.constant(0, "condition")
            let (shape, strides) = (condition.shape, condition.shape.strides)
            let elements = condition.withElements { x in (0..<condition.elementCount).filter { x[$0] != 0 } }
            let result: Shape = [elements.count, shape.rank]
            guard result.checkedCount ?? .max <= ImportContext.largestConstant else {
                throw Failure.constantTooLarge(result)
            }
            let places = elements.flatMap { element in shape.indices.map { element / strides[$0] % shape[$0] } }
            return [.constant(Tensor(integers: places, shape: result, element: .int64))]
        },
        // Each number once, in the order in which they come first, and for each element its number's place there.
        TensorFlowRule("Unique") { node, _ in
            let list = try node.constant(0, "list")
            guard list.shape.rank == 1 else { throw Failure.wrongRank(1, list.shape) }
            var places: [Double: Int] = [:]
            var numbers: [Double] = []
            let indices = list.withElements { x in
                (0..<list.elementCount).map { index in
                    if let place = places[x[index]] { return place }
                    numbers.append(x[index])
                    places[x[index]] = numbers.count - 1
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
