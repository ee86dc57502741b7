/// A dense layer: rows times a matrix of weights, plus a bias.
///
/// Input: rows, inputs. Weights: inputs, outputs.
struct Dense: Operation {
    var matrix: Tensor
    /// One number an output.
    var bias: Tensor?

    var kind: String { "Dense" }
    var weights: [Tensor] { [matrix] + (bias.map { [$0] } ?? []) }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let input = inputs[0].shape
        guard input.rank == 2 else { throw Failure.wrongRank(2, input) }
        guard matrix.shape.rank == 2, input[1] == matrix.shape[0] else {
            throw Failure.channelMismatch(input[1], matrix.shape[0])
        }
        return [TensorType([input[0], matrix.shape[1]])]
    }

    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        outputs[0].shape.elementCount * matrix.shape[0]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let product = MatrixProduct().evaluate([inputs[0], matrix])[0]
        guard let bias else { return [product] }
        return Binary(.add, constant: bias).evaluate([product])
    }
}

/// The product of two matrices that are both computed.
struct MatrixProduct: Operation {
    /// Whether the matrix is turned over before.
    var transposeFirst = false
    var transposeSecond = false

    var kind: String { "MatrixProduct" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        for input in inputs where input.shape.rank != 2 { throw Failure.wrongRank(2, input.shape) }
        let a = transposeFirst ? inputs[0].shape.permuted([1, 0]) : inputs[0].shape
        let b = transposeSecond ? inputs[1].shape.permuted([1, 0]) : inputs[1].shape
        guard a[1] == b[0] else { throw Failure.shapesDiffer(a, b) }
        return [TensorType([a[0], b[1]])]
    }

    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        outputs[0].shape.elementCount * inputs[0].shape[transposeFirst ? 0 : 1]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let a = transposeFirst ? inputs[0].transposed([1, 0]) : inputs[0]
        let b = transposeSecond ? inputs[1].transposed([1, 0]) : inputs[1]
        let depth = a.shape[1]
        let columns = b.shape[1]
        return a.withFloats { x in
            b.withFloats { w in
                [
                    Tensor(shape: [a.shape[0], columns]) { y in
                        var sums = [Double](repeating: 0, count: columns)
                        for row in 0..<a.shape[0] {
                            for column in 0..<columns { sums[column] = 0 }
                            for k in 0..<depth {
                                let factor = Double(x[row * depth + k])
                                for column in 0..<columns { sums[column] += factor * Double(w[k * columns + column]) }
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

extension Dense {
    static let tensorFlow = [
        TensorFlowRule("MatMul") { node, context in
            let a = try node.input(0)
            let b = try node.input(1)
            let transposeFirst = try node.bool("transpose_a", default: false)
            let transposeSecond = try node.bool("transpose_b", default: false)
            guard a.shape.rank == 2, b.shape.rank == 2 else {
                throw node.refused(
                    "the inputs have shapes \(a.shape) and \(b.shape)", remedy: "two matrices are expected")
            }
            if case .edge = a, let matrix = b.constant, !transposeFirst {
                let turned = transposeSecond ? matrix.asFloat32.transposed([1, 0]) : matrix.asFloat32
                return [try context.add(Dense(matrix: turned), a, name: node.name)]
            }
            let product = MatrixProduct(transposeFirst: transposeFirst, transposeSecond: transposeSecond)
            return try context.add(product, [a, b], name: node.name)
        }
    ]
}
