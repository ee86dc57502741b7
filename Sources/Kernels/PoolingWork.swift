/// Pooling of one image in the blocked layout. Windows are clipped to the image, so padding is never read.
public struct PoolingWork {
    public enum Kind: UInt8, Sendable { case maximum, average }

    public var kind: Kind
    /// The first pixel of the first plane, after the halo.
    public var input: UnsafeRawPointer
    public var inputRowStride: Int
    public var inputBlockStride: Int
    public var inputHeight: Int
    public var inputWidth: Int
    public var output: UnsafeMutableRawPointer
    public var outputRowStride: Int
    public var outputBlockStride: Int
    public var outputWidth: Int
    public var windowHeight: Int
    public var windowWidth: Int
    public var strideY: Int
    public var strideX: Int
    public var padTop: Int
    public var padLeft: Int
    /// Whether an average divides by the size of the whole window, including padding.
    public var countsPadding = false
    public var rowCount: Int
    public var blockCount: Int

    public init(
        kind: Kind, input: UnsafeRawPointer, inputRowStride: Int, inputBlockStride: Int, inputHeight: Int,
        inputWidth: Int, output: UnsafeMutableRawPointer, outputRowStride: Int, outputBlockStride: Int,
        outputWidth: Int, windowHeight: Int, windowWidth: Int, strideY: Int, strideX: Int, padTop: Int, padLeft: Int,
        rowCount: Int, blockCount: Int
    ) {
        self.kind = kind
        self.input = input
        self.inputRowStride = inputRowStride
        self.inputBlockStride = inputBlockStride
        self.inputHeight = inputHeight
        self.inputWidth = inputWidth
        self.output = output
        self.outputRowStride = outputRowStride
        self.outputBlockStride = outputBlockStride
        self.outputWidth = outputWidth
        self.windowHeight = windowHeight
        self.windowWidth = windowWidth
        self.strideY = strideY
        self.strideX = strideX
        self.padTop = padTop
        self.padLeft = padLeft
        self.rowCount = rowCount
        self.blockCount = blockCount
    }
}

/// Sums all pixels of each channel and multiplies by `factor`. The input is in the blocked layout, the output is one
/// float per channel.
public struct PixelSumWork {
    public var input: UnsafeRawPointer
    public var inputRowStride: Int
    public var inputBlockStride: Int
    public var height: Int
    public var width: Int
    public var factor: Float
    public var output: UnsafeMutablePointer<Float>
    /// Channels of the output. The last block is not written past them.
    public var channels: Int
    public var firstBlock = 0
    public var blockCount: Int

    public init(
        input: UnsafeRawPointer, inputRowStride: Int, inputBlockStride: Int, height: Int, width: Int, factor: Float,
        output: UnsafeMutablePointer<Float>, channels: Int, blockCount: Int
    ) {
        self.input = input
        self.inputRowStride = inputRowStride
        self.inputBlockStride = inputBlockStride
        self.height = height
        self.width = width
        self.factor = factor
        self.output = output
        self.channels = channels
        self.blockCount = blockCount
    }
}

/// The columns of the output whose windows are entirely inside the input.
public func wholeWindows(
    inputWidth: Int, outputWidth: Int, windowWidth: Int, strideX: Int, padLeft: Int
) -> Range<Int> {
    let first = min((padLeft + strideX - 1) / strideX, outputWidth)
    let room = inputWidth + padLeft - windowWidth
    return first..<max(room < 0 ? 0 : min(room / strideX + 1, outputWidth), first)
}
