extension Cast: NeuralOperation {
    /// Core ML's tensors are float32. If the new type contains all values of the old one, there is nothing to do.
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        if element == .bool { return try Binary(.notEqual, constant: Tensor(0)).write(node, to: &layers) }
        guard let bounds = element.bounds, node.input.element != .bool else { return layers.alias(node) }
        if let own = node.input.element.bounds, bounds.contains(own.lowerBound), bounds.contains(own.upperBound) {
            return layers.alias(node)
        }
        let isWhole = node.input.element.bounds != nil
        // The bounds of 32-bit and larger types are out of reach for float32 tensors.
        let isNarrow = element.size < 4
        guard isNarrow || bounds.lowerBound == 0 || !isWhole else { return layers.alias(node) }
        try layers.requireExactArrays()
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
