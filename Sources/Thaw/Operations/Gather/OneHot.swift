/// A vector for each index, with one value at the index and another elsewhere.
struct OneHot: Operation {
    /// The axis of the vectors in the result.
    var axis: Int
    /// The length of each vector.
    var depth: Int
    var on: Double
    var off: Double
    var element: ElementType

    var kind: String { "OneHot" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        var shape = inputs[0].shape.dimensions
        guard (0...shape.count).contains(axis) else { throw Failure.noSuchAxis(axis, of: inputs[0].shape) }
        shape.insert(depth, at: axis)
        return [TensorType(Shape(shape), element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let output = try! outputTypes(inputs.map(\.type))[0]
        let step = output.shape.strides[axis]
        let indices = inputs[0].integers
        return [
            Tensor(shape: output.shape, element: element) { element in
                let index = indices[element / step / depth * step + element % step]
                return element / step % depth == index ? on : off
            }
        ]
    }
}

// MARK: Facts

extension OneHot {
    var family: Family { .arrangement }
    var indexInput: Int? { 0 }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        .kept(axis < self.axis ? axis : axis + 1)
    }
}

// MARK: TensorFlow

extension OneHot {
    static let tensorFlow = [
        TensorFlowRule("OneHot", axes: .lost, roles: []) { node, context in
            let values = try (2...3).map { try node.constant($0, $0 == 2 ? "value at the index" : "value elsewhere") }
            guard values.allSatisfy({ $0.elementCount == 1 }) else {
                throw node.refused("the values at the index and elsewhere must be scalars")
            }
            let input = try node.input(0)
            let axis = try node.int("axis", default: -1)
            let depth = try node.integer(1, "depth")
            guard axis >= -1, depth >= 0 else { throw node.refused("there is no axis \(axis), or no depth \(depth)") }
            let numbers = values.map { $0.withElements { $0[0] } }
            var element = values[0].element
            if case .edge = input, element.isFloatingPoint { element = .float32 }
            let operation = OneHot(
                axis: axis == -1 ? input.shape.rank : axis, depth: depth, on: numbers[0], off: numbers[1],
                element: element)
            return [try context.add(operation, input, name: node.name)]
        }
    ]
}

// MARK: Core ML

extension OneHot: CoreMLOperation {
    /// Compares each index with all positions, and selects one value or the other.
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? {
        guard !parts.dialect.isProgram else { return nil }
        let index = inputs[0].type.element
        var shape = inputs[0].shape
        shape.dimensions.insert(1, at: axis)
        let positions = Tensor(
            shape: Shape([depth] + Array(repeating: 1, count: shape.rank - 1 - axis)), element: index
        ) { Double($0) }
        let column = try parts.add(Reshape(shape), inputs[0], as: "column")
        let isIndex = try parts.add(Binary(.equal, constant: positions), column, as: "is_index")
        let values = [on, off].map { Operand.constant(Tensor($0, element: element)) }
        return try parts.add(Select(), isIndex, values[0], values[1])
    }
}

// MARK: ML Program

extension OneHot: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let number = { MILArgument.constant(Tensor($0, element: node.output.element)) }
        block.add(
            "one_hot", node,
            [
                "indices": .value(node.input), "one_hot_vector_size": .integer(depth), "axis": .integer(axis),
                "on_value": number(on), "off_value": number(off),
            ])
    }
}

extension OneHot {
    static let mil = [
        MILRule("one_hot") { op, reading in
            let x = try op.operand("indices")
            let axis = try op.integer("axis", default: -1)
            let depth = try op.integer("one_hot_vector_size")
            guard depth >= 0 else { throw op.refused("the depth \(depth) is negative") }
            let values = try ["on_value", "off_value"].map { try op.has($0) ? op.constant($0) : nil }
            let element = values.compactMap { $0?.element }.first ?? .int32
            let operation = OneHot(
                axis: try x.shape.newAxis(axis), depth: depth,
                on: Double(try op.number("on_value", default: 1)),
                off: Double(try op.number("off_value", default: 0)), element: element)
            return [try reading.add(operation, x, op)]
        }
    ]
}

// MARK: Neural network

extension OneHot {
    static let neural = [
        NeuralRule("oneHot") { layer, reading in
            let x = try layer.input()
            let parameters = layer.parameters
            // The inputs are the indices, then the length and the values if they are not parameters.
            let (axis, size): (Int, Int) = (parameters.axis, parameters.oneHotVectorSize)
            let depth = try layer.inputs.count > 1 ? layer.integers(1).first ?? 0 : size
            guard depth > 0 else { throw layer.refused("the depth \(depth) is not positive") }
            let operation = OneHot(
                axis: try x.shape.newAxis(axis), depth: depth,
                on: Double(try layer.number(2, default: parameters.onValue)),
                off: Double(try layer.number(3, default: parameters.offValue)),
                element: .float32)
            return [try reading.add(operation, x, layer)]
        }
    ]
}
