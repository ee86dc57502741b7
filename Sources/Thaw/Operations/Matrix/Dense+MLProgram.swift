extension Dense: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let outputs = matrix.shape[1]
        // There is always a bias, as coremltools writes it.
        block.add(
            "linear", node,
            [
                "x": .value(node.input), "weight": .weights(matrix, order: [1, 0]),
                "bias": .constant(bias ?? Tensor([Float](repeating: 0, count: outputs), shape: [outputs])),
            ])
    }
}

// MARK: Reading

extension Dense {
    static let mil = [
        MILRule("linear") { op, reading in
            let x = try op.operand()
            let weights = try op.constant("weight")
            guard weights.shape.rank == 2, x.shape.last == weights.shape[1], weights.elementCount > 0 else {
                throw op.refused("weights of shape \(weights.shape) do not fit a tensor of shape \(x.shape)")
            }
            let outputs = weights.shape[0]
            var dense = Dense(matrix: weights.transposed([1, 0]))
            if op.has("bias") {
                let bias = try op.channels("bias", outputs)
                if bias.floats.contains(where: { $0 != 0 }) { dense.bias = bias }
            }
            if x.shape.rank == 2 { return [try reading.add(dense, x, op)] }
            let rows = Shape([x.shape.dropLast().reduce(1, *), weights.shape[1]])
            let product = try reading.add(dense, reading.add(Reshape(rows), x, op), op)
            return [try reading.add(Reshape(Shape(x.shape.dropLast() + [outputs])), product, op)]
        }
    ]
}
