import Kernels

/// An operation that the engine has kernels for. One without this runs by its reference, `evaluate`.
protocol EngineOperation: Operation {
    /// What the kernels are to compute, or nil where the operation as it stands, with these types, is not for them.
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm?
}

/// What the engine's kernels compute: the words in which operations speak to the engine. How it is laid out, fused and
/// split is the engine's matter. All of it is float32, channels last.
enum EngineForm {
    /// Filters height, width, channels of a group, output channels; bias one number an output channel.
    case convolution(filters: Tensor, bias: Tensor?, window: Window)
    /// Filters height, width, channel, multiplier.
    case depthwise(filters: Tensor, bias: Tensor?, window: Window)
    /// Matrix inputs, outputs; the input has two axes.
    case dense(matrix: Tensor, bias: Tensor?)
    case pooling(PoolingWork.Kind, window: Window, countsPadding: Bool)
    /// The sum over height and width of an image, times a factor; the axes may stay or go.
    case pixelSum(factor: Float)
    case unary(UnaryFunction)
    /// Two inputs of one shape.
    case binary(BinaryFunction)
    /// Two inputs: an image, which of the two it is, and one number for each of its channels. Channels fill whole blocks.
    case binaryChannels(BinaryFunction, image: Int)
    /// One input and one operand that is known: a single number, or one number for each channel (the last axis).
    case binaryConstant(BinaryFunction, operand: Tensor, constantFirst: Bool)
    /// Each channel (the last axis) times a factor plus an offset.
    case scale(factor: Tensor, offset: Tensor)
    /// Two inputs that are broadcast.
    case broadcast(BinaryFunction)
    /// One input and one operand that is known, which are broadcast.
    case broadcastConstant(BinaryFunction, operand: Tensor, constantFirst: Bool)
    case softmax(axis: Int, isLogarithmic: Bool)
    /// Along some axes to mean 0 and variance 1, then times a factor plus an offset, which are broadcast.
    case normalization(axes: [Int], epsilon: Float, scale: Tensor?, offset: Tensor?)
    /// The same over height and width of an image, and over its channels too where they are taken together; factor and
    /// offset are one number a channel.
    case imageNormalization(acrossChannels: Bool, epsilon: Float, scale: Tensor, offset: Tensor)
    /// Along some axes to the length 1; the square of a length is taken for epsilon at least.
    case lengthNormalization(axes: [Int], epsilon: Float)
    /// The sum (or the largest, smallest, product) along some axes, times a factor.
    case reduction(ReductionWork.Kind, axes: [Int], factor: Float)
    case matrixProduct(transposeFirst: Bool, transposeSecond: Bool)
    /// Elements of the input moved about; the only form with several outputs.
    case dataMovement(DataMovement)
    /// The same elements under another shape.
    case reshape
    /// A border of zeros around an image.
    case border(height: (before: Int, after: Int), width: (before: Int, after: Int))
    case concatenation(axis: Int)
    case resize(rows: Taps, columns: Taps)
    /// Each number over a power of bias + alpha · the sum of the squares of the channels around it.
    case localNormalization(radius: Int, bias: Float, alpha: Float, power: LocalNormalizationWork.Power)
    case interleaving(Phases)
}
