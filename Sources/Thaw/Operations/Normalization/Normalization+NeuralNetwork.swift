extension Normalization: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool {
        inputs[0].shape.rank == 4 && axes == [2, 3] && channels(scale, 1, inputs[0].shape) != nil
            && channels(offset, 0, inputs[0].shape) != nil
    }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        let shape = node.input.shape
        if shape.rank == 4, axes == [2, 3], let scale = channels(scale, 1, shape),
            let offset = channels(offset, 0, shape)
        {
            return layers.add(node) { $0.writeInstance(epsilon, scale, offset) }
        }
        guard let scale = ofLastAxes(scale, 1, shape), let offset = ofLastAxes(offset, 0, shape) else {
            preconditionFailure("\(node.name) is not decomposed")
        }
        layers.add(node) { layer in
            layer.layerNormalization.normalizedShape = scale.shape.dimensions
            layer.layerNormalization.eps = epsilon
            layer.layerNormalization.gamma = .weights(scale)
            layer.layerNormalization.beta = .weights(offset)
        }
    }
}

extension Message {
    /// Configures a layer that normalizes each channel of each image.
    fileprivate mutating func writeInstance(_ epsilon: Float, _ scale: Tensor, _ offset: Tensor) {
        self.batchnorm.channels = scale.elementCount
        self.batchnorm.computeMeanVar = true
        self.batchnorm.instanceNormalization = true
        // 0 would select the default 1e-5.
        self.batchnorm.epsilon = epsilon == 0 ? Float.leastNonzeroMagnitude : epsilon
        self.batchnorm.gamma = .weights(scale)
        self.batchnorm.beta = .weights(offset)
    }
}

// MARK: Reading

extension Normalization {
    static let neural = [
        NeuralRule("layerNormalization") { layer, reading in
            let shape = try layer.input().shape
            let part: [Int] = layer.parameters.normalizedShape
            guard !part.isEmpty, part.count <= shape.rank, Array(shape.suffix(part.count)) == part else {
                throw layer.refused("a normalization of \(Shape(part)) does not fit a tensor of shape \(shape)")
            }
            let normalization = Normalization(
                axes: Array(shape.rank - part.count..<shape.rank), epsilon: layer.parameters.eps,
                scale: try layer.weights(layer.parameters.gamma, Shape(part)).unless(1),
                offset: try layer.weights(layer.parameters.beta, Shape(part)).unless(0))
            return [try reading.add(normalization, layer.input(), layer)]
        }
    ]

    /// Imports statistics that are computed for each image or for the batch: a mode of the layer `batchnorm`.
    static func read(_ layer: NeuralLayer, _ reading: inout ImportContext, channels: Int, epsilon: Float) throws
        -> Operand
    {
        let shape: Shape = [channels, 1, 1]
        let normalization = Normalization(
            axes: layer.parameters.instanceNormalization ? [2, 3] : [0, 2, 3], epsilon: epsilon,
            scale: try layer.weights(layer.parameters.gamma, shape).unless(1),
            offset: try layer.weights(layer.parameters.beta, shape).unless(0))
        return try reading.add(normalization, layer.input(), layer)
    }
}
