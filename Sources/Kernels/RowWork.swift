/// A function of one value. The case defines the meaning of `alpha` and `beta`.
public struct UnaryFunction: Equatable, Sendable {
    public enum Kind: UInt8, Sendable, CaseIterable {
        /// min(max(x, alpha), beta)
        case clamp
        /// x, or alpha · x if x is negative
        case leaky
        /// x, or 0 if x is less than alpha
        case threshold
        /// x, or alpha · (eˣ − 1) if x is negative
        case elu
        case sigmoid, tanh, exp
        /// log(x), log(1 + x) and eˣ − 1, the latter two accurate near 0
        case log, log1p, expm1
        /// log(1 + eˣ)
        case softplus
        /// x / (1 + |x|)
        case softsign
        /// The error function, and one minus it
        case erf, erfc
        /// x · sigmoid(alpha · x)
        case swish
        /// x · tanh(softplus(x))
        case mish
        /// x · (1 + erf(x / √2)) / 2, and the same with tanh(√(2 / π) · (x + 0.044715 · x³)) instead of erf
        case gelu, geluByTanh
        /// x · min(max(alpha · x + beta, 0), 1)
        case hardSwish
        /// min(max(alpha · x + beta, 0), 1)
        case hardSigmoid
        /// alpha · x + beta
        case linear
        /// alpha · x, or beta · (eˣ − 1) if x is negative
        case selu
        case square, squareRoot, reciprocal, reciprocalSquareRoot, absolute
        /// −1, 0 or 1
        case sign
        /// To an integer: up, down, or to the nearest, ties to even
        case ceiling, floor, round
        /// The nearest half-precision value, ties to even
        case half
        /// The nearest of the levels from alpha to beta, which are `step` apart, ties to the higher one. Every step is rounded
        /// as in TensorFlow's fake quantization.
        case level
    }

    public var kind: Kind
    public var alpha: Float
    public var beta: Float
    public var step: Float

    public init(_ kind: Kind, alpha: Float = 0, beta: Float = 0, step: Float = 1) {
        self.kind = kind
        self.alpha = alpha
        self.beta = beta
        self.step = step
    }
}

/// A function of two values, the left and the right one of `RowWork`.
public enum BinaryFunction: UInt8, Sendable, CaseIterable {
    case add, subtract, multiply, divide, maximum, minimum, squaredDifference, power
}

/// Rows of values for elementwise work: `count` rows of `width` values. Each operand has its own stride.
///
/// A table's kernels read and write rows of blocks, plain kernels read and write rows of floats. On the right side, only
/// values that are combined element by element have the type of the rows. All others are floats.
///
/// A unary kernel reads `left`. `scale` computes `left · right + offset`, both with the right side's stride and
/// pattern. `softmax` turns each row of `left` into a distribution, `logSoftmax` into the logarithms of one.
/// `normalize` brings each row to mean 0 and variance 1 and then applies `scale`. `normalizeLength` brings each row to
/// length 1. `planeMoments` reads the rows of a plane and writes floats: the means of its channels, then the sums of the
/// squared distances from them.
public struct RowWork {
    /// How a row of the right side is broadcast to a row of the left.
    public enum Pattern: UInt8, Sendable {
        /// Element by element.
        case each
        /// The values of one block, repeated: one value per channel in the blocked layout.
        case block
        /// One value for the whole row.
        case one
    }

    public var left: UnsafeRawPointer
    public var leftStride: Int
    public var right: UnsafeRawPointer
    public var rightStride = 0
    public var pattern = Pattern.each
    /// Whether the operands are swapped: `right − left`, `right / left`.
    public var swapped = false
    public var offset: UnsafeRawPointer
    /// The bounds to which `scale` clamps its results.
    public var lower = -Float.infinity
    public var upper = Float.infinity
    public var output: UnsafeMutableRawPointer
    public var outputStride: Int
    public var width: Int
    public var count: Int

    public init(
        left: UnsafeRawPointer, leftStride: Int, output: UnsafeMutableRawPointer, outputStride: Int, width: Int,
        count: Int
    ) {
        self.left = left
        self.leftStride = leftStride
        self.right = left
        self.offset = left
        self.output = output
        self.outputStride = outputStride
        self.width = width
        self.count = count
    }
}
