/// The product of two computed matrices or batches of matrices: the last two axes are the matrices', those before
/// them are broadcast.
struct MatrixProduct: Operation {
    /// Whether the matrices are transposed first.
    var transposeFirst = false
    var transposeSecond = false

    var kind: String { "MatrixProduct" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        for input in inputs where input.shape.rank < 2 { throw Failure.tooFewAxes(2, input.shape) }
        guard inputs[0].element == inputs[1].element else {
            throw Failure.elementTypesDiffer(inputs[0].element.rawValue, inputs[1].element.rawValue)
        }
        let a = transposed(inputs[0].shape, transposeFirst)
        let b = transposed(inputs[1].shape, transposeSecond)
        guard a[a.rank - 1] == b[b.rank - 2] else { throw Failure.shapesDiffer(a, b) }
        let batch = try Shape(a.dropLast(2)).broadcast(with: Shape(b.dropLast(2)))
        let element: ElementType = inputs[0].element.isFloatingPoint ? .float32 : inputs[0].element
        return [TensorType(Shape(batch.dimensions + [a[a.rank - 2], b[b.rank - 1]]), element)]
    }

    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        outputs[0].shape.elementCount * (transposed(inputs[0].shape, transposeFirst).last ?? 0)
    }

    private func transposed(_ shape: Shape, _ isTransposed: Bool) -> Shape {
        isTransposed ? shape.permuted(MatrixProduct.swappingLastAxes(shape.rank)) : shape
    }

    /// The axis permutation that swaps the last two axes.
    static func swappingLastAxes(_ rank: Int) -> [Int] { Array(0..<rank - 2) + [rank - 1, rank - 2] }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let type = try! outputTypes(inputs.map(\.type))[0]
        let output = type.shape
        let a = transposeFirst ? inputs[0].transposed(Self.swappingLastAxes(inputs[0].shape.rank)) : inputs[0]
        let b = transposeSecond ? inputs[1].transposed(Self.swappingLastAxes(inputs[1].shape.rank)) : inputs[1]
        let rows = output[output.rank - 2]
        let columns = output[output.rank - 1]
        let depth = a.shape[a.shape.rank - 1]
        let batch = Shape(output.dropLast(2))
        let aIndex = Shape(a.shape.dropLast(2)).broadcastIndex(in: batch)
        let bIndex = Shape(b.shape.dropLast(2)).broadcastIndex(in: batch)
        guard type.element.isFloatingPoint else { return [integerProduct(a, b, type, aIndex, bIndex)] }
        return a.withFloats { x in
            b.withFloats { w in
                [
                    Tensor(shape: output) { y in
                        var sums = [Double](repeating: 0, count: columns)
                        for row in 0..<batch.elementCount * rows {
                            let left = (aIndex(row / rows) * rows + row % rows) * depth
                            let right = bIndex(row / rows) * depth * columns
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

extension MatrixProduct {
    /// The product of matrices of integers, in float64: float32 is not exact for large ones.
    /// - Parameters:
    ///   - type: The type of the result.
    ///   - aIndex: The index of the first matrix for each matrix of the result.
    ///   - bIndex: That of the second one.
    private func integerProduct(
        _ a: Tensor, _ b: Tensor, _ type: TensorType, _ aIndex: (Int) -> Int, _ bIndex: (Int) -> Int
    ) -> Tensor {
        let (rows, columns) = (type.shape[type.shape.rank - 2], type.shape[type.shape.rank - 1])
        let depth = a.shape[a.shape.rank - 1]
        return a.withElements { x in
            b.withElements { w in
                Tensor(shape: type.shape, element: type.element) { index in
                    let (row, column) = (index / columns, index % columns)
                    let left = (aIndex(row / rows) * rows + row % rows) * depth
                    let right = bIndex(row / rows) * depth * columns + column
                    return (0..<depth).reduce(0.0) { $0 + x[left + $1] * w[right + $1 * columns] }
                }
            }
        }
    }
}

// MARK: Facts

extension MatrixProduct {
    var family: Family { .dense }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        let rank = inputs[input].shape.rank
        let outputRank = inputs.map(\.shape.rank).max()!
        guard axis >= rank - 2 else { return .kept(axis + outputRank - rank) }
        let isTransposed = input == 0 ? transposeFirst : transposeSecond
        let isRow = (axis == rank - 2) != isTransposed
        return isRow == (input == 0) ? .kept(outputRank - (isRow ? 2 : 1)) : .combined
    }

    var broadcasts: Bool { true }
    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption { Caption("Matrix product") }
}

// MARK: Core ML

extension ImportContext {
    /// The factors of a product as Core ML multiplies them: a vector on the left is a row, and on the right a column.
    mutating func factors(
        _ a: Operand, _ b: Operand, of product: MatrixProduct, _ node: some SourceNode
    ) throws -> (Operand, Operand) {
        let row = a.shape.rank == 1 && !product.transposeFirst ? Shape([1, a.shape[0]]) : a.shape
        let column = b.shape.rank == 1 && !product.transposeSecond ? Shape([b.shape[0], 1]) : b.shape
        return (try reshaped(a, row, node), try reshaped(b, column, node))
    }
}

// MARK: Neural network

extension MatrixProduct: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        layers.add(node) { layer in
            layer.choose("batchedMatmul")
            layer.batchedMatmul.transposeA = transposeFirst
            layer.batchedMatmul.transposeB = transposeSecond
        }
    }
}

// MARK: Engine

extension MatrixProduct: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .matrixProduct(transposeFirst: transposeFirst, transposeSecond: transposeSecond)
    }
}
