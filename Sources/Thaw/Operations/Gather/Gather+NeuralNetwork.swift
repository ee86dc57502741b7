extension Gather: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        layers.add(node) { $0.gather.axis = axis }
    }
}

// MARK: Reading

extension Gather {
    static let neural = [
        NeuralRule("gather") { layer, reading in
            let axis = try layer.input().shape.axis(layer.parameters.axis)
            return try reading.add(Gather(axis: axis, countsFromEnd: true), [layer.input(), layer.input(1)], layer)
        }
    ]
}
