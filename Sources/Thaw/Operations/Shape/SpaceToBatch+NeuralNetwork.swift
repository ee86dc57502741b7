extension SpaceToBatch: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireExactArrays()
        try layers.addSteps(steps(node.input.shape), node)
    }
}

extension BatchToSpace: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireExactArrays()
        try layers.addSteps(steps(node.input.shape), node)
    }
}
