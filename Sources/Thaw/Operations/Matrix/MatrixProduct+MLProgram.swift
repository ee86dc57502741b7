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

extension MatrixProduct {
    static let mil = [
        MILRule("matmul") { op, reading in
            let vectors = try ["x", "y"].map { try op.operand($0).shape.rank == 1 }
            // Vectors are never transposed.
            let product = MatrixProduct(
                transposeFirst: try !vectors[0] && op.bool("transpose_x", default: false),
                transposeSecond: try !vectors[1] && op.bool("transpose_y", default: false))
            let (x, y) = try reading.factors(op.operand("x"), op.operand("y"), of: product, op)
            let result: Operand
            if x.type.element.isFloatingPoint, x.shape.rank == 2, !product.transposeFirst, let matrix = y.constant,
                matrix.shape.rank == 2
            {
                let floats = matrix.asFloat32
                let dense = Dense(matrix: product.transposeSecond ? floats.transposed([1, 0]) : floats)
                result = try reading.add(dense, x, op)
            } else {
                result = try reading.add(product, [x, y], op)[0]
            }
            // The result has neither the row's axis nor the column's.
            let kept = result.shape.indices.filter { axis in
                let fromEnd = result.shape.rank - axis
                return !(vectors[0] && fromEnd == 2 || vectors[1] && fromEnd == 1)
            }
            return [try reading.reshaped(result, result.shape.permuted(kept), op)]
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
                    // Masked positions get such low scores that their weight is 0.
                    mask = try reading.add(Cast(element: .float32), mask, op)
                    mask = try reading.add(Binary(.subtract, constant: Tensor([1], shape: [])), mask, op)
                    mask = try reading.add(Binary(.multiply, constant: Tensor([1e9], shape: [])), mask, op)
                }
                scores = try reading.add(Binary(.add), [scores, mask], op)[0]
            }
            let weights = try reading.add(Softmax(axis: scores.shape.rank - 1), scores, op)
            return try reading.add(MatrixProduct(), [weights, value], op)
        },
    ]
}
