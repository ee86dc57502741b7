/// Normalization to length 1 along some axes: y = x / √max(Σ x², epsilon), where the sum is over the elements along
/// `axes`.
struct L2Normalization: Operation {
    /// Ascending, counted from the front.
    var axes: [Int]
    /// The lower bound for the squared length.
    var epsilon: Float

    var kind: String { "L2Normalization" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let shape = inputs[0].shape
        if let axis = axes.first(where: { !shape.indices.contains($0) }) { throw Failure.noSuchAxis(axis, of: shape) }
        return [TensorType(shape)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let shape = inputs[0].shape
        let kept = shape.reduced(along: axes)
        let group = kept.broadcastIndex(in: shape)
        return inputs[0].withFloats { x in
            var squares = [Double](repeating: 0, count: kept.elementCount)
            for i in 0..<x.count { squares[group(i)] += Double(x[i]) * Double(x[i]) }
            return [
                Tensor(shape: shape) { y in
                    for i in 0..<x.count {
                        let square = squares[group(i)]
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

// MARK: Facts

extension L2Normalization {
    var family: Family { .normalization }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        axes.contains(axis) ? .combined : .kept(axis)
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption { Caption("L2 normalization") }
}

// MARK: Core ML

extension L2Normalization: CoreMLOperation {
    /// Norm, bound, quotient. (The dedicated layers add their epsilon to the sum of squares.)
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? {
        let x = try parts.floats(inputs[0])
        var norm = try parts.add(Reduction(function: .l2Norm, axes: axes, keepsAxes: true), x, as: "length")
        if epsilon > 0 {
            let bound = Binary(.maximum, constant: Tensor([epsilon.squareRoot()], shape: []))
            norm = try parts.add(bound, norm, as: "bound")
        }
        return try parts.add(Binary(.divide), x, norm)
    }
}

// MARK: Engine

extension L2Normalization: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        axes.isEmpty ? nil : .l2Normalization(axes: axes, epsilon: epsilon)
    }
}
