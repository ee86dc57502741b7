extension MatrixProduct {
    static let tensorFlow = [
        // SparseMatMul takes ordinary tensors, which it expects to contain many zeros.
        TensorFlowRule("MatMul", "SparseMatMul", axes: .lost, roles: [.layer, .dense]) { node, context in
            let (a, b) = (try node.input(0), try node.input(1))
            guard a.shape.rank == 2, b.shape.rank == 2 else {
                throw node.refused(
                    "the inputs have shapes \(a.shape) and \(b.shape)", remedy: "expected two matrices")
            }
            let product = MatrixProduct(
                transposeFirst: try node.bool("transpose_a", default: false),
                transposeSecond: try node.bool("transpose_b", default: false))
            return [try context.product(product, a, b, name: node.name)]
        },
        TensorFlowRule("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", axes: .lost, roles: .layer) { node, context in
            let product = MatrixProduct(
                transposeFirst: try node.bool("adj_x", default: false),
                transposeSecond: try node.bool("adj_y", default: false))
            var factors = [try node.input(0), try node.input(1)]
            // The result may have a wider type, which the sums are computed in.
            if node.definition.attributes["Tout"] != nil {
                let element = try node.element("Tout")
                if element.bounds != nil { factors = try context.widened(node, to: element) { $0 != element } }
            }
            return [try context.product(product, factors[0], factors[1], name: node.name)]
        },
    ]
}

extension ImportContext {
    /// Adds a matrix product, as a dense layer if it is floating point and the second operand is a constant shared by
    /// the whole batch.
    mutating func product(_ product: MatrixProduct, _ a: Operand, _ b: Operand, name: String) throws -> Operand {
        guard case .edge = a, a.type.element.isFloatingPoint, let matrix = b.constant, !product.transposeFirst,
            a.shape.rank >= 2, matrix.shape.rank >= 2,
            a.shape.rank >= matrix.shape.rank, matrix.shape.dropLast(2).allSatisfy({ $0 == 1 })
        else { return try add(product, [a, b], name: name)[0] }
        let plain = matrix.asFloat32.reshaped(Shape(matrix.shape.suffix(2)))
        let dense = Dense(matrix: product.transposeSecond ? plain.transposed([1, 0]) : plain)
        if a.shape.rank == 2 { return try add(dense, a, name: name) }
        let columns = dense.matrix.shape[1]
        let rows = a.shape.dropLast().reduce(1, *)
        guard let depth = a.shape.last, depth == dense.matrix.shape[0] else {
            throw Failure.shapesDiffer(a.shape, dense.matrix.shape).at(name)
        }
        let flat = try add(Reshape([rows, depth]), a, name: name + "/rows")
        let result = try add(dense, flat, name: name)
        return try add(Reshape(Shape(a.shape.dropLast() + [columns])), result, name: name + "/shape")
    }
}
