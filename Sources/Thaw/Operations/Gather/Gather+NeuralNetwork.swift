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
        },
        NeuralRule("embedding") { layer, reading in
            let indices = try layer.input()
            let (count, width): (Int, Int) = (layer.parameters.inputDim, layer.parameters.outputChannels)
            guard indices.shape.rank >= 4, indices.shape.suffix(3).allSatisfy({ $0 == 1 }) else {
                throw layer.refused("indices of shape \(indices.shape) do not end with three axes of size 1")
            }
            let rows = try reading.reshaped(indices, Shape(indices.shape.dropLast(3)), layer)
            let vectors = try reading.embedded(rows, count, width, layer)
            return [try reading.reshaped(vectors, Shape(vectors.shape.dimensions + [1, 1]), layer)]
        },
        NeuralRule("embeddingND") { layer, reading in
            let indices = try layer.input()
            let (count, width): (Int, Int) = (layer.parameters.vocabSize, layer.parameters.embeddingSize)
            guard indices.shape.rank >= 2, indices.shape.last == 1 else {
                throw layer.refused("indices of shape \(indices.shape) do not end with an axis of size 1")
            }
            let rows = try reading.reshaped(indices, Shape(indices.shape.dropLast()), layer)
            return [try reading.embedded(rows, count, width, layer)]
        },
    ]
}

extension ImportContext {
    /// The row of the layer's weights for each index, plus the bias.
    fileprivate mutating func embedded(
        _ indices: Operand, _ count: Int, _ width: Int, _ layer: NeuralLayer
    ) throws -> Operand {
        guard count > 0, width > 0 else { throw layer.refused("there are \(count) vectors of \(width) elements") }
        let weights = try layer.weights(layer.parameters["weights"], [width, count])
        let table = try add(Transpose([1, 0]), .constant(weights), layer)
        let vectors = try add(Gather(axis: 0), [table, indices], layer)[0]
        guard layer.parameters.hasBias as Bool else { return vectors }
        let bias = try layer.weights(layer.parameters["bias"], [width])
        return try combine(.add, vectors, .constant(bias), layer)
    }
}
