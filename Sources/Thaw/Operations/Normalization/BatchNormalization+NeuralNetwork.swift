extension BatchNormalization: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool { true }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        let channels = scale.elementCount
        layers.add(node) { layer in
            layer.scale.shapeScale = [channels, 1, 1]
            layer.scale.scale = .weights(scale)
            layer.scale.hasBias = true
            layer.scale.shapeBias = [channels, 1, 1]
            layer.scale.bias = .weights(offset)
        }
    }
}

// MARK: Reading

extension BatchNormalization {
    static let neural = [
        NeuralRule(onImages: "batchnorm") { layer, reading in
            let parameters = layer.parameters
            let channels: Int = parameters.channels
            let shape = try layer.input().shape
            guard shape[1] == channels else {
                throw layer.refused("\(channels) channels do not fit a tensor of shape \(shape)")
            }
            // An unset epsilon defaults to 1e-5.
            let given: Float = parameters.epsilon
            let epsilon = given == 0 ? 1e-5 : given
            if parameters.computeMeanVar {
                return [try Normalization.read(layer, &reading, channels: channels, epsilon: epsilon)]
            }
            let values = try ["gamma", "beta", "mean", "variance"].map {
                try layer.weights(parameters[$0], [channels]).floats
            }
            let normalization = BatchNormalization(
                gamma: values[0], beta: values[1], mean: values[2], variance: values[3], epsilon: epsilon)
            return [try reading.add(normalization, layer.input(), layer)]
        }
    ]
}
