extension Cast: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool { isNothing(inputs[0].element) }

    /// Core ML's tensors are float32. If the new type contains all values of the old one, there is nothing to do.
    private func isNothing(_ old: ElementType) -> Bool {
        guard let bounds = element.bounds, old != .bool else { return true }
        guard let own = old.bounds else { return false }
        if bounds.contains(own.lowerBound), bounds.contains(own.upperBound) { return true }
        // The bounds of 32-bit and larger types are out of reach for float32 tensors.
        return element.size >= 4 && bounds.lowerBound != 0
    }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        guard !isNothing(node.input.element), let bounds = element.bounds else { return layers.alias(node) }
        let isWhole = node.input.element.bounds != nil
        let isNarrow = element.size < 4
        if !isNarrow, bounds.lowerBound < 0 { return layers.addTruncation(node, node.input) }
        func hold(_ layer: inout Message) {
            if isNarrow {
                layer.clip.minVal = Float(bounds.lowerBound)
                layer.clip.maxVal = Float(bounds.upperBound)
            } else {
                layer.unary.type = "THRESHOLD"
            }
        }
        if isWhole { return layers.add(node, hold) }
        let held = layers.addPart(node, "held", node.inputs, hold)
        if bounds.lowerBound < 0 { return layers.addTruncation(node, held) }
        layers.add(node.name, [held], node.outputs) { $0.choose("floor") }
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
