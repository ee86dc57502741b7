/// One pass of a resizing: each new line of 8-bit samples is a weighted sum of some old ones, in fixed point of
/// `ResamplingWork.fractionBits` bits, rounded, and clamped to 0…255.
///
/// `resampleRows` shortens or lengthens rows of pixels, `resampleColumns` the columns, where a pixel's channels make no
/// difference.
public struct ResamplingWork {
    /// The bits after the point of a weight: as Pillow has it, so that its rounding can be had too.
    public static let fractionBits: Int32 = 22

    public var source: UnsafePointer<UInt8>
    /// Bytes from one row to the next.
    public var sourceStride: Int
    public var target: UnsafeMutablePointer<UInt8>
    public var targetStride: Int
    /// Bytes a pixel, 1 or 3; for columns it counts for nothing.
    public var channels: Int
    /// Pixels of a source row that may be read, for rows; bytes of a row, for columns.
    public var width: Int
    /// Rows of source and target, for rows; for columns nothing.
    public var height: Int
    /// New pixels along the axis, and for each of them the first old one, how many count, and their weights, of which
    /// `reach` are stored for each.
    public var count: Int
    public var first: UnsafePointer<Int32>
    public var taps: UnsafePointer<Int32>
    public var weights: UnsafePointer<Int32>
    public var reach: Int
    /// Room for 16 words a pixel of a source row, for rows.
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
