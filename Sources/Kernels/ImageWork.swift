/// The resizing of planes in the blocked layout: every pixel is a weighted sum of pixels, rows and columns weighted by
/// themselves.
public struct ResizeWork {
    /// How the pixels along one axis come from the image's: for each of them the first that goes in, and the weights of that
    /// one and those behind it, as many for all.
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

    /// The first pixel of the plane, past the halo.
    public var input: UnsafePointer<Float>
    public var inputRowStride: Int
    public var output: UnsafeMutablePointer<Float>
    public var outputRowStride: Int
    public var outputWidth: Int
    public var rows: Taps
    public var columns: Taps
    public var firstRow = 0
    public var rowCount: Int

    public init(
        input: UnsafePointer<Float>, inputRowStride: Int, output: UnsafeMutablePointer<Float>, outputRowStride: Int,
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

/// Pixels of a plain tensor, each number divided by a power of `bias + alpha · Σ`, the sum of the squares of the channels
/// around it.
public struct LocalNormalizationWork {
    public enum Power: UInt8, Sendable, CaseIterable { case half, threeQuarters, one }

    public var input: UnsafePointer<Float>
    public var output: UnsafeMutablePointer<Float>
    public var pixels: Int
    public var channels: Int
    /// How many channels to either side.
    public var radius: Int
    public var bias: Float
    public var alpha: Float
    public var power: Power
    /// Room for `scratchCount` floats.
    public var scratch: UnsafeMutablePointer<Float>

    /// A row of squares with zeros on both sides, and as many as a vector may read past it.
    public static func scratchCount(channels: Int, radius: Int) -> Int { channels + 2 * radius + 2 * blockWidth }

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
