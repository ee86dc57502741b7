import Kernels

/// An operation for which the engine has kernels. Any other operation runs its reference implementation, `evaluate`.
protocol EngineOperation: Operation {
    /// The kernels' computation, or nil if they do not support the operation with these parameters and types.
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm?
}

/// An operation that the engine computes with other operations, because it has no kernels or because that is faster.
protocol EngineComposite: Operation {
    /// A sequence of operations with the same result; nil if they would not be faster, or take too much memory. The last
    /// of several only moves values, so that an activation after it can be applied before it.
    /// - Parameter blockWidth: The number of channels in a block of the engine's images.
    func engineOperations(_ inputs: [TensorType], blockWidth: Int) -> [any Operation]?
}

/// A computation of the engine's kernels: the interface between operations and the engine. Memory layout, fusion and
/// splitting are up to the engine. Values are float32 (uint8 in integer forms), channels last.
enum EngineForm {
    /// Filter axes: height, width, channels of a group, output channels. The bias has one value per output channel.
    case convolution(filters: Tensor, bias: Tensor?, window: Window)
    /// The same for a convolution whose output channels each read only some input channels: it is a full convolution
    /// within each section.
    case sections(filters: Tensor, bias: Tensor?, window: Window, ChannelSections)
    /// Filter axes: height, width, channel, multiplier.
    case depthwise(filters: Tensor, bias: Tensor?, window: Window)
    /// Filter axes: height, width, output channel. The output has several times as many blocks of channels as the input,
    /// which is read again for each multiple.
    case depthwisePhases(filters: Tensor, bias: Tensor?, window: Window)
    /// Matrix axes: inputs, outputs. The input has two axes.
    case dense(matrix: Tensor, bias: Tensor?)
    case pooling(PoolingWork.Kind, window: Window, countsPadding: Bool)
    /// The sum over height and width of an image, times a factor. The axes may be kept or removed.
    case pixelSum(factor: Float)
    case unary(UnaryFunction)
    /// Two inputs of the same shape.
    case binary(BinaryFunction)
    /// Two inputs: an image and one value for each of its channels. `image` is the index of the image.
    case binaryChannels(BinaryFunction, image: Int)
    /// One input and a constant operand: a single value, or one value for each channel (the last axis).
    case binaryConstant(BinaryFunction, operand: Tensor, constantFirst: Bool)
    /// Each channel (the last axis) times a factor, plus an offset.
    case scale(factor: Tensor, offset: Tensor)
    /// Two inputs that are broadcast.
    case broadcast(BinaryFunction)
    /// One input and a constant operand, which are broadcast.
    case broadcastConstant(BinaryFunction, operand: Tensor, constantFirst: Bool)
    case softmax(axis: Int, isLogarithmic: Bool)
    /// Normalizes to mean 0 and variance 1 along some axes, then applies scale and offset, which are broadcast.
    case normalization(axes: [Int], epsilon: Float, scale: Tensor?, offset: Tensor?)
    /// The same over the height and width of an image and, if `acrossChannels` is set, its channels. Scale and offset
    /// have one value per channel.
    case imageNormalization(acrossChannels: Bool, epsilon: Float, scale: Tensor, offset: Tensor)
    /// Normalizes to length 1 along some axes. The squared length is at least epsilon.
    case l2Normalization(axes: [Int], epsilon: Float)
    /// The sum (or maximum, minimum, product) along some axes, times a factor.
    case reduction(ReductionWork.Kind, axes: [Int], factor: Float)
    case matrixProduct(transposeFirst: Bool, transposeSecond: Bool)
    /// Three inputs, or four with a computed mask.
    case attention(factor: Float, mask: Tensor?)
    /// Copies elements of the input. The only form with several outputs.
    case dataMovement(DataMovement)
    /// The same elements with another shape.
    case reshape
    /// Adds a border of zeros around an image.
    case border(height: (before: Int, after: Int), width: (before: Int, after: Int))
    case concatenation(axis: Int)
    case resize(rows: FilterWeights, columns: FilterWeights)
    /// Each value divided by a power of bias + alpha · the sum of the squares of the neighboring channels.
    case localNormalization(radius: Int, bias: Float, alpha: Float, power: LocalNormalizationWork.Power)
    case interleaving(Phases)
    /// On values of type uint8.
    case integer(IntegerForm)
}
