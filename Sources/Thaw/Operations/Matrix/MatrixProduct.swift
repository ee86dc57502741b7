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
        return [TensorType(Shape(batch.dimensions + [a[a.rank - 2], b[b.rank - 1]]))]
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
