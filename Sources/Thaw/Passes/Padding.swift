extension Graph {
    /// Folds zero padding into the convolution that reads it, or into average pooling that counts its padding.
    func withFusedPadding() throws -> Graph {
        guard nodes.contains(where: { $0.operation.border != nil }) else { return self }
        return try rebuilt { node, inputs, builder in
            guard let input = inputs.first, let producer = builder.producer(of: input),
                let border = producer.operation.border, let fused = node.operation.padded(by: border)
            else { return nil }
            return try builder.add(fused, [producer.inputs[0]] + inputs.dropFirst(), name: node.name)
        }
    }
}
