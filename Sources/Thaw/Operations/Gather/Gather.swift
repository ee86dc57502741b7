/// Slices of a tensor along an axis, selected by indices.
///
/// Inputs: the tensor, and the indices, of rank 1 or more, whose shape replaces the axis. Slices that are out of
/// bounds are 0.
struct Gather: Operation {
    /// Counted from the front.
    var axis: Int
    /// Whether negative indices count from the end, as in Core ML. In TensorFlow they are out of bounds.
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
        let indices = inputs[1].integers.map { countsFromEnd && $0 < 0 ? $0 + size : $0 }
        return inputs[0].withElements { x in
            [
                Tensor(shape: output.shape, element: output.element) { element in
                    let row = element / step
                    let index = indices[row % indices.count]
                    return (0..<size).contains(index)
                        ? x[(row / indices.count * size + index) * step + element % step] : 0
                }
            ]
        }
    }
}

// MARK: Facts

extension Gather {
    var family: Family { .arrangement }
    var indexInput: Int? { 1 }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        if input == 1 { return .kept(self.axis + axis) }
        if axis == self.axis { return .rearranged }
        return .kept(axis < self.axis ? axis : axis - 1 + inputs[1].shape.rank)
    }

    func slices(of shape: Shape, at indices: Tensor) -> (axis: Int, ranges: [Range<Int>])? {
        guard indices.shape.rank == 1 else { return nil }
        let size = shape[axis]
        var ranges: [Range<Int>] = []
        for index in indices.integers {
            let index = countsFromEnd && index < 0 ? index + size : index
            guard (0..<size).contains(index) else { return nil }
            if let last = ranges.last, last.upperBound == index {
                ranges[ranges.count - 1] = last.lowerBound..<index + 1
            } else {
                ranges.append(index..<index + 1)
            }
        }
        return (axis, ranges)
    }
}

// MARK: TensorFlow

extension Gather {
    static let tensorFlow = [
        TensorFlowRule("Gather", "GatherV2", axes: .selected, roles: []) { node, context in
            let input = try node.input(0)
            let axis = node.op == "GatherV2" ? try input.shape.axis(try node.integer(2, "axis")) : 0
            let indices = try node.input(1)
            try check(node, indices, size: input.shape.indices.contains(axis) ? input.shape[axis] : 0)
            let batches = try node.int("batch_dims", default: 0)
            if batches != 0 {
                let count = batches < 0 ? batches + indices.shape.rank : batches
                guard Gather.shareBatches(input.shape, indices.shape, count, axis: axis) else {
                    throw node.refused(
                        "tensors of shapes \(input.shape) and \(indices.shape) do not share their first \(count) axes")
                }
                return [try context.gather(input, indices, axis: axis, batches: count, name: node.name)]
            }
            return [
                try context.gathered(input, at: indices, Gather(axis: axis), node, parts: ("/index", "/shape"))
            ]
        }
    ]

    private static func check(_ node: TensorFlowNode, _ indices: Operand, size: Int) throws {
        guard let outside = indices.constant?.integers.first(where: { !(0..<size).contains($0) }) else { return }
        throw node.refused("index \(outside) is out of bounds", remedy: "its axis has \(size) elements")
    }
}

extension Gather {
    /// Whether a tensor and its indices have the same first axes, all of them before `axis`.
    static func shareBatches(_ shape: Shape, _ indices: Shape, _ batches: Int, axis: Int) -> Bool {
        (0...indices.rank).contains(batches) && batches <= axis
            && shape.prefix(batches).elementsEqual(indices.prefix(batches))
    }
}

extension ImportContext {
    /// Slices at indices. If there is a single index, the axis is removed.
    /// - Parameter parts: What is appended to the node's name for the list of a single index and for its slice.
    mutating func gathered(
        _ x: Operand, at indices: Operand, _ gather: Gather, _ node: some SourceNode,
        parts: (list: String, slice: String) = ("", "")
    ) throws -> Operand {
        guard indices.shape.rank == 0 else { return try add(gather, [x, indices], node)[0] }
        let list = try add(Reshape([1]), [indices], name: node.name + parts.list, location: node.location)[0]
        let slice = try add(gather, [x, list], node)[0]
        var shape = slice.shape.dimensions
        shape.remove(at: gather.axis)
        return try add(Reshape(Shape(shape)), [slice], name: node.name + parts.slice, location: node.location)[0]
    }

    /// Slices along `axis`, with separate indices for each entry of the leading axes that tensor and indices share.
    ///
    /// The batch axes are merged into one long axis, and each batch's indices are offset to where it starts.
    /// - Precondition: `Gather.shareBatches`, and constant indices are within bounds.
    mutating func gather(
        _ input: Operand, _ indices: Operand, axis: Int, batches: Int, name: String
    ) throws -> Operand {
        let shape = input.shape
        let (between, after) = (Array(batches..<axis), Array(axis + 1..<shape.rank))
        let count = shape.prefix(batches).reduce(1, *)
        guard count <= Self.largestConstant else { throw Failure.constantTooLarge([count]).at(name) }
        let rest = (between + after).map { shape[$0] }
        var transposed = input
        if axis != batches {
            let order = Array(0..<batches) + [axis] + between + after
            transposed = try add(Transpose(order), input, name: name + "/turn")
        }
        let merged = try add(Reshape(Shape([count * shape[axis]] + rest)), transposed, name: name + "/long")
        let starts = Tensor(
            integers: (0..<count).map { $0 * shape[axis] },
            shape: Shape(shape.prefix(batches) + Array(repeating: 1, count: indices.shape.rank - batches)),
            element: indices.type.element)
        var offsetIndices = try combine(.add, indices, .constant(starts), name: name + "/indices")
        if count > 1, indices.constant == nil {
            // An index that is out of bounds must not reach another entry. Negative indices may count from the end.
            func bound(_ index: Int) -> Operand { .constant(Tensor(Double(index), element: indices.type.element)) }
            let isInside = try add(
                Binary(.and),
                [
                    combine(.greaterOrEqual, indices, bound(0), name: name + "/inside"),
                    combine(.less, indices, bound(shape[axis]), name: name + "/inside"),
                ], name: name + "/inside")[0]
            offsetIndices = try add(
                Select(), [isInside, offsetIndices, bound(count * shape[axis])], name: name + "/bounded")[0]
        }
        let slices = try add(Gather(axis: 0), [merged, offsetIndices], name: name)[0]
        guard !between.isEmpty else { return slices }
        let rank = indices.shape.rank
        let order =
            Array(0..<batches) + between.indices.map { rank + $0 } + Array(batches..<rank)
            + after.indices.map { rank + between.count + $0 }
        return try add(Transpose(order), slices, name: name + "/order")
    }
}
