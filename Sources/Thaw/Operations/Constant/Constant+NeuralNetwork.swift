extension Constant: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireExactArrays()
        layers.add(node) { layer in
            layer.loadConstantND.shape = value.shape.rank == 0 ? [1] : value.shape.dimensions
            layer.loadConstantND.data = .weights(value)
        }
    }
}

// MARK: Reading

extension Constant {
    static let neural = [
        NeuralRule("loadConstantND", "loadConstant") { layer, reading in
            var shape = Shape(layer.parameters.shape as [Int])
            let value = try layer.weights(layer.parameters.data, shape)
            // The older layer gives channel, height and width.
            if layer.kind == "loadConstant" { shape = Shape([1] + shape.dimensions) }
            return [try reading.add(Constant(value.reshaped(shape)), [], layer)]
        },
        NeuralRule("copy") { layer, _ in [try layer.input()] },
    ]
}
