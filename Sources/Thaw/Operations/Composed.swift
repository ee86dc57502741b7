/// What Core ML has a layer or an operation for and the graph has none: composed of those that there are.
///
/// Generic over what the two readers call a value; `add` adds an operation with one output.
struct Composed<Value> {
    let add: (any Operation, [Value]) throws -> Value

    private func apply(_ function: Binary.Function, _ x: Value, _ number: Float) throws -> Value {
        try add(Binary(function, constant: Tensor([number], shape: [])), [x])
    }

    // MARK: Activations

    /// x where it is at least `bound`, 0 elsewhere.
    func thresholdedRelu(_ x: Value, bound: Float) throws -> Value {
        let isKept = try apply(.greaterOrEqual, x, bound)
        return try add(Binary(.multiply), [x, add(Cast(element: .float32), [isKept])])
    }

    /// x, below 0 times `slope`, and at most `bound`.
    func clampedRelu(_ x: Value, slope: Float, bound: Float) throws -> Value {
        try apply(.minimum, add(Unary(.leakyRelu(slope: slope)), [x]), bound)
    }

    /// outer · tanh(inner · x)
    func scaledTanh(_ x: Value, outer: Float, inner: Float) throws -> Value {
        try apply(.multiply, add(Unary(.tanh), [apply(.multiply, x, inner)]), outer)
    }

    /// x, below 0 times its channel's slope. The slopes are shaped so that they are repeated over x.
    func parametricRelu(_ x: Value, slopes: Tensor) throws -> Value {
        let below = try add(Binary(.multiply, constant: slopes), [apply(.minimum, x, 0)])
        return try add(Binary(.add), [add(Unary(.relu), [x]), below])
    }

    /// outer · log(1 + exp(inner · x)), with numbers for each channel.
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

    // MARK: Reductions and normalisations

    /// The sum of magnitudes, or of squares, the logarithm of the sum, or of the exponentials' sum, or the length.
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
            // The largest is taken off first, so that nothing overflows.
            let largest = try add(Reduction(function: .maximum, axes: axes, keepsAxes: true), [x])
            let rest = try add(
                Unary(.logarithm), [sum(add(Unary(.exponential), [add(Binary(.subtract), [x, largest])]))])
            let offset =
                keepsAxes ? largest : try add(Reduction(function: .maximum, axes: axes, keepsAxes: false), [x])
            return try add(Binary(.add), [rest, offset])
        }
    }

    /// x by the root of the sum of its squares and an epsilon.
    func unitLength(_ x: Value, axes: [Int], epsilon: Float) throws -> Value {
        let squares = try sum(.squares, x, axes: axes, keepsAxes: true)
        return try add(Binary(.divide), [x, add(Unary(.squareRoot), [apply(.add, squares, epsilon)])])
    }

    /// x less its mean, and that by its deviation and an epsilon.
    func centred(_ x: Value, axes: [Int], isScaled: Bool, epsilon: Float) throws -> Value {
        let mean = Reduction(function: .mean, axes: axes, keepsAxes: true)
        let centred = try add(Binary(.subtract), [x, add(mean, [x])])
        guard isScaled else { return centred }
        let deviation = try add(Unary(.squareRoot), [add(mean, [add(Unary(.square), [centred])])])
        return try add(Binary(.divide), [centred, apply(.add, deviation, epsilon)])
    }

    // MARK: Blocks of pixels

    /// How blocks of pixels and channels are exchanged.
    enum Exchange {
        /// Channels become blocks of pixels: those of a pixel of the block stand together, or those of a channel.
        case depthToSpace, pixelShuffle
        /// The other way round.
        case spaceToDepth, pixelUnshuffle
    }

    /// An image of this shape, channels before height, with blocks of `size` by `size` pixels exchanged; nil where they do not
    /// fit.
    func exchanged(_ x: Value, _ exchange: Exchange, _ shape: Shape, size: Int) throws -> Value? {
        guard shape.rank == 4, (1..<1 << 12).contains(size) else { return nil }
        let (batch, depth, height, width) = (shape[0], shape[1], shape[2], shape[3])
        switch exchange {
        case .depthToSpace, .pixelShuffle:
            guard depth % (size * size) == 0 else { return nil }
            let rest = depth / (size * size)
            let isShuffle = exchange == .pixelShuffle
            let axes = isShuffle ? [batch, rest, size, size] : [batch, size, size, rest]
            return try rearranged(
                x, axes + [height, width], isShuffle ? [0, 1, 4, 2, 5, 3] : [0, 3, 4, 1, 5, 2],
                [batch, rest, height * size, width * size])
        case .spaceToDepth, .pixelUnshuffle:
            guard height % size == 0, width % size == 0 else { return nil }
            return try rearranged(
                x, [batch, depth, height / size, size, width / size, size],
                exchange == .pixelUnshuffle ? [0, 1, 3, 5, 2, 4] : [0, 3, 5, 1, 2, 4],
                [batch, depth * size * size, height / size, width / size])
        }
    }

    private func rearranged(_ x: Value, _ axes: [Int], _ order: [Int], _ result: Shape) throws -> Value {
        try add(Reshape(result), [add(Transpose(order), [add(Reshape(Shape(axes)), [x])])])
    }
}
