/// Arithmetic on integers of 8 or 16 bits, which wraps around on overflow. It is computed in 32 bits, and the result is
/// wrapped to the short type.
struct ShortIntegers {
    private let element: ElementType
    private let node: TensorFlowNode

    /// - Returns: nil for all other nodes.
    init?(_ node: TensorFlowNode) {
        guard let element = node.inputs.first?.type.element, let bounds = element.bounds else { return nil }
        self.node = node
        if node.definition.has(.mayOverflow), element.size < 4 {
            self.element = element
        } else if node.definition.has(.cast), let target = try? node.element("DstT"), target.size < 4,
            let own = target.bounds,
            !own.contains(bounds.lowerBound) || !own.contains(bounds.upperBound)
        {
            // Floats are clamped to the bounds; integers wrap around.
            self.element = target
        } else {
            return nil
        }
    }

    /// - Throws: `Failure` if a node computes with the integers of an image, which is floating point here, and results would
    ///   wrap around or be rounded down.
    static func checkImage(_ node: TensorFlowNode, _ rule: TensorFlowRule, _ context: ImportContext) throws {
        guard let element = elementOfImage(node), let bounds = element.bounds, node.definition.has(.mayOverflow),
            try !stays(within: bounds, node, rule, context)
        else { return }
        throw node.refused(
            "it computes with \(element.rawValue) values, but the image is floating point",
            remedy: "\(option: .input) NODE selects a node after a cast to floating point")
    }

    /// The node with its constants in floating point like the image that it computes with.
    static func matchingImage(_ node: TensorFlowNode) -> TensorFlowNode {
        guard let element = elementOfImage(node) else { return node }
        let inputs = node.inputs.map { input in
            guard let constant = input.constant, constant.element == element else { return input }
            return .constant(constant.converted(to: .float32))
        }
        return TensorFlowNode(definition: node.definition, inputs: inputs)
    }

    /// The short integer type of a node that computes with an image, which is floating point here; nil for other nodes.
    private static func elementOfImage(_ node: TensorFlowNode) -> ElementType? {
        guard let element = node.definition.type("T")?.element,
            element.bounds != nil, element.size < 4,
            node.inputs.contains(where: { $0.constant == nil && $0.type.element.isFloatingPoint })
        else { return nil }
        return element
    }

    /// Whether the results for all values of the type are values of the type: of 255 − x, but not of x + 1.
    private static func stays(
        within bounds: ClosedRange<Double>, _ node: TensorFlowNode, _ rule: TensorFlowRule, _ context: ImportContext
    ) throws -> Bool {
        // Arithmetic on a value and a constant is monotonic, so the extreme values decide. Integers are axes.
        guard node.inputs.count == 2, node.inputs.allSatisfy(\.type.element.isFloatingPoint),
            node.inputs.count(where: { $0.constant != nil }) == 1
        else { return false }
        var context = context
        return try [bounds.lowerBound, bounds.upperBound].allSatisfy { extreme in
            let inputs = node.inputs.map { $0.constant == nil ? Operand.constant(Tensor(extreme)) : $0 }
            let results = try rule.build(TensorFlowNode(definition: node.definition, inputs: inputs), &context)
            return results[0].constant.map { $0.floats.allSatisfy { bounds.contains(Double($0)) } } ?? false
        }
    }

    /// The results of the node.
    func build(_ rule: TensorFlowRule, _ context: inout ImportContext) throws -> [Operand] {
        let wide = try context.widened(node, to: .int32) { $0.bounds != nil && $0.size < 4 }
        if node.definition.has(.cast) { return [try wrapped(wide[0], &context)] }
        return try rule.build(TensorFlowNode(definition: node.definition, inputs: wide), &context).map {
            try wrapped($0, &context)
        }
    }

    private func wrapped(_ operand: Operand, _ context: inout ImportContext) throws -> Operand {
        let wrapped = try context.wrapped(operand, to: element.bounds!, name: node.name)
        return try context.add(Cast(element: element), wrapped, name: node.name + "/short")
    }
}
