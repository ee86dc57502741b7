/// Converts one image between the plain layout, whose values are floats, and the blocked layout, in either direction,
/// block by block.
public struct RelayoutWork {
    /// The first pixel. Its row and pixel strides account for a halo.
    public var plain: UnsafeMutableRawPointer
    public var plainRowStride: Int
    public var plainPixelStride: Int
    /// The first pixel of the first plane, after the halo.
    public var blocked: UnsafeMutableRawPointer
    public var blockedRowStride: Int
    public var blockedBlockStride: Int
    public var height: Int
    public var width: Int
    public var channels: Int
    public var firstBlock = 0
    public var blockCount: Int

    public init(
        plain: UnsafeMutableRawPointer, plainRowStride: Int, plainPixelStride: Int,
        blocked: UnsafeMutableRawPointer, blockedRowStride: Int, blockedBlockStride: Int, height: Int, width: Int,
        channels: Int, blockCount: Int
    ) {
        self.plain = plain
        self.plainRowStride = plainRowStride
        self.plainPixelStride = plainPixelStride
        self.blocked = blocked
        self.blockedRowStride = blockedRowStride
        self.blockedBlockStride = blockedBlockStride
        self.height = height
        self.width = width
        self.channels = channels
        self.blockCount = blockCount
    }
}

/// Converts 8-bit pixels to floats, row by row: `output = scale · pixel + bias`, product and sum each rounded, so that
/// quantized images are the same on every instruction set. Scale and bias are patterns of 48 values, which is a whole
/// number of pixels of 1, 3 or 4 channels.
public struct PixelLoadWork {
    public static let patternWidth = 48

    public var pixels: UnsafePointer<UInt8>
    public var pixelRowStride: Int
    public var scale: UnsafePointer<Float>
    public var bias: UnsafePointer<Float>
    public var output: UnsafeMutableRawPointer
    public var outputRowStride: Int
    /// Values in a row: pixels times channels.
    public var width: Int
    public var rowCount: Int

    public init(
        pixels: UnsafePointer<UInt8>, pixelRowStride: Int, scale: UnsafePointer<Float>, bias: UnsafePointer<Float>,
        output: UnsafeMutableRawPointer, outputRowStride: Int, width: Int, rowCount: Int
    ) {
        self.pixels = pixels
        self.pixelRowStride = pixelRowStride
        self.scale = scale
        self.bias = bias
        self.output = output
        self.outputRowStride = outputRowStride
        self.width = width
        self.rowCount = rowCount
    }
}
