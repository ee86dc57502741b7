/// Tensors concatenated along an axis.
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

    /// Parameters for stacking tensors of this shape along a new axis, counted from either end of the result: the
    /// axis counted from the front, and the shape of each part with that axis.
    /// - Throws: `Failure` if there can be no such axis.
    static func stacking(_ shape: Shape, axis: Int) throws -> (axis: Int, part: Shape) {
        let index = try shape.newAxis(axis)
        var part = shape.dimensions
        part.insert(1, at: index)
        return (index, Shape(part))
    }

    /// Parameters for interleaving tensors along `axis`: the shape of each part with a new axis after that one, along
    /// which the parts are concatenated, and the shape of the result.
    /// - Throws: `Failure` if the shapes differ.
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
        // The parts of a variable are contiguous in the file and need no copy.
        if outer == 1, let storage = Tensor.Storage(adjoining: inputs.map(\.storage)) {
            return [Tensor(shape: output.shape, element: output.element, storage: storage)]
        }
        let storage = Tensor.Storage(byteCount: output.shape.elementCount * output.element.size) { memory in
            var offset = 0
            for row in 0..<outer {
                for input in inputs {
                    let length = input.bytes.count / Swift.max(1, outer)
                    guard length > 0 else { continue }
                    UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + length])
                        .copyMemory(
                            from: UnsafeRawBufferPointer(rebasing: input.bytes[row * length..<(row + 1) * length]))
                    offset += length
                    // Parts of a mapped file are released in turn, so that they are never all in memory along with
                    // the result.
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

// MARK: Facts

extension Concatenation {
    var family: Family { .arrangement }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        self.axis == axis ? .rearranged : .kept(axis)
    }

    func range(inputs count: Int, _ range: (Int) -> ClosedRange<Double>?) -> ClosedRange<Double>? {
        let known = (0..<count).compactMap(range)
        guard known.count == count, let low = known.map(\.lowerBound).min(),
            let high = known.map(\.upperBound).max()
        else { return nil }
        return low...high
    }

    func mergingAxes(_ inputs: [Shape], _ output: Shape) -> (operation: any Operation, groups: AxisGroups)? {
        let groups = AxisGroups(output) { $0 != axis && $1 != axis }
        return (Concatenation(axis: groups.firstIndex { $0.axes.contains(axis) }!), groups)
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        let isChannels = axis == outputs[0].shape.rank - 1
        return Caption("Concatenation", [isChannels ? "of channels" : "along axis \(axis)"])
    }
}

// MARK: TensorFlow

extension Concatenation {
    static let tensorFlow = [
        TensorFlowRule("ConcatV2", axes: .resized, roles: .map) { node, context in
            guard node.inputs.count >= 2 else { throw Failure.missingInput(node.name, node.op, 1, node.inputs.count) }
            return try concatenate(
                node, Array(node.inputs.dropLast()), axis: node.integer(node.inputs.count - 1, "axis"), &context)
        },
        TensorFlowRule("Concat", axes: .resized, roles: .map) { node, context in
            guard node.inputs.count >= 2 else { throw Failure.missingInput(node.name, node.op, 1, node.inputs.count) }
            return try concatenate(node, Array(node.inputs.dropFirst()), axis: node.integer(0, "axis"), &context)
        },
        TensorFlowRule("Pack", axes: .lost, roles: .pack) { node, context in
            let axis = try stacking(node.input(0).shape, axis: node.int("axis", default: 0)).axis
            let slices = try node.inputs.map { input in
                try context.add(Reshape(stacking(input.shape, axis: axis).part), input, name: node.name + "/slice")
            }
            return try concatenate(node, slices, axis: axis, &context)
        },
    ]

    private static func concatenate(
        _ node: TensorFlowNode, _ inputs: [Operand], axis: Int, _ context: inout ImportContext
    ) throws -> [Operand] {
        guard inputs.count > 1 else { return inputs }
        let concatenation = Concatenation(axis: try inputs[0].shape.axis(axis))
        let parts = inputs.filter { $0.shape.elementCount > 0 }
        guard !parts.isEmpty, parts.count < inputs.count else {
            return try context.add(concatenation, inputs, name: node.name)
        }
        _ = try concatenation.outputTypes(inputs.map(\.type))
        return parts.count == 1 ? parts : try context.add(concatenation, parts, name: node.name)
    }
}

// MARK: Core ML

extension ImportContext {
    /// Tensors interleaved along an axis: the first slices of all of them, then the second ones.
    mutating func interleaved(_ values: [Operand], axis: Int, _ node: some SourceNode) throws -> Operand {
        let steps = try naming(location: node.location) {
            try Concatenation.interleaving(values.map(\.shape), axis: axis)
        }
        let parts = try values.map { try add(Reshape(steps.part), $0, node) }
        return try add(Reshape(steps.result), add(Concatenation(axis: axis + 1), parts, node)[0], node)
    }

    /// Tensors concatenated along a new axis, counted from either end of the result.
    /// - Precondition: There is at least one.
    mutating func stacked(_ values: [Operand], axis: Int, _ node: some SourceNode) throws -> Operand {
        let (axis, shapes) = try naming(location: node.location) {
            let axis = try Concatenation.stacking(values[0].shape, axis: axis).axis
            return (axis, try values.map { try Concatenation.stacking($0.shape, axis: axis).part })
        }
        let parts = try zip(values, shapes).map { try add(Reshape($1), $0, node) }
        return try add(Concatenation(axis: axis), parts, node)[0]
    }
}

// MARK: Engine

extension Concatenation: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? { .concatenation(axis: axis) }
}

// MARK: Integers

extension Concatenation: QuantizedMovement {
    func integerOperation(zeroPoint: Int) -> (any Operation)? { self }
}
