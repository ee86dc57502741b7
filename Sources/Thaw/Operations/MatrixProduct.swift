/// The product of two matrices that are both computed, or of many: the last two axes are the matrices', those before them
/// are broadcast.
struct MatrixProduct: Operation {
    /// Whether the matrices are turned over before.
    var transposeFirst = false
    var transposeSecond = false

    var kind: String { "MatrixProduct" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        for input in inputs where input.shape.rank < 2 { throw Failure.wrongRank(2, input.shape) }
        guard inputs[0].element == inputs[1].element else {
            throw Failure.elementTypesDiffer(inputs[0].element.rawValue, inputs[1].element.rawValue)
        }
        let a = turned(inputs[0].shape, transposeFirst)
        let b = turned(inputs[1].shape, transposeSecond)
        guard a[a.rank - 1] == b[b.rank - 2] else { throw Failure.shapesDiffer(a, b) }
        let batch = try Shape(a.dropLast(2)).broadcast(with: Shape(b.dropLast(2)))
        return [TensorType(try Shape(batch.dimensions + [a[a.rank - 2], b[b.rank - 1]]).checked())]
    }

    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        outputs[0].shape.elementCount * (turned(inputs[0].shape, transposeFirst).last ?? 0)
    }

    private func turned(_ shape: Shape, _ isTransposed: Bool) -> Shape {
        isTransposed ? shape.permuted(MatrixProduct.turningOver(shape.rank)) : shape
    }

    /// The order of axes that changes the last two.
    static func turningOver(_ rank: Int) -> [Int] { Array(0..<rank - 2) + [rank - 1, rank - 2] }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let output = try! outputTypes(inputs.map(\.type))[0].shape
        let a = transposeFirst ? inputs[0].transposed(Self.turningOver(inputs[0].shape.rank)) : inputs[0]
        let b = transposeSecond ? inputs[1].transposed(Self.turningOver(inputs[1].shape.rank)) : inputs[1]
        let rows = output[output.rank - 2]
        let columns = output[output.rank - 1]
        let depth = a.shape[a.shape.rank - 1]
        let batch = Shape(output.dropLast(2))
        let aPlace = Shape(a.shape.dropLast(2)).places(in: batch)
        let bPlace = Shape(b.shape.dropLast(2)).places(in: batch)
        return a.withFloats { x in
            b.withFloats { w in
                [
                    Tensor(shape: output) { y in
                        var sums = [Double](repeating: 0, count: columns)
                        for row in 0..<batch.elementCount * rows {
                            let left = (aPlace(row / rows) * rows + row % rows) * depth
                            let right = bPlace(row / rows) * depth * columns
                            for column in 0..<columns { sums[column] = 0 }
                            for k in 0..<depth {
                                let factor = Double(x[left + k])
                                for column in 0..<columns {
                                    sums[column] += factor * Double(w[right + k * columns + column])
                                }
                            }
                            for column in 0..<columns { y[row * columns + column] = Float(sums[column]) }
                        }
                    }
                ]
            }
        }
    }
}

// MARK: TensorFlow

extension MatrixProduct {
    static let tensorFlow = [
        TensorFlowRule("MatMul") { node, context in
            let (a, b) = (try node.input(0), try node.input(1))
            guard a.shape.rank == 2, b.shape.rank == 2 else {
                throw node.refused(
                    "the inputs have shapes \(a.shape) and \(b.shape)", remedy: "two matrices are expected")
            }
            let product = MatrixProduct(
                transposeFirst: try node.bool("transpose_a", default: false),
                transposeSecond: try node.bool("transpose_b", default: false))
            return [try context.product(product, a, b, name: node.name)]
        },
        TensorFlowRule("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3") { node, context in
            let product = MatrixProduct(
                transposeFirst: try node.bool("adj_x", default: false),
                transposeSecond: try node.bool("adj_y", default: false))
            return [try context.product(product, node.input(0), node.input(1), name: node.name)]
        },
    ]
}

extension ImportContext {
    /// Adds a product of matrices: a dense layer where the second is known, and the same for all of the first.
    mutating func product(_ product: MatrixProduct, _ a: Operand, _ b: Operand, name: String) throws -> Operand {
        guard case .edge = a, let matrix = b.constant, !product.transposeFirst, a.shape.rank >= 2,
            matrix.shape.rank >= 2,
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
