extension LocalResponseNormalization: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        let size = 2 * radius + 1
        // The layer accepts only a positive bias.
        guard bias > 0 else { return writeParts(node, to: &layers) }
        layers.add(node) { layer in
            layer.lrn.localSize = size
            layer.lrn.alpha = alpha * Float(size)
            layer.lrn.beta = beta
            layer.lrn.k = bias
        }
    }

    /// x · (bias + alpha · Σ x²) ^ −beta, with the sum computed by a convolution over the channels.
    private func writeParts(_ node: NeuralNode, to layers: inout NeuralLayers) {
        let channels = node.input.shape[1]
        let square = layers.addPart(node, "square", [node.input, node.input]) { $0.choose("multiply") }
        let sum = layers.addPart(node, "sum", [square]) { layer in
            layer.convolution.outputChannels = channels
            layer.convolution.kernelChannels = channels
            layer.convolution.nGroups = 1
            layer.convolution.kernelSize = [1, 1]
            layer.convolution.stride = [1, 1]
            layer.convolution.dilationFactor = [1, 1]
            layer.convolution.choose("valid")
            layer.convolution.weights = .weights(channelSums(channels))
            layer.convolution.hasBias = true
            layer.convolution.bias = .weights(Tensor([Float](repeating: bias, count: channels), shape: [channels]))
        }
        let factor = layers.addPart(node, "factor", [sum]) { $0.writePower(-beta) }
        layers.add(node.name, [node.input, factor], node.outputs) { $0.choose("multiply") }
    }

    /// The matrix that computes from squares their weighted sums over the surrounding channels.
    func channelSums(_ channels: Int) -> Tensor {
        Tensor(shape: [channels, channels]) { weights in
            for i in 0..<weights.count { weights[i] = abs(i / channels - i % channels) <= radius ? alpha : 0 }
        }
    }
}

// MARK: Reading

extension LocalResponseNormalization {
    static let neural = [
        NeuralRule("lrn") { layer, reading in
            let shape = reading.shape(try layer.input())
            let parameters = layer.parameters
            let size: Int = parameters.localSize
            guard shape.rank == 4 else { throw Failure.wrongRank(4, shape).at(layer.name) }
            guard size % 2 == 1, size > 0, size < 1 << 24 else {
                throw layer.refused("a window of \(size) channels is not supported", remedy: "an odd number is")
            }
            // 0 selects the default.
            let bias: Float = parameters.k
            let normalization = LocalResponseNormalization(
                radius: Swift.min(size / 2, shape[1]), bias: bias == 0 ? 1 : bias,
                alpha: parameters.alpha as Float / Float(size), beta: parameters.beta)
            return [try reading.add(normalization, [layer.input()], layer)]
        }
    ]
}
