/// Resizes planes in the blocked layout. Every output pixel is a weighted sum of input pixels, with separate weights
/// for rows and columns.
public struct ResizeWork {
    /// How the output pixels along one axis depend on the input: for each of them the first input pixel, and the
    /// weights of that pixel and those after it. All have the same number of weights.
    public struct Taps {
        public var starts: UnsafePointer<Int32>
        public var weights: UnsafePointer<Float>
        public var count: Int

        public init(starts: UnsafePointer<Int32>, weights: UnsafePointer<Float>, count: Int) {
            self.starts = starts
            self.weights = weights
            self.count = count
        }
    }

    /// The first pixel of the plane, after the halo.
    public var input: UnsafeRawPointer
    public var inputRowStride: Int
    public var output: UnsafeMutableRawPointer
    public var outputRowStride: Int
    public var outputWidth: Int
    public var rows: Taps
    public var columns: Taps
    public var firstRow = 0
    public var rowCount: Int

    public init(
        input: UnsafeRawPointer, inputRowStride: Int, output: UnsafeMutableRawPointer, outputRowStride: Int,
        outputWidth: Int, rows: Taps, columns: Taps, rowCount: Int
    ) {
        self.input = input
        self.inputRowStride = inputRowStride
        self.output = output
        self.outputRowStride = outputRowStride
        self.outputWidth = outputWidth
        self.rows = rows
        self.columns = columns
        self.rowCount = rowCount
    }
}

/// Normalizes pixels of a plain tensor: divides each value by a power of `bias + alpha · Σ`, where Σ is the sum of the
/// squares of the neighboring channels.
public struct LocalNormalizationWork {
    public enum Power: UInt8, Sendable, CaseIterable { case half, threeQuarters, one }

    public var input: UnsafePointer<Float>
    public var output: UnsafeMutablePointer<Float>
    public var pixels: Int
    public var channels: Int
    /// The number of channels on either side.
    public var radius: Int
    public var bias: Float
    public var alpha: Float
    public var power: Power
    /// Memory for `scratchCount` floats.
    public var scratch: UnsafeMutablePointer<Float>

    /// A row of squares, zeros on both sides, and the floats that a vector load may read past its end.
    public static func scratchCount(channels: Int, radius: Int) -> Int { channels + 2 * radius + 2 * 16 }

    public init(
        input: UnsafePointer<Float>, output: UnsafeMutablePointer<Float>, pixels: Int, channels: Int, radius: Int,
        bias: Float, alpha: Float, power: Power, scratch: UnsafeMutablePointer<Float>
    ) {
        self.input = input
        self.output = output
        self.pixels = pixels
        self.channels = channels
        self.radius = radius
        self.bias = bias
        self.alpha = alpha
        self.power = power
        self.scratch = scratch
    }
}
