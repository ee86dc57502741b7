/// Packs the weights of one group of output channels from their source, usually a mapped file, into the layout that the
/// kernels read.
///
/// The weights of a step of the convolution, or of a tap of a depthwise one, are a row: one float for each channel, at
/// the sum of the offsets of row and channel.
public struct WeightPackingWork {
    /// A row of weights.
    public struct Row: Sendable {
        /// The offset in the source.
        public var offset: Int
        /// The step or tap that reads the row.
        public var index: Int

        public init(offset: Int, index: Int) {
            self.offset = offset
            self.index = index
        }
    }

    public var source: UnsafeRawPointer
    /// In the most efficient order for reading, or in the order in which rounding errors are passed on.
    public var rows: UnsafePointer<Row>
    public var rowCount: Int
    /// The offset of each channel.
    public var columns: UnsafePointer<Int>
    public var columnCount: Int
    public var blockCount: Int
    /// The structure of the steps. (For a depthwise convolution, each tap is a row of the window.)
    public var steps: ConvolutionSteps
    /// Whether the error of each rounded weight is subtracted from the next weight of its channel, so that the errors of a
    /// channel add up to almost nothing. Where inputs are similar, they then cancel each other in the sums of products.
    public var cancelsErrors = false
    /// The destination, which must contain zeros.
    public var packed: UnsafeMutableRawPointer

    public init(
        source: UnsafeRawPointer, rows: UnsafePointer<Row>, rowCount: Int, columns: UnsafePointer<Int>,
        columnCount: Int, blockCount: Int, steps: ConvolutionSteps, packed: UnsafeMutableRawPointer
    ) {
        self.source = source
        self.rows = rows
        self.rowCount = rowCount
        self.columns = columns
        self.columnCount = columnCount
        self.blockCount = blockCount
        self.steps = steps
        self.packed = packed
    }
}

/// Multiplies the packed weights of a group of output channels by a factor for each step of the convolution.
public struct WeightScalingWork {
    public var weights: UnsafeRawPointer
    public var factors: UnsafePointer<Float>
    public var blockCount: Int
    public var steps: ConvolutionSteps
    public var output: UnsafeMutableRawPointer

    public init(
        weights: UnsafeRawPointer, factors: UnsafePointer<Float>, blockCount: Int, steps: ConvolutionSteps,
        output: UnsafeMutableRawPointer
    ) {
        self.weights = weights
        self.factors = factors
        self.blockCount = blockCount
        self.steps = steps
        self.output = output
    }
}
