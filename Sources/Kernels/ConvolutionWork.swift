/// The multiply-adds of a convolution for each output value: `depth` adjacent input values at each of `tapCount` taps.
public struct ConvolutionSteps: Hashable, Sendable {
    public var tapCount: Int
    public var depth: Int
    /// The last `shortTaps` taps have the depth `shortDepth`, because the last block has fewer channels.
    public var shortTaps = 0
    public var shortDepth = 0

    public init(tapCount: Int, depth: Int) {
        self.tapCount = tapCount
        self.depth = depth
    }

    /// Multiply-adds for each output value.
    public var count: Int { (tapCount - shortTaps) * depth + shortTaps * shortDepth }
}

/// The work of a convolution kernel for any size, stride and dilation. For each of `pixelCount` output pixels and each
/// of `blockCount` blocks of output channels it computes
///
///     output[pixel, channel] = activation(bias[channel] + Σ tap Σ d<depth input[pixel + tap + d] · weight + residual)
///
/// Pixels and taps are lists of offsets, so that one kernel serves 1×1, k×k, strided and dilated convolutions, dense
/// layers (a pixel is a row) and the first layer over an image in rows (a tap is a row of the window, and `depth` its
/// width times its channels). The input is stored with its border of zeros; there are no edge cases.
public struct ConvolutionWork {
    public var input: UnsafeRawPointer
    /// For each output pixel, the offset of its first tap in the input.
    public var inputOffsets: UnsafePointer<Int32>
    /// The offset of each tap from the first one.
    public var taps: UnsafePointer<Int32>
    public var steps: ConvolutionSteps

    /// The weights of all output channels as packed by `packWeights`, in their `BlockGroups`.
    public var weights: UnsafeRawPointer
    /// One value for each output channel, padded to whole blocks.
    public var bias: UnsafePointer<Float>

    public var output: UnsafeMutableRawPointer
    /// For each output pixel, its offset in a block's plane.
    public var outputOffsets: UnsafePointer<Int32>
    public var outputBlockStride: Int
    /// Whether the output is plain.
    public var writesPlain = false
    /// The channels for which the output has memory: in a plain output, the last block is not written past them.
    public var channels: Int

    /// Added before the activation. It has the blocks and pixels of the output.
    public var residual: UnsafeRawPointer?
    /// Whether the residual is plain. If so, input and output are too.
    public var addsPlain = false
    public var residualOffsets: UnsafePointer<Int32>?
    public var residualBlockStride = 0

    /// Clamping covers no activation, relu and relu6. Any other activation is applied to the stored tile.
    public var lower = -Float.infinity
    public var upper = Float.infinity
    public var activation: UnaryFunction?

    public var firstPixel = 0
    public var pixelCount: Int
    /// Always the first block of a group. Likewise, the last block of the work is the last of a group.
    public var firstBlock = 0
    public var blockCount: Int

    /// Scratch memory of `scratchBytes` bytes; nil if none is needed. Its contents are not kept between calls.
    public var scratch: UnsafeMutableRawPointer?

    public init(
        input: UnsafeRawPointer, inputOffsets: UnsafePointer<Int32>, taps: UnsafePointer<Int32>,
        steps: ConvolutionSteps, weights: UnsafeRawPointer, bias: UnsafePointer<Float>,
        output: UnsafeMutableRawPointer, outputOffsets: UnsafePointer<Int32>, outputBlockStride: Int, channels: Int,
        pixelCount: Int, blockCount: Int
    ) {
        self.input = input
        self.inputOffsets = inputOffsets
        self.taps = taps
        self.steps = steps
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
