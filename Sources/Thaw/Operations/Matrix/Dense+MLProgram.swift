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
            let matrix = weights.transposed([1, 0])
            var bias = try op.has("bias") ? op.channels("bias", outputs) : nil
            if bias?.floats.allSatisfy({ $0 == 0 }) == true { bias = nil }
            let rows = try reading.reshaped(x, [x.shape.dropLast().reduce(1, *), weights.shape[1]], op)
            var product: Operand
            if x.type.element.isFloatingPoint {
                product = try reading.add(Dense(matrix: matrix.asFloat32, bias: bias), rows, op)
            } else {
                // Dense layers are floating point.
                product = try reading.add(MatrixProduct(), [rows, .constant(matrix)], op)[0]
                if let bias { product = try reading.combine(.add, product, .constant(bias), op) }
            }
            return [try reading.reshaped(product, Shape(x.shape.dropLast() + [outputs]), op)]
        }
    ]
}
