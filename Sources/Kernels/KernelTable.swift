/// Kernels for rows of values: see `RowWork`.
public protocol RowKernels: Sendable {
    static func unary(_ function: UnaryFunction, _ work: borrowing RowWork)
    static func binary(_ function: BinaryFunction, _ work: borrowing RowWork)
    static func scale(_ work: borrowing RowWork)
}

/// The kernels of one instruction set for plain tensors, whose values are floats, and for pixels of 8 bits.
public protocol PlainKernels: RowKernels {
    static func softmax(_ work: borrowing RowWork)
    static func logSoftmax(_ work: borrowing RowWork)
    static func normalize(_ epsilon: Float, _ work: borrowing RowWork)
    static func normalizeLength(_ epsilon: Float, _ work: borrowing RowWork)
    static func normalizeLocally(_ work: borrowing LocalNormalizationWork)
    static func copy(_ work: borrowing CopyWork)
    static func reduce(_ work: borrowing ReductionWork)
    static func multiplyMatrices(_ work: borrowing MatrixWork)

    static func loadPixels(_ work: borrowing PixelLoadWork)
    static func resampleRows(_ work: borrowing ResamplingWork)
    static func resampleColumns(_ work: borrowing ResamplingWork)
}

/// The kernels for Winograd convolutions.
public protocol WinogradKernels: Sendable {
    /// The table whose convolution multiplies the transforms. They have its type.
    static func products(_ form: WinogradForm) -> any KernelTable.Type
    /// Copies the weights of a group as floats: a row of its channels for each step.
    static func gatherWeights(_ work: borrowing WeightPackingWork)
    /// Transforms the weights written by `gatherWeights`. The transforms are floats.
    static func transformFilters(_ work: borrowing WinogradFilterWork)
    static func transformInput(_ work: borrowing WinogradInputWork)
    static func transformOutput(_ work: borrowing WinogradOutputWork)
}

/// The kernels of one instruction set for one precision: the contract between the engine and its kernels. This file is
/// the only list of them.
///
/// Every kernel takes one plain structure of pointers and values. It allocates nothing, keeps no state, and may run on
/// several threads at the same time on different parts of the work. The same source is compiled once for each
/// instruction set, and each compilation provides a table for each precision.
///
/// There are two layouts. *Plain* is the layout of the tensor itself: rows of floats, channels last. *Blocked* is
/// `[channels / blockWidth][height + halo][width + halo][blockWidth]` in the table's own type: one *plane* for every
/// block of channels. The last block is padded with zeros. Per-channel values (biases, factors, sums of all pixels) are
/// floats. Packed weights have whatever order and type the table's kernels read. The engine only reserves memory for
/// them.
///
/// Offsets and strides are in bytes, sizes and counts in pixels, channels or values.
public protocol KernelTable: RowKernels {
    /// The kernels for plain tensors, and for products of floats.
    static var plain: any (KernelTable & PlainKernels).Type { get }
    /// The number of channels in a block.
    static var blockWidth: Int { get }
    /// The type of the values in the blocked layout.
    static var valueType: BlockedValueType { get }
    /// The maximum number of blocks of output channels that a convolution computes together: the width of a group of
    /// packed weights.
    static var groupBlocks: Int { get }
    /// The maximum number of output pixels that a convolution computes together.
    static var tilePixels: Int { get }
    /// The processor cycles that the cost model assumes for multiplying and adding one block of values.
    static var cyclesPerVector: Double { get }
    /// The kernels for Winograd convolutions, if there are any.
    static var winograd: (any WinogradKernels.Type)? { get }

    // Convolutions. A group's packed weights follow those of the groups before it, and have the same number of bytes
    // for each of its blocks.

    /// The bytes of the packed weights of one block of output channels.
    static func packedBytes(_ steps: ConvolutionSteps) -> Int
    /// The bytes of scratch memory that a convolution needs.
    static func scratchBytes(_ steps: ConvolutionSteps) -> Int
    static func packWeights(_ work: borrowing WeightPackingWork)
    static func scaleWeights(_ work: borrowing WeightScalingWork)
    static func convolve(_ work: borrowing ConvolutionWork)

    /// The bytes of the packed weights of one block of channels.
    /// - Parameter steps: A tap for each row of the window, whose values are a row's.
    static func packedDepthwiseBytes(_ steps: ConvolutionSteps) -> Int
    /// The type of the values that a depthwise convolution multiplies.
    static var depthwiseType: BlockedValueType { get }
    static func packDepthwise(_ work: borrowing WeightPackingWork)
    static func convolveDepthwise(_ work: borrowing DepthwiseWork)

    // Images in the blocked layout.

    /// Copies rows of floats. The copies have the table's type.
    static func copyRows(_ work: borrowing RowWork)
    static func block(_ work: borrowing RelayoutWork)
    static func unblock(_ work: borrowing RelayoutWork)
    static func pool(_ work: borrowing PoolingWork)
    static func sumPixels(_ work: borrowing PixelSumWork)
    static func resize(_ work: borrowing ResizeWork)
    static func planeMoments(_ work: borrowing RowWork)

    /// Only multiplies and adds, as convolutions do, `rounds` times. Returns the number of floating-point operations.
    static func peak(_ rounds: Int) -> Int
}

extension KernelTable {
    /// The bytes of a pixel in one plane.
    @inlinable public static var pixelBytes: Int { blockWidth * valueType.size }

    /// Whether images are rounded when they are stored. Their rounding errors are larger than those of any algorithm.
    public static var roundsImages: Bool { valueType != .float32 }

    /// Whether images of the 8-bit integer kernels may be between its own: they have blocks of the same width, and are
    /// converted from and to floats.
    public static var fitsIntegerKernels: Bool { blockWidth == integerBlockWidth && valueType == .float32 }

    public static func scratchBytes(_: ConvolutionSteps) -> Int { 0 }

    public static var depthwiseType: BlockedValueType { valueType }
}

/// The types of values that a table can have.
public enum BlockedValueType: UInt8, Sendable {
    case float32, bfloat16

    /// Bytes of one value.
    @inlinable public var size: Int {
        switch self {
        case .float32: 4
        case .bfloat16: 2
        }
    }
}
