/// One pass of a resize. Each output line of 8-bit samples is a weighted sum of input lines, in fixed point with
/// `ResamplingWork.fractionBits` fractional bits, rounded, and clamped to 0…255.
///
/// `resampleRows` changes the length of rows of pixels, `resampleColumns` that of columns, for which channels make no
/// difference.
public struct ResamplingWork {
    /// The fractional bits of a weight. They are the same as in Pillow, to make the same rounding possible.
    public static let fractionBits: Int32 = 22

    public var source: UnsafePointer<UInt8>
    /// Bytes from one row to the next.
    public var sourceStride: Int
    public var target: UnsafeMutablePointer<UInt8>
    public var targetStride: Int
    /// Bytes per pixel, 1 or 3. Ignored for columns.
    public var channels: Int
    /// For rows, the pixels of a source row that may be read; for columns, the bytes of a row.
    public var width: Int
    /// For rows, the rows of source and target. Ignored for columns.
    public var height: Int
    /// The output pixels along the axis. Each has the index of its first input pixel, the number of its taps, and `reach`
    /// stored weights.
    public var count: Int
    public var first: UnsafePointer<Int32>
    public var taps: UnsafePointer<Int32>
    public var weights: UnsafePointer<Int32>
    public var reach: Int
    /// For rows, memory for 16 words per pixel of a source row.
    public var scratch: UnsafeMutablePointer<Int32>

    public init(
        source: UnsafePointer<UInt8>, sourceStride: Int, target: UnsafeMutablePointer<UInt8>, targetStride: Int,
        channels: Int, width: Int, height: Int, count: Int, first: UnsafePointer<Int32>, taps: UnsafePointer<Int32>,
        weights: UnsafePointer<Int32>, reach: Int, scratch: UnsafeMutablePointer<Int32>
    ) {
        (self.source, self.sourceStride) = (source, sourceStride)
        (self.target, self.targetStride) = (target, targetStride)
        (self.channels, self.width, self.height) = (channels, width, height)
        (self.count, self.first, self.taps, self.weights, self.reach) = (count, first, taps, weights, reach)
        self.scratch = scratch
    }
}
