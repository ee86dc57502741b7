/// The elements as another type; a fraction is cut off where integers are wanted.
struct Cast: Operation {
    var element: ElementType

    var kind: String { "Cast" }
    var isElementwise: Bool { true }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] { [TensorType(inputs[0].shape, element)] }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        inputs[0].withElements { x in [Tensor(shape: inputs[0].shape, element: element) { x[$0] }] }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        Reordered(self, inputs: orders, outputs: orders)
    }
}

// MARK: TensorFlow

extension Cast {
    static let tensorFlow = [
        TensorFlowRule("Cast") { node, context in
            let input = try node.input(0)
            var element = try node.element("DstT")
            // The graph computes fractions in one precision.
            if case .edge = input, element.isFloatingPoint { element = .float32 }
            return [
                input.type.element == element ? input : try context.add(Cast(element: element), input, name: node.name)
            ]
        }
    ]
}
