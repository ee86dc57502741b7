extension Cast: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool { hasNoEffect(inputs[0].element) }

    /// Core ML's tensors are float32, so that only a cast of floating-point values to integers changes them.
    private func hasNoEffect(_ old: ElementType) -> Bool { element.bounds == nil || old.bounds != nil || old == .bool }

    /// Only truncates: `decompose` has clamped the values to the type.
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        guard !hasNoEffect(node.input.element), let bounds = element.bounds else { return layers.alias(node) }
        if bounds.lowerBound < 0 { return layers.addTruncation(node, node.input) }
        layers.add(node) { $0.choose("floor") }
    }
}

extension NeuralLayers {
    /// Adds the layers that truncate toward zero: the absolute values are rounded down and get their signs back.
    mutating func addTruncation(_ node: NeuralNode, _ input: NeuralBlob) {
        let magnitude = addPart(node, "magnitude", [input]) { $0.unary.type = "ABS" }
        let whole = addPart(node, "whole", [magnitude]) { $0.choose("floor") }
        let sign = addPart(node, "sign", [input]) { $0.choose("sign") }
        add(node.name, [whole, sign], node.outputs) { $0.choose("multiply") }
    }
}
