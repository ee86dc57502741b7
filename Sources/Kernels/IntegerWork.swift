/// The number of channels in a block of a quantized image.
public let integerBlockWidth = 16

/// Packs the weights of one group of output channels.
public struct IntegerPackingWork {
    /// Rows of quantized values, with one value per output channel.
    public var quantized: UnsafePointer<Int8>
    public var rowStride: Int
    /// The row of each weight of each quad, or of each tap of a depthwise convolution; −1 for a weight of zero.
    public var rows: UnsafePointer<Int32>
    public var rowCount: Int
    /// Which quads belong to the same tap. (Not used for depthwise convolutions.)
    public var steps: IntegerSteps
    public var firstColumn: Int
    public var columnCount: Int
    public var blockCount: Int
    /// The destination, which must contain zeros.
    public var packed: UnsafeMutableRawPointer

    public init(
        quantized: UnsafePointer<Int8>, rowStride: Int, rows: UnsafePointer<Int32>, rowCount: Int,
        steps: IntegerSteps = IntegerSteps(tapCount: 0, quads: 0), firstColumn: Int, columnCount: Int, blockCount: Int,
        packed: UnsafeMutableRawPointer
    ) {
        self.quantized = quantized
        self.rowStride = rowStride
        self.rows = rows
        self.rowCount = rowCount
        self.steps = steps
        self.firstColumn = firstColumn
        self.columnCount = columnCount
        self.blockCount = blockCount
        self.packed = packed
    }
}

/// The steps of an 8-bit integer convolution: `quads` adjacent quads at each of `tapCount` taps. The last `shortTaps`
/// taps have `shortQuads`, because the last block has fewer channels.
public struct IntegerSteps: Hashable, Sendable {
    public var tapCount: Int
    public var quads: Int
    public var shortTaps = 0
    public var shortQuads = 0

    public init(tapCount: Int, quads: Int) {
        self.tapCount = tapCount
        self.quads = quads
    }

    public var count: Int { (tapCount - shortTaps) * quads + shortTaps * shortQuads }
}

/// What the accumulators of an 8-bit integer convolution become. For each output pixel and channel, the result is
///
///     q = round(float(accumulator) · factor[channel])
///
/// where the accumulator is a 32-bit integer that includes the bias, followed by one float product. `rounding` defines how
/// it is rounded and clamped. With a residual, the result is added to the residual as `addition` defines. Without
/// `rounding`, the result is the product, clamped to `lower` and `upper`.
public struct IntegerResults {
    /// Values for all output channels, padded to whole blocks. The bias subtracts the contribution of the input's zero
    /// point.
    public var bias: UnsafePointer<Int32>
    public var factors: UnsafePointer<Float>
    public var rounding: QuantizedRounding?
    public var lower = -Float.infinity
    public var upper = Float.infinity

    public var output: UnsafeMutableRawPointer
    public var outputOffsets: UnsafePointer<Int32>
    public var outputBlockStride: Int
    /// The channels for which the output has memory.
    public var channels: Int

    public var residual: UnsafeRawPointer?
    public var residualOffsets: UnsafePointer<Int32>?
    public var residualBlockStride = 0
    public var addition: QuantizedAddition?

    /// Always the first block of a group. Likewise, the last block of the work is the last of a group.
    public var firstBlock = 0
    public var blockCount: Int

    public init(
        bias: UnsafePointer<Int32>, factors: UnsafePointer<Float>, rounding: QuantizedRounding?,
        output: UnsafeMutableRawPointer, outputOffsets: UnsafePointer<Int32>, outputBlockStride: Int, channels: Int,
        blockCount: Int
    ) {
        self.bias = bias
        self.factors = factors
        self.rounding = rounding
        self.output = output
        self.outputOffsets = outputOffsets
        self.outputBlockStride = outputBlockStride
        self.channels = channels
        self.blockCount = blockCount
    }
}

/// An 8-bit integer convolution. An accumulator is `bias[channel] + Σ input · weight`.
///
/// Pixels and taps are lists of offsets, as for float convolutions. The border of the input holds its zero point.
public struct IntegerConvolutionWork {
    public var input: UnsafeRawPointer
    public var inputOffsets: UnsafePointer<Int32>
    public var taps: UnsafePointer<Int32>
    public var steps: IntegerSteps
    public var weights: UnsafeRawPointer
    public var results: IntegerResults
    /// Scratch memory of `scratchBytes` bytes. Its contents are not kept between calls.
    public var scratch: UnsafeMutableRawPointer
    public var firstPixel = 0
    public var pixelCount: Int

    public init(
        input: UnsafeRawPointer, inputOffsets: UnsafePointer<Int32>, taps: UnsafePointer<Int32>, steps: IntegerSteps,
        weights: UnsafeRawPointer, results: IntegerResults, pixelCount: Int, scratch: UnsafeMutableRawPointer
    ) {
        self.input = input
        self.inputOffsets = inputOffsets
        self.taps = taps
        self.steps = steps
        self.weights = weights
        self.results = results
        self.pixelCount = pixelCount
        self.scratch = scratch
    }
}

/// An 8-bit integer depthwise convolution over rows of an image; the arithmetic is that of `IntegerConvolutionWork`.
public struct IntegerDepthwiseWork {
    /// The input of the first output's first tap, in the block's plane. Up to 48 bytes past the last tap may be read.
    public var input: UnsafeRawPointer
    public var inputRowStride: Int
    public var strideY: Int
    public var strideX: Int
    public var windowHeight: Int
    public var windowWidth: Int
    public var tapStrideY: Int
    public var tapStrideX: Int
    /// The parameters of the block.
    public var weights: UnsafeRawPointer
    public var bias: UnsafePointer<Int32>
    public var factors: UnsafePointer<Float>
    public var rounding: QuantizedRounding
    /// The first pixel of the block's plane.
    public var output: UnsafeMutableRawPointer
    public var outputRowStride: Int
    public var width: Int
    public var firstRow: Int
    public var rowCount: Int

    public init(
        input: UnsafeRawPointer, inputRowStride: Int, strideY: Int, strideX: Int, windowHeight: Int, windowWidth: Int,
        tapStrideY: Int, tapStrideX: Int, weights: UnsafeRawPointer, bias: UnsafePointer<Int32>,
        factors: UnsafePointer<Float>, rounding: QuantizedRounding, output: UnsafeMutableRawPointer,
        outputRowStride: Int, width: Int, firstRow: Int, rowCount: Int
    ) {
        self.input = input
        self.inputRowStride = inputRowStride
        self.strideY = strideY
        self.strideX = strideX
        self.windowHeight = windowHeight
        self.windowWidth = windowWidth
        self.tapStrideY = tapStrideY
        self.tapStrideX = tapStrideX
        self.weights = weights
        self.bias = bias
        self.factors = factors
        self.rounding = rounding
        self.output = output
        self.outputRowStride = outputRowStride
        self.width = width
        self.firstRow = firstRow
        self.rowCount = rowCount
    }
}

/// Pooling of one plane of a quantized image. Windows are clipped to the image. An average is
///
///     q = round(float(Σ input − count · zero) · factors[count])
///
/// where `count` is the number of pixels in the window.
public struct IntegerPoolingWork {
    public var kind: PoolingWork.Kind
    public var input: UnsafePointer<UInt8>
    public var inputRowStride: Int
    public var inputHeight: Int
    public var inputWidth: Int
    public var output: UnsafeMutablePointer<UInt8>
    public var outputRowStride: Int
    public var outputWidth: Int
    public var windowHeight: Int
    public var windowWidth: Int
    public var strideY: Int
    public var strideX: Int
    public var padTop: Int
    public var padLeft: Int
    public var rowCount: Int
    /// For each number of pixels in a window, the factor of their sum. For an average only, like the zero point and the
    /// rounding.
    public var factors: UnsafePointer<Float>
    public var zeroPoint: Int32
    public var rounding: QuantizedRounding
    /// `scratchBytes` for an image of this width.
    public var scratch: UnsafeMutableRawPointer

    /// A word for each channel of each column.
    public static func scratchBytes(inputWidth: Int) -> Int { inputWidth * integerBlockWidth * 4 }

    public init(
        kind: PoolingWork.Kind, input: UnsafePointer<UInt8>, inputRowStride: Int, inputHeight: Int, inputWidth: Int,
        output: UnsafeMutablePointer<UInt8>, outputRowStride: Int, outputWidth: Int, windowHeight: Int,
        windowWidth: Int, strideY: Int, strideX: Int, padTop: Int, padLeft: Int, rowCount: Int,
        factors: UnsafePointer<Float>, zeroPoint: Int, rounding: QuantizedRounding, scratch: UnsafeMutableRawPointer
    ) {
        self.kind = kind
        self.input = input
        self.inputRowStride = inputRowStride
        self.inputHeight = inputHeight
        self.inputWidth = inputWidth
        self.output = output
        self.outputRowStride = outputRowStride
        self.outputWidth = outputWidth
        self.windowHeight = windowHeight
        self.windowWidth = windowWidth
        self.strideY = strideY
        self.strideX = strideX
        self.padTop = padTop
        self.padLeft = padLeft
        self.rowCount = rowCount
        self.factors = factors
        self.zeroPoint = Int32(zeroPoint)
        self.rounding = rounding
        self.scratch = scratch
    }
}

/// The mean of all pixels of each channel: an average pooling of the whole image, with plain output.
public struct IntegerMeanWork {
    public var input: UnsafePointer<UInt8>
    public var inputRowStride: Int
    public var inputBlockStride: Int
    public var height: Int
    public var width: Int
    public var factor: Float
    public var zeroPoint: Int32
    public var rounding: QuantizedRounding
    public var output: UnsafeMutablePointer<UInt8>
    public var channels: Int
    public var firstBlock: Int
    public var blockCount: Int

    public init(
        input: UnsafePointer<UInt8>, inputRowStride: Int, inputBlockStride: Int, height: Int, width: Int,
        factor: Float, zeroPoint: Int, rounding: QuantizedRounding, output: UnsafeMutablePointer<UInt8>, channels: Int,
        firstBlock: Int, blockCount: Int
    ) {
        self.input = input
        self.inputRowStride = inputRowStride
        self.inputBlockStride = inputBlockStride
        self.height = height
        self.width = width
        self.factor = factor
        self.zeroPoint = Int32(zeroPoint)
        self.rounding = rounding
        self.output = output
        self.channels = channels
        self.firstBlock = firstBlock
        self.blockCount = blockCount
    }
}
