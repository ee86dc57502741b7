extension Constant: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        layers.add(node) { layer in
            layer.loadConstantND.shape = value.shape.rank == 0 ? [1] : value.shape.dimensions
            layer.loadConstantND.data = .weights(value)
        }
    }
}

extension Constant {
    static let neural = [
        NeuralRule("loadConstantND", "loadConstant") { layer, _ in
            var shape = Shape(layer.parameters.shape as [Int])
            let value = try layer.weights(layer.parameters.data, shape)
            // The older layer specifies channel, height and width.
            if layer.kind == "loadConstant" { shape = Shape([1] + shape.dimensions) }
            return [.constant(value.reshaped(shape))]
        },
        NeuralRule("copy") { layer, _ in [try layer.input()] },
    ]
}
