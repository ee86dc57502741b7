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

extension MatrixProduct: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add(
            "matmul", node,
            [
                "x": .value(node.inputs[0]), "y": .value(node.inputs[1]), "transpose_x": .bool(transposeFirst),
                "transpose_y": .bool(transposeSecond),
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
                throw op.refused("weights of shape \(weights.shape) do not fit an array of shape \(x.shape)")
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
        },
        MILRule("matmul") { op, reading in
            let product = MatrixProduct(
                transposeFirst: try op.bool("transpose_x", default: false),
                transposeSecond: try op.bool("transpose_y", default: false))
            let (x, y) = (try op.operand("x"), try op.operand("y"))
            if x.shape.rank == 2, !product.transposeFirst, let matrix = y.constant, matrix.shape.rank == 2 {
                return [
                    try reading.add(
                        Dense(matrix: product.transposeSecond ? matrix.transposed([1, 0]) : matrix), x, op)
                ]
            }
            return try reading.add(product, [x, y], op)
        },
        // softmax(query · keyᵀ / √width + mask) · value
        MILRule("scaled_dot_product_attention") { op, reading in
            let (query, key, value) = (try op.operand("query"), try op.operand("key"), try op.operand("value"))
            guard let width = query.shape.last, width > 0, query.shape.rank >= 2 else {
                throw op.refused("queries of shape \(query.shape) have no width")
            }
            let factor = Tensor([1 / Float(width).squareRoot()], shape: [])
            var scores = try reading.add(MatrixProduct(transposeSecond: true), [query, key], op)[0]
            scores = try reading.add(Binary(.multiply, constant: factor), scores, op)
            if op.has("attn_mask") {
                var mask = try op.operand("attn_mask")
                if !mask.type.element.isFloatingPoint {
                    // What is not attended to is so far below all else that its share is 0.
                    mask = try reading.add(Cast(element: .float32), mask, op)
                    mask = try reading.add(Binary(.subtract, constant: Tensor([1], shape: [])), mask, op)
                    mask = try reading.add(Binary(.multiply, constant: Tensor([1e9], shape: [])), mask, op)
                }
                scores = try reading.add(Binary(.add), [scores, mask], op)[0]
            }
            let shares = try reading.add(Softmax(axis: scores.shape.rank - 1), scores, op)
            return try reading.add(MatrixProduct(), [shares, value], op)
        },
    ]
}
