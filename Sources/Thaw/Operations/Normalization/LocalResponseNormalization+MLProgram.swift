extension LocalResponseNormalization: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let size = 2 * radius + 1
        // As in the neural network layer: only a positive bias is known to be accepted.
        guard bias > 0 else { return writeParts(node, to: &block) }
        block.add(
            "local_response_norm", node,
            [
                "x": .value(node.input), "size": .integer(size), "alpha": .number(alpha * Float(size)),
                "beta": .number(beta), "k": .number(bias),
            ])
    }

    /// x · (bias + alpha · Σ x²) ^ −beta, with the sum computed by a convolution over the channels.
    private func writeParts(_ node: MILNode, to block: inout MILBlock) {
        let square = block.part("mul", node, "square", ["x": .value(node.input), "y": .value(node.input)])
        let channels = node.input.shape[1]
        let sum = block.part(
            "conv", node, "sum",
            [
                "x": .value(square), "weight": .constant(channelSums(channels).reshaped([channels, channels, 1, 1])),
                "bias": .constant(Tensor([Float](repeating: bias, count: channels), shape: [channels])),
                "strides": .integers([1, 1]), "pad_type": .text("valid"), "pad": .integers([0, 0, 0, 0]),
                "dilations": .integers([1, 1]), "groups": .integer(1),
            ])
        let factor = block.part("pow", node, "factor", ["x": .value(sum), "y": .number(-beta)])
        block.add("mul", node, ["x": .value(node.input), "y": .value(factor)])
    }
}

// MARK: Reading

extension LocalResponseNormalization {
    static let mil = [
        MILRule("local_response_norm") { op, reading in
            let image = try op.image()
            let size = try op.integer("size")
            guard size % 2 == 1, size > 0 else {
                throw op.refused("a window of \(size) channels is not supported", remedy: "an odd number is")
            }
            let normalization = LocalResponseNormalization(
                radius: Swift.min(size / 2, image.shape[1]), bias: try op.number("k", default: 1),
                alpha: try op.number("alpha", default: 1e-4) / Float(size),
                beta: try op.number("beta", default: 0.75))
            return [try reading.add(normalization, image, op)]
        }
    ]
}
