/// A depthwise convolution over rows of an image in the blocked layout. For each channel it computes
///
///     output[y, x] = activation(bias + Σ ky, kx input[y · strideY + ky, x · strideX + kx] · weight)
///
/// The input is stored with its border of zeros.
public struct DepthwiseWork {
    /// The input of the first output's first tap, in the first plane.
    public var input: UnsafeRawPointer
    public var inputRowStride: Int
    public var inputBlockStride: Int
    public var strideY: Int
    public var strideX: Int
    public var windowHeight: Int
    public var windowWidth: Int
    /// The distance from one tap to the next: a row, or a pixel, times the dilation.
    public var tapStrideY: Int
    public var tapStrideX: Int
    /// The weights of these blocks as packed by `packDepthwise`.
    public var weights: UnsafeRawPointer
    /// One value for each channel of these blocks, padded to whole blocks.
    public var bias: UnsafePointer<Float>
    /// The first pixel of the first plane.
    public var output: UnsafeMutableRawPointer
    public var outputRowStride: Int
    public var outputBlockStride: Int
    /// Output pixels in a row.
    public var width: Int
    public var firstRow = 0
    public var rowCount: Int
    public var blockCount: Int
    /// Clamping covers no activation, relu and relu6. Any other activation is applied to the stored row.
    public var lower = -Float.infinity
    public var upper = Float.infinity
    public var activation: UnaryFunction?

    public init(
        input: UnsafeRawPointer, inputRowStride: Int, inputBlockStride: Int, strideY: Int, strideX: Int,
        windowHeight: Int, windowWidth: Int, tapStrideY: Int, tapStrideX: Int, weights: UnsafeRawPointer,
        bias: UnsafePointer<Float>, output: UnsafeMutableRawPointer, outputRowStride: Int, outputBlockStride: Int,
        width: Int, rowCount: Int, blockCount: Int
    ) {
        self.input = input
        self.inputRowStride = inputRowStride
        self.inputBlockStride = inputBlockStride
        self.strideY = strideY
        self.strideX = strideX
        self.windowHeight = windowHeight
        self.windowWidth = windowWidth
        self.tapStrideY = tapStrideY
        self.tapStrideX = tapStrideX
        self.weights = weights
        self.bias = bias
        self.output = output
        self.outputRowStride = outputRowStride
        self.outputBlockStride = outputBlockStride
        self.width = width
        self.rowCount = rowCount
        self.blockCount = blockCount
    }
}
