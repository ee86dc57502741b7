/// What a convolution kernel does, of any size, stride and dilation: for each of `pixelCount` output pixels and each of
/// `blockCount` blocks of 16 output channels
///
///     output[pixel, channel] = activation(bias[channel] + Σ tap Σ d<depth input[pixel + tap + d] · weight + residual)
///
/// Pixels and taps are lists of offsets, so that one kernel serves 1×1, k×k, strided and dilated convolutions, dense
/// layers (a pixel is a row) and the first layer over a plain image (a tap is a row of the window, `depth` its width
/// times its channels). An input is stored with its zero border; there are no edge cases.
///
/// Weights are packed `[group][tap][depth][16 · blocks of the group]`; the groups are the `BlockGroups` of all output
/// channels.
public struct ConvolutionWork {
    public var input: UnsafePointer<Float>
    /// Of each output pixel: where its first tap lies in the input.
    public var inputOffsets: UnsafePointer<Int32>
    /// Where each tap lies, from the first.
    public var taps: UnsafePointer<Int32>
    public var tapCount: Int
    public var depth = blockWidth
    /// So many of the last taps are less deep, where the last block has fewer channels.
    public var shortTaps = 0
    public var shortDepth = 0
    /// Multiply-adds for each output.
    public var steps: Int { (tapCount - shortTaps) * depth + shortTaps * shortDepth }

    public var weights: UnsafePointer<Float>
    /// One value for each output channel, filled up to whole blocks.
    public var bias: UnsafePointer<Float>

    public var output: UnsafeMutablePointer<Float>
    /// Of each output pixel: where it lies in a block's plane.
    public var outputOffsets: UnsafePointer<Int32>
    public var outputBlockStride: Int
    /// Channels that the output has room for: in a plain output the last block is not written past them.
    public var channels: Int

    /// What is added before the activation; has the output's blocks and pixels.
    public var residual: UnsafePointer<Float>?
    public var residualOffsets: UnsafePointer<Int32>?
    public var residualBlockStride = 0

    /// Clamping serves none, relu and relu6; anything else is done to the stored tile.
    public var lower = -Float.infinity
    public var upper = Float.infinity
    public var activation: UnaryFunction?

    public var firstPixel = 0
    public var pixelCount: Int
    /// The first of a group, as what ends the work is the last of one.
    public var firstBlock = 0
    public var blockCount: Int

    public init(
        input: UnsafePointer<Float>, inputOffsets: UnsafePointer<Int32>, taps: UnsafePointer<Int32>, tapCount: Int,
        weights: UnsafePointer<Float>, bias: UnsafePointer<Float>, output: UnsafeMutablePointer<Float>,
        outputOffsets: UnsafePointer<Int32>, outputBlockStride: Int, channels: Int, pixelCount: Int, blockCount: Int
    ) {
        self.input = input
        self.inputOffsets = inputOffsets
        self.taps = taps
        self.tapCount = tapCount
        self.weights = weights
        self.bias = bias
        self.output = output
        self.outputOffsets = outputOffsets
        self.outputBlockStride = outputBlockStride
        self.channels = channels
        self.pixelCount = pixelCount
        self.blockCount = blockCount
    }
}
