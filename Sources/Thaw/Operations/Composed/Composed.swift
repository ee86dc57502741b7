/// Functions that are single layers or operations in Core ML, but compositions of several operations in the graph.
extension ImportContext {
    // MARK: Activations

    /// x if it is positive, otherwise alpha · (eˣ − 1).
    mutating func elu(_ x: Operand, alpha: Float, _ node: some SourceNode) throws -> Operand {
        if alpha == 1 { return try add(Unary(.elu), x, node) }
        let power = try add(Unary(.elu), apply(.minimum, x, 0, node), node)
        return try combine(.add, add(Unary(.relu), x, node), apply(.multiply, power, alpha, node), node)
    }

    /// x, times `slope` if negative, and clamped to `bound` from above.
    mutating func clampedRelu(_ x: Operand, slope: Float, bound: Float, _ node: some SourceNode) throws -> Operand {
        try apply(.minimum, add(Unary(.leakyRelu(slope: slope)), x, node), bound, node)
    }

    /// outer · tanh(inner · x)
    mutating func scaledTanh(_ x: Operand, outer: Float, inner: Float, _ node: some SourceNode) throws -> Operand {
        try scaled(add(Unary(.tanh), scaled(x, by: inner, node), node), by: outer, node)
    }

    /// x, times its channel's slope if negative. The slopes are shaped to broadcast over x.
    mutating func parametricRelu(_ x: Operand, slopes: Tensor, _ node: some SourceNode) throws -> Operand {
        let below = try combine(.multiply, apply(.minimum, x, 0, node), .constant(slopes), node)
        return try combine(.add, add(Unary(.relu), x, node), below, node)
    }

    /// outer · log(1 + exp(inner · x)), with per-channel parameters.
    mutating func parametricSoftplus(
        _ x: Operand, outer: Tensor, inner: Tensor, _ node: some SourceNode
    ) throws -> Operand {
        let softplus = try add(Unary(.softplus), combine(.multiply, x, .constant(inner), node), node)
        return try combine(.multiply, softplus, .constant(outer), node)
    }

    mutating func tangent(_ x: Operand, _ node: some SourceNode) throws -> Operand {
        try combine(.divide, add(Unary(.sine), x, node), add(Unary(.cosine), x, node), node)
    }

    mutating func powerOfTwo(_ x: Operand, _ node: some SourceNode) throws -> Operand {
        try combine(.power, .constant(Tensor([2], shape: [])), x, node)
    }

    // MARK: Reductions and normalizations

    /// The sum of absolute values or of squares, the logarithm of the sum or of the sum of exponentials, or the square root of
    /// the sum of squares.
    enum Sum { case l1Norm, sumOfSquares, logSum, logSumExp, l2Norm }

    mutating func sum(
        _ kind: Sum, _ x: Operand, axes: [Int], keepsAxes: Bool, _ node: some SourceNode
    ) throws -> Operand {
        let sum = Reduction(function: .sum, axes: axes, keepsAxes: keepsAxes)
        switch kind {
        case .l1Norm: return try add(sum, add(Unary(.absolute), x, node), node)
        case .sumOfSquares: return try add(sum, add(Unary(.square), x, node), node)
        case .l2Norm: return try add(Unary(.squareRoot), add(sum, add(Unary(.square), x, node), node), node)
        case .logSum: return try add(Unary(.logarithm), add(sum, x, node), node)
        case .logSumExp:
            // The maximum is subtracted first to avoid overflow.
            let largest = try add(Reduction(function: .maximum, axes: axes, keepsAxes: true), x, node)
            let powers = try add(Unary(.exponential), combine(.subtract, x, largest, node), node)
            let rest = try add(Unary(.logarithm), add(sum, powers, node), node)
            let offset =
                keepsAxes ? largest : try add(Reduction(function: .maximum, axes: axes, keepsAxes: false), x, node)
            return try combine(.add, rest, offset, node)
        }
    }

    /// The sum of log(x + epsilon).
    mutating func sumOfLogarithms(
        _ x: Operand, axes: [Int], epsilon: Float, _ node: some SourceNode
    ) throws -> Operand {
        let logarithms = try add(Unary(.logarithm), apply(.add, x, epsilon, node), node)
        return try add(Reduction(function: .sum, axes: axes, keepsAxes: true), logarithms, node)
    }

    /// x divided by the square root of its sum of squares plus an epsilon.
    mutating func l2Normalized(_ x: Operand, axes: [Int], epsilon: Float, _ node: some SourceNode) throws -> Operand {
        let squares = try sum(.sumOfSquares, x, axes: axes, keepsAxes: true, node)
        return try combine(.divide, x, add(Unary(.squareRoot), apply(.add, squares, epsilon, node), node), node)
    }

    /// x minus its mean, optionally divided by the square root of its variance plus an epsilon. (The format does not say
    /// where the epsilon is added; coremltools writes layer normalization as this layer with the same epsilon.)
    mutating func centered(
        _ x: Operand, axes: [Int], isScaled: Bool, epsilon: Float, _ node: some SourceNode
    ) throws -> Operand {
        let mean = Reduction(function: .mean, axes: axes, keepsAxes: true)
        let centered = try combine(.subtract, x, add(mean, x, node), node)
        guard isScaled else { return centered }
        let variance = try add(mean, add(Unary(.square), centered, node), node)
        let deviation = try add(Unary(.squareRoot), apply(.add, variance, epsilon, node), node)
        return try combine(.divide, centered, deviation, node)
    }

    // MARK: Images

    /// Depth-to-space or space-to-depth on a channels-first image; nil if the sizes do not fit.
    mutating func exchanged(_ x: Operand, _ blocks: BlockExchange, _ node: some SourceNode) throws -> Operand? {
        try blocks.rearrangement(of: x.shape, .channelsFirst)?.steps.reduce(x) { try add($1, $0, node) }
    }

    /// The tensor padded before and after each axis with its own elements.
    mutating func bordered(
        _ x: Operand, _ border: EdgePadding, before: [Int], after: [Int], _ node: some SourceNode
    ) throws -> Operand {
        var x = x
        for axis in x.shape.indices where before[axis] + after[axis] > 0 {
            func slices(_ range: StridedSlice.Range, _ count: Int) throws -> [Operand] {
                guard count > 0 else { return [] }
                let slice = StridedSlice(range, along: axis, of: x.shape)
                let part = try add(slice, x, name: node.name + "/border")
                return Array(repeating: part, count: count / range.count)
            }
            let ranges = border.ranges(before[axis], after[axis], of: x.shape[axis])
            let parts = try slices(ranges.before, before[axis]) + [x] + slices(ranges.after, after[axis])
            x = try add(Concatenation(axis: axis), parts, node)[0]
        }
        return x
    }
}
