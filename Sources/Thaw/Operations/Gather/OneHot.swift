/// A vector for each index: one number at the index's place, another elsewhere.
struct OneHot: Operation {
    /// Where the vectors' axis stands in the result.
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
            Tensor(shape: output.shape, element: element) { place in
                let index = indices[place / step / depth * step + place % step]
                return place / step % depth == index ? on : off
            }
        ]
    }
}

// MARK: TensorFlow

extension OneHot {
    static let tensorFlow = [
        TensorFlowRule("OneHot") { node, context in
            let values = try (2...3).map { try node.constant($0, $0 == 2 ? "value at the index" : "value elsewhere") }
            guard values.allSatisfy({ $0.elementCount == 1 }) else {
                throw node.refused("the values at the index and elsewhere must be single numbers")
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
