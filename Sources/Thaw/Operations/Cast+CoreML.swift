extension Cast: NeuralOperation {
    /// Arrays are float32 to Core ML: from integers and truth values there is nothing to do.
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        if element == .bool { return try Binary(.notEqual, constant: Tensor(0)).write(node, to: &layers) }
        guard element.isFloatingPoint else {
            throw Failure.cannotWriteOperation(node.name, kind + " to \(element.rawValue)")
        }
        layers.alias(node)
    }
}
