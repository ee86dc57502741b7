/// A function of one number. `alpha` and `beta` are what the case says.
public struct UnaryFunction: Equatable, Sendable {
    public enum Kind: UInt8, Sendable, CaseIterable {
        /// min(max(x, alpha), beta)
        case clamp
        /// x, or alpha · x where x is negative
        case leaky
        /// x, or alpha · (eˣ − 1) where x is negative
        case elu
        case sigmoid, tanh, exp
        /// log(x), log(1 + x) and eˣ − 1, the latter two exact near 0
        case log, log1p, expm1
        /// log(1 + eˣ)
        case softplus
        /// x / (1 + |x|)
        case softsign
        /// The error function, and one less it
        case erf, erfc
        /// x · sigmoid(alpha · x)
        case swish
        /// x · tanh(softplus(x))
        case mish
        /// x · (1 + erf(x / √2)) / 2, and with tanh(√(2 / π) · (x + 0.044715 · x³)) in place of erf
        case gelu, geluByTanh
        /// x · min(max(alpha · x + beta, 0), 1)
        case hardSwish
        /// min(max(alpha · x + beta, 0), 1)
        case hardSigmoid
        /// alpha · x + beta
        case linear
        /// alpha · x, or beta · (eˣ − 1) where x is negative
        case selu
        case square, squareRoot, reciprocal, reciprocalSquareRoot, absolute
        /// −1, 0 or 1
        case sign
        /// To an integer: up, down, or to the nearest, halves to the even one
        case ceiling, floor, round
    }

    public var kind: Kind
    public var alpha: Float
    public var beta: Float

    public init(_ kind: Kind, alpha: Float = 0, beta: Float = 0) {
        self.kind = kind
        self.alpha = alpha
        self.beta = beta
    }
}

/// A function of two numbers, the left one and the right one of `RowWork`.
public enum BinaryFunction: UInt8, Sendable, CaseIterable {
    case add, subtract, multiply, divide, maximum, minimum, squaredDifference, power
}

/// Rows of numbers that are worked on one by one: `count` rows of `width` floats, each array with its own stride.
///
/// A unary kernel reads `left`. `scale` gives `left · right + offset`, both with the right side's stride and pattern.
/// `softmax` makes each row of `left` a distribution. `normalize` brings each row to mean 0 and variance 1, then does as
/// `scale`; `normalizeLength` brings each to the length 1. `planeMoments` reads rows of blocks and writes 16 means and 16
/// sums of squared distances from them.
public struct RowWork {
    /// How one row of the right side meets a row of the left.
    public enum Pattern: UInt8, Sendable {
        /// Number by number.
        case each
        /// 16 numbers, over and over: one value a channel, in the blocked layout.
        case block
        /// One number for the whole row.
        case one
    }

    public var left: UnsafePointer<Float>
    public var leftStride: Int
    public var right: UnsafePointer<Float>
    public var rightStride = 0
    public var pattern = Pattern.each
    /// The right side stands on the left: `right − left`, `right / left`.
    public var swapped = false
    public var offset: UnsafePointer<Float>
    /// Between which `scale` clamps its results.
    public var lower = -Float.infinity
    public var upper = Float.infinity
    public var output: UnsafeMutablePointer<Float>
    public var outputStride: Int
    public var width: Int
    public var count: Int

    public init(
        left: UnsafePointer<Float>, leftStride: Int, output: UnsafeMutablePointer<Float>, outputStride: Int, width: Int,
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
