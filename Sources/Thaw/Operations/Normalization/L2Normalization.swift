/// An array brought to the length 1 along some axes: y = x / √max(Σ x², epsilon), the sum being that of the elements along
/// `axes`.
struct L2Normalization: Operation {
    /// Ascending, counted from the front.
    var axes: [Int]
    /// The smallest square of a length that is divided by.
    var epsilon: Float

    var kind: String { "L2Normalization" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let shape = inputs[0].shape
        if let axis = axes.first(where: { !shape.indices.contains($0) }) { throw Failure.noSuchAxis(axis, of: shape) }
        return [TensorType(shape)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let shape = inputs[0].shape
        var kept = shape
        for axis in axes { kept[axis] = 1 }
        let place = kept.places(in: shape)
        return inputs[0].withFloats { x in
            var squares = [Double](repeating: 0, count: kept.elementCount)
            for i in 0..<x.count { squares[place(i)] += Double(x[i]) * Double(x[i]) }
            return [
                Tensor(shape: shape) { y in
                    for i in 0..<x.count {
                        let square = squares[place(i)]
                        y[i] = Float(
                            Double(x[i]) / (square < Double(epsilon) ? Double(epsilon) : square).squareRoot())
                    }
                }
            ]
        }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        let moved = orders[0].indices.filter { axes.contains(orders[0][$0]) }
        return Reordered(L2Normalization(axes: moved, epsilon: epsilon), inputs: orders, outputs: orders)
    }
}
