/// Slices of an array along an axis, taken by their places.
///
/// Inputs: the array, and the places, of at least one axis, whose shape takes that of the axis. What is taken from outside the
/// array is 0.
struct Gather: Operation {
    /// Counted from the front.
    var axis: Int
    /// Whether negative places count from the end, as Core ML's do; to TensorFlow they lie outside.
    var countsFromEnd = false

    var kind: String { "Gather" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let shape = inputs[0].shape
        guard shape.indices.contains(axis) else { throw Failure.noSuchAxis(axis, of: shape) }
        let result = Shape(Array(shape.prefix(axis)) + inputs[1].shape.dimensions + Array(shape.dropFirst(axis + 1)))
        return [TensorType(result, inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let output = try! outputTypes(inputs.map(\.type))[0]
        let size = inputs[0].shape[axis]
        let step = inputs[0].shape.strides[axis]
        let places = inputs[1].integers.map { countsFromEnd && $0 < 0 ? $0 + size : $0 }
        return inputs[0].withElements { x in
            [
                Tensor(shape: output.shape, element: output.element) { element in
                    let row = element / step
                    let place = places[row % places.count]
                    return (0..<size).contains(place)
                        ? x[(row / places.count * size + place) * step + element % step] : 0
                }
            ]
        }
    }
}

// MARK: TensorFlow

extension Gather {
    static let tensorFlow = [
        TensorFlowRule("Gather", "GatherV2") { node, context in
            let input = try node.input(0)
            let axis = node.op == "GatherV2" ? try input.shape.axis(try node.integer(2, "axis")) : 0
            let places = try node.input(1)
            try check(node, places, size: input.shape.indices.contains(axis) ? input.shape[axis] : 0)
            let batches = try node.int("batch_dims", default: 0)
            if batches != 0 {
                let count = batches < 0 ? batches + places.shape.rank : batches
                return [try context.gather(node, axis: axis, batches: count)]
            }
            guard places.shape.rank == 0 else {
                return try context.add(Gather(axis: axis), [input, places], name: node.name)
            }
            // One place: its axis goes.
            let list = try context.add(Reshape([1]), places, name: node.name + "/place")
            let slice = try context.add(Gather(axis: axis), [input, list], name: node.name)[0]
            var shape = slice.shape.dimensions
            shape.remove(at: axis)
            return [try context.add(Reshape(Shape(shape)), slice, name: node.name + "/shape")]
        }
    ]

    private static func check(_ node: TensorFlowNode, _ places: Operand, size: Int) throws {
        guard let outside = places.constant?.integers.first(where: { !(0..<size).contains($0) }) else { return }
        throw node.refused("place \(outside) lies outside the array", remedy: "its axis has \(size) elements")
    }
}

extension ImportContext {
    /// Slices along `axis`, whose places differ along the first axes that array and places share.
    ///
    /// The batches become one long axis, and each batch's places begin where it does.
    fileprivate mutating func gather(_ node: TensorFlowNode, axis: Int, batches: Int) throws -> Operand {
        let (input, places) = (try node.input(0), try node.input(1))
        let shape = input.shape
        guard (0...places.shape.rank).contains(batches), batches <= axis,
            shape.prefix(batches).elementsEqual(places.shape.prefix(batches))
        else {
            throw node.refused(
                "arrays of shapes \(shape) and \(places.shape) do not share their first \(batches) axes")
        }
        let (between, behind) = (Array(batches..<axis), Array(axis + 1..<shape.rank))
        let count = shape.prefix(batches).reduce(1, *)
        let rest = (between + behind).map { shape[$0] }
        var turned = input
        if axis != batches {
            let order = Array(0..<batches) + [axis] + between + behind
            turned = try add(Transpose(order), input, name: node.name + "/turn")
        }
        let long = try add(Reshape(Shape([count * shape[axis]] + rest)), turned, name: node.name + "/long")
        let starts = Tensor(
            integers: (0..<count).map { $0 * shape[axis] },
            shape: Shape(shape.prefix(batches) + Array(repeating: 1, count: places.shape.rank - batches)),
            element: places.type.element)
        let moved = try combine(.add, places, .constant(starts), name: node.name + "/places")
        let slices = try add(Gather(axis: 0), [long, moved], name: node.name)[0]
        guard !between.isEmpty else { return slices }
        let rank = places.shape.rank
        let order =
            Array(0..<batches) + between.indices.map { rank + $0 } + Array(batches..<rank)
            + behind.indices.map { rank + between.count + $0 }
        return try add(Transpose(order), slices, name: node.name + "/order")
    }
}
