/// The 8-bit integer kernels of one instruction set. Their results are defined bit by bit, so every table gives the
/// same ones.
///
/// Quantized values are unsigned. Quantized images have the blocked layout, with one byte per value and `blockWidth`
/// channels in a block. A step of a convolution's inner loop multiplies four adjacent values of a pixel, a *quad*, by
/// four weights of each output channel.
public protocol IntegerKernels: Sendable {
    /// The maximum number of blocks of output channels that a convolution computes together.
    static var groupBlocks: Int { get }
    /// The maximum number of output pixels that a convolution computes together.
    static var tilePixels: Int { get }

    /// Whether two adjacent weights of a quad may both be −128.
    static var supportsLowestPairs: Bool { get }
    /// The bytes of the packed weights of one block of output channels.
    static func packedBytes(_ steps: IntegerSteps) -> Int
    /// The bytes of scratch memory that a convolution needs.
    static func scratchBytes(_ steps: IntegerSteps) -> Int
    static func packWeights(_ work: borrowing IntegerPackingWork)
    static func convolve(_ work: borrowing IntegerConvolutionWork)

    /// The kernels for Winograd convolutions, if they are faster.
    static var winograd: (any IntegerWinogradKernels.Type)? { get }

    /// The bytes of the packed weights of one block of channels.
    static func packedDepthwiseBytes(window: Int) -> Int
    static func packDepthwise(_ work: borrowing IntegerPackingWork)
    static func convolveDepthwise(_ work: borrowing IntegerDepthwiseWork)

    static func add(_ work: borrowing IntegerAdditionWork)
    static func multiply(_ work: borrowing IntegerMultiplicationWork)
    static func scale(_ work: borrowing IntegerScaleWork)
    static func pool(_ work: borrowing IntegerPoolingWork)
    static func averagePixels(_ work: borrowing IntegerMeanWork)
    static func lookUp(_ work: borrowing LookupWork)
    static func quantize(_ work: borrowing QuantizationWork)
    static func dequantize(_ work: borrowing QuantizationWork)
    static func block(_ work: borrowing RelayoutWork)
    static func unblock(_ work: borrowing RelayoutWork)

    /// Only multiplies and adds, `rounds` times. Returns the number of operations.
    static func peak(_ rounds: Int) -> Int
}

extension IntegerKernels {
    public static var supportsLowestPairs: Bool { true }
}
