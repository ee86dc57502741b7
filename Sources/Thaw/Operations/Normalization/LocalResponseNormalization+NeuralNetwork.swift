extension LocalResponseNormalization: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool { true }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        let size = 2 * radius + 1
        layers.add(node) { layer in
            layer.lrn.localSize = size
            layer.lrn.alpha = alpha * Float(size)
            layer.lrn.beta = beta
            layer.lrn.k = bias
        }
    }
}

// MARK: Reading

extension LocalResponseNormalization {
    static let neural = [
        NeuralRule(onImages: "lrn") { layer, reading in
            let shape = try layer.input().shape
            let parameters = layer.parameters
            let size: Int = parameters.localSize
            guard size % 2 == 1, size > 0, size < 1 << 24 else {
                throw layer.refused("a window of \(size) channels is not supported", remedy: "expected an odd number")
            }
            // 0 selects the default.
            let bias: Float = parameters.k
            let normalization = LocalResponseNormalization(
                radius: Swift.min(size / 2, shape[1]), bias: bias == 0 ? 1 : bias,
                alpha: parameters.alpha as Float / Float(size), beta: parameters.beta)
            return [try reading.add(normalization, layer.input(), layer)]
        }
    ]
}
