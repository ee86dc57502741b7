/// Arrays one after another along an axis.
struct Concatenation: Operation {
    /// Counted from the front.
    var axis: Int

    var kind: String { "Concatenation" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        var shape = inputs[0].shape
        guard shape.indices.contains(axis) else { throw Failure.noSuchAxis(axis, of: shape) }
        for input in inputs.dropFirst() {
            var expected = shape
            guard input.shape.rank == shape.rank else { throw Failure.shapesDiffer(shape, input.shape) }
            expected[axis] = input.shape[axis]
            guard input.shape == expected else { throw Failure.shapesDiffer(shape, input.shape) }
            guard input.element == inputs[0].element else {
                throw Failure.elementTypesDiffer(inputs[0].element.rawValue, input.element.rawValue)
            }
            shape[axis] += input.shape[axis]
        }
        return [TensorType(shape, inputs[0].element)]
    }

    /// Of arrays of this shape that are laid beside one another along a new axis, counted from either end of the result: its
    /// place from the front, and the shape of each with it.
    /// - Throws: `Failure` where there can be no such axis.
    static func stacking(_ shape: Shape, axis: Int) throws -> (axis: Int, part: Shape) {
        guard (-shape.rank - 1...shape.rank).contains(axis) else { throw Failure.noSuchAxis(axis, of: shape) }
        let place = axis < 0 ? axis + shape.rank + 1 : axis
        var part = shape.dimensions
        part.insert(1, at: place)
        return (place, Shape(part))
    }

    /// Of arrays that give one place of `axis` each in turn: the shape in which each is laid beside the others along an axis
    /// behind that one, and the shape of them all.
    /// - Throws: `Failure` where they are not of one shape.
    static func interleaving(_ shapes: [Shape], axis: Int) throws -> (part: Shape, result: Shape) {
        guard let first = shapes.first else { throw Failure.noSuchAxis(axis, of: []) }
        if let other = shapes.first(where: { $0 != first }) { throw Failure.shapesDiffer(first, other) }
        var result = first
        result[axis] *= shapes.count
        return (try stacking(first, axis: axis + 1).part, result)
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let output = try! outputTypes(inputs.map(\.type))[0]
        let outer = output.shape.prefix(axis).reduce(1, *)
        // The parts of a variable, as they lie in the file: no need for a copy.
        if outer == 1, let storage = Tensor.Storage(adjoining: inputs.map(\.storage)) {
            return [Tensor(shape: output.shape, element: output.element, storage: storage)]
        }
        let storage = Tensor.Storage(byteCount: output.shape.elementCount * output.element.size) { memory in
            var place = 0
            for row in 0..<outer {
                for input in inputs {
                    let length = input.bytes.count / Swift.max(1, outer)
                    guard length > 0 else { continue }
                    UnsafeMutableRawBufferPointer(rebasing: memory[place..<place + length])
                        .copyMemory(
                            from: UnsafeRawBufferPointer(rebasing: input.bytes[row * length..<(row + 1) * length]))
                    place += length
                    // Parts of a mapped file, one behind the other: there is no need for all of them and the whole at once.
                    if outer == 1 { input.storage.release() }
                }
            }
        }
        return withExtendedLifetime(inputs) { [Tensor(shape: output.shape, element: output.element, storage: storage)] }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        let identity = Array(0..<inputs[0].shape.rank)
        let order = orders.first { $0 != identity } ?? identity
        let all = orders.map { _ in order }
        return Reordered(Concatenation(axis: order.firstIndex(of: axis)!), inputs: all, outputs: [order])
    }
}

// MARK: TensorFlow

extension Concatenation {
    static let tensorFlow = [
        TensorFlowRule("ConcatV2") { node, context in
            guard node.inputs.count >= 2 else { throw Failure.missingInput(node.name, node.op, 1, node.inputs.count) }
            return try join(
                node, Array(node.inputs.dropLast()), axis: node.integer(node.inputs.count - 1, "axis"), &context)
        },
        TensorFlowRule("Concat") { node, context in
            guard node.inputs.count >= 2 else { throw Failure.missingInput(node.name, node.op, 1, node.inputs.count) }
            return try join(node, Array(node.inputs.dropFirst()), axis: node.integer(0, "axis"), &context)
        },
        TensorFlowRule("Pack") { node, context in
            let shape = try node.input(0).shape
            let axis = try node.int("axis", default: 0)
            guard axis >= -shape.rank - 1, axis <= shape.rank else { throw Failure.noSuchAxis(axis, of: shape) }
            let place = axis < 0 ? axis + shape.rank + 1 : axis
            let slices = try node.inputs.map { input in
                var sizes = input.shape.dimensions
                guard sizes.count >= place else { throw Failure.shapesDiffer(shape, input.shape) }
                sizes.insert(1, at: place)
                return try context.add(Reshape(Shape(sizes)), input, name: node.name + "/slice")
            }
            return try join(node, slices, axis: place, &context)
        },
    ]

    private static func join(
        _ node: TensorFlowNode, _ inputs: [Operand], axis: Int, _ context: inout ImportContext
    ) throws -> [Operand] {
        guard inputs.count > 1 else { return inputs }
        return try context.add(Concatenation(axis: try inputs[0].shape.axis(axis)), inputs, name: node.name)
    }
}

// MARK: Engine

extension Concatenation: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? { .concatenation(axis: axis) }
}
