/// Functions that Core ML has a layer or an operation for but the graph has not, composed of graph operations.
///
/// Generic over the value type of the two readers. `add` adds an operation with one output.
struct Composed<Value> {
    let add: (any Operation, [Value]) throws -> Value

    private func apply(_ function: Binary.Function, _ x: Value, _ number: Float) throws -> Value {
        try add(Binary(function, constant: Tensor([number], shape: [])), [x])
    }

    // MARK: Activations

    /// x if it is at least `bound`, otherwise 0.
    func thresholdedRelu(_ x: Value, bound: Float) throws -> Value {
        let isKept = try apply(.greaterOrEqual, x, bound)
        return try add(Binary(.multiply), [x, add(Cast(element: .float32), [isKept])])
    }

    /// x, times `slope` if negative, and clamped to `bound` from above.
    func clampedRelu(_ x: Value, slope: Float, bound: Float) throws -> Value {
        try apply(.minimum, add(Unary(.leakyRelu(slope: slope)), [x]), bound)
    }

    /// outer · tanh(inner · x)
    func scaledTanh(_ x: Value, outer: Float, inner: Float) throws -> Value {
        try apply(.multiply, add(Unary(.tanh), [apply(.multiply, x, inner)]), outer)
    }

    /// x, times its channel's slope if negative. The slopes are shaped to broadcast over x.
    func parametricRelu(_ x: Value, slopes: Tensor) throws -> Value {
        let below = try add(Binary(.multiply, constant: slopes), [apply(.minimum, x, 0)])
        return try add(Binary(.add), [add(Unary(.relu), [x]), below])
    }

    /// outer · log(1 + exp(inner · x)), with per-channel parameters.
    func parametricSoftplus(_ x: Value, outer: Tensor, inner: Tensor) throws -> Value {
        let softplus = try add(Unary(.softplus), [add(Binary(.multiply, constant: inner), [x])])
        return try add(Binary(.multiply, constant: outer), [softplus])
    }

    func tangent(_ x: Value) throws -> Value {
        try add(Binary(.divide), [add(Unary(.sine), [x]), add(Unary(.cosine), [x])])
    }

    func powerOfTwo(_ x: Value) throws -> Value {
        try add(Binary(.power, constant: Tensor([2], shape: []), constantFirst: true), [x])
    }

    // MARK: Reductions and normalizations

    /// The sum of absolute values or squares, the logarithm of the sum or of the sum of exponentials, or the length.
    enum Sum { case magnitudes, squares, logarithm, logarithmOfExponentials, length }

    func sum(_ kind: Sum, _ x: Value, axes: [Int], keepsAxes: Bool) throws -> Value {
        func sum(_ value: Value) throws -> Value {
            try add(Reduction(function: .sum, axes: axes, keepsAxes: keepsAxes), [value])
        }
        switch kind {
        case .magnitudes: return try sum(add(Unary(.absolute), [x]))
        case .squares: return try sum(add(Unary(.square), [x]))
        case .length: return try add(Unary(.squareRoot), [sum(add(Unary(.square), [x]))])
        case .logarithm: return try add(Unary(.logarithm), [sum(x)])
        case .logarithmOfExponentials:
            // The maximum is subtracted first to avoid overflow.
            let largest = try add(Reduction(function: .maximum, axes: axes, keepsAxes: true), [x])
            let rest = try add(
                Unary(.logarithm), [sum(add(Unary(.exponential), [add(Binary(.subtract), [x, largest])]))])
            let offset =
                keepsAxes ? largest : try add(Reduction(function: .maximum, axes: axes, keepsAxes: false), [x])
            return try add(Binary(.add), [rest, offset])
        }
    }

    /// The sum of log(x + epsilon).
    func sumOfLogarithms(_ x: Value, axes: [Int], epsilon: Float) throws -> Value {
        let logarithms = try add(Unary(.logarithm), [apply(.add, x, epsilon)])
        return try add(Reduction(function: .sum, axes: axes, keepsAxes: true), [logarithms])
    }

    /// x divided by the square root of its sum of squares plus an epsilon.
    func unitLength(_ x: Value, axes: [Int], epsilon: Float) throws -> Value {
        let squares = try sum(.squares, x, axes: axes, keepsAxes: true)
        return try add(Binary(.divide), [x, add(Unary(.squareRoot), [apply(.add, squares, epsilon)])])
    }

    /// x minus its mean, optionally divided by its standard deviation plus an epsilon.
    func centered(_ x: Value, axes: [Int], isScaled: Bool, epsilon: Float) throws -> Value {
        let mean = Reduction(function: .mean, axes: axes, keepsAxes: true)
        let centered = try add(Binary(.subtract), [x, add(mean, [x])])
        guard isScaled else { return centered }
        let deviation = try add(Unary(.squareRoot), [add(mean, [add(Unary(.square), [centered])])])
        return try add(Binary(.divide), [centered, apply(.add, deviation, epsilon)])
    }

    // MARK: Images

    /// Depth-to-space or space-to-depth on a channels-first image of this shape; nil if the sizes do not fit.
    func exchanged(_ x: Value, _ blocks: BlockExchange, _ shape: Shape) throws -> Value? {
        try blocks.rearrangement(of: shape, .first)?.steps.reduce(x) { try add($1, [$0]) }
    }

    /// A tensor of this shape, padded before and after each axis with its own elements.
    func bordered(_ x: Value, _ shape: Shape, _ border: EdgePadding, before: [Int], after: [Int]) throws -> Value {
        var (x, shape) = (x, shape)
        for axis in shape.indices where before[axis] + after[axis] > 0 {
            let all = shape.map { StridedSlice.Range(start: 0, count: $0) }
            func part(_ range: StridedSlice.Range, _ count: Int) throws -> [Value] {
                guard count > 0 else { return [] }
                var ranges = all
                ranges[axis] = range
                let slice = try add(StridedSlice(ranges: ranges), [x])
                return Array(repeating: slice, count: count / range.count)
            }
            let ranges = border.ranges(before[axis], after[axis], of: shape[axis])
            let parts = try part(ranges.before, before[axis]) + [x] + part(ranges.after, after[axis])
            x = try add(Concatenation(axis: axis), parts)
            shape[axis] += before[axis] + after[axis]
        }
        return x
    }
}
