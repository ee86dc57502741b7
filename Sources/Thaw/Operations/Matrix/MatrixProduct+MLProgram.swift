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
            let product = MatrixProduct(
                transposeFirst: try op.bool("transpose_x", default: false),
                transposeSecond: try op.bool("transpose_y", default: false))
            let (x, y) = (try op.operand("x"), try op.operand("y"))
            if x.type.element.isFloatingPoint, x.shape.rank == 2, !product.transposeFirst, let matrix = y.constant,
                matrix.shape.rank == 2
            {
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
                    // Masked positions get such low scores that their weight is 0.
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
