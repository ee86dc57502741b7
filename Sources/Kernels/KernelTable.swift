/// The kernels of one instruction set: the contract between the engine and its kernels.
///
/// Every kernel takes one plain structure of pointers and values. It allocates nothing, keeps no state, and may run on
/// several threads at the same time on different parts of the work. The same source is compiled once for each
/// instruction set, and each compilation provides one table.
///
/// There are two layouts. *Plain* is the layout of the tensor itself: rows, channels last. *Blocked* is `[channels /
/// 16][height + halo][width + halo][16]`: one *plane* for every block of 16 channels. The last block is padded with
/// zeros. Offsets and strides are in floats.
public struct KernelTable: Sendable {
    /// The maximum number of blocks of 16 output channels that a convolution computes together: the width of a group of
    /// packed weights.
    public var groupBlocks: Int
    /// The maximum number of output pixels that a convolution computes together.
    public var tilePixels: Int
    /// The processor cycles that the cost model assumes for one multiply-add of 16 lanes: 0.5 with AVX-512, 1 with
    /// AVX2 and on arm64, 4 with SSE.
    public var cyclesPerVector: Double

    public var convolve: @Sendable (borrowing ConvolutionWork) -> Void
    public var convolveDepthwise: @Sendable (borrowing DepthwiseWork) -> Void
    public var transformInput: @Sendable (borrowing WinogradInputWork) -> Void
    public var transformOutput: @Sendable (borrowing WinogradOutputWork) -> Void
    public var transformFilters: @Sendable (borrowing WinogradFilterWork) -> Void
    public var pool: @Sendable (borrowing PoolingWork) -> Void
    public var sumPixels: @Sendable (borrowing PixelSumWork) -> Void
    public var resize: @Sendable (borrowing ResizeWork) -> Void
    public var normalizeLocally: @Sendable (borrowing LocalNormalizationWork) -> Void
    public var unary: @Sendable (UnaryFunction, borrowing RowWork) -> Void
    public var binary: @Sendable (BinaryFunction, borrowing RowWork) -> Void
    public var scale: @Sendable (borrowing RowWork) -> Void
    public var softmax: @Sendable (borrowing RowWork) -> Void
    public var logSoftmax: @Sendable (borrowing RowWork) -> Void
    public var normalize: @Sendable (_ epsilon: Float, borrowing RowWork) -> Void
    public var normalizeLength: @Sendable (_ epsilon: Float, borrowing RowWork) -> Void
    public var planeMoments: @Sendable (borrowing RowWork) -> Void
    public var copy: @Sendable (borrowing CopyWork) -> Void
    public var reduce: @Sendable (borrowing ReductionWork) -> Void
    public var multiplyMatrices: @Sendable (borrowing MatrixWork) -> Void
    public var block: @Sendable (borrowing RelayoutWork) -> Void
    public var unblock: @Sendable (borrowing RelayoutWork) -> Void
    public var loadPixels: @Sendable (borrowing PixelLoadWork) -> Void
    public var resampleRows: @Sendable (borrowing ResamplingWork) -> Void
    public var resampleColumns: @Sendable (borrowing ResamplingWork) -> Void
    /// Does nothing but multiply and add, `rounds` times. Returns the number of floating-point operations.
    public var peak: @Sendable (_ rounds: Int) -> Int

    public init(
        groupBlocks: Int, tilePixels: Int, cyclesPerVector: Double,
        convolve: @escaping @Sendable (borrowing ConvolutionWork) -> Void,
        convolveDepthwise: @escaping @Sendable (borrowing DepthwiseWork) -> Void,
        transformInput: @escaping @Sendable (borrowing WinogradInputWork) -> Void,
        transformOutput: @escaping @Sendable (borrowing WinogradOutputWork) -> Void,
        transformFilters: @escaping @Sendable (borrowing WinogradFilterWork) -> Void,
        pool: @escaping @Sendable (borrowing PoolingWork) -> Void,
        sumPixels: @escaping @Sendable (borrowing PixelSumWork) -> Void,
        resize: @escaping @Sendable (borrowing ResizeWork) -> Void,
        normalizeLocally: @escaping @Sendable (borrowing LocalNormalizationWork) -> Void,
        unary: @escaping @Sendable (UnaryFunction, borrowing RowWork) -> Void,
        binary: @escaping @Sendable (BinaryFunction, borrowing RowWork) -> Void,
        scale: @escaping @Sendable (borrowing RowWork) -> Void,
        softmax: @escaping @Sendable (borrowing RowWork) -> Void,
        logSoftmax: @escaping @Sendable (borrowing RowWork) -> Void,
        normalize: @escaping @Sendable (_ epsilon: Float, borrowing RowWork) -> Void,
        normalizeLength: @escaping @Sendable (_ epsilon: Float, borrowing RowWork) -> Void,
        planeMoments: @escaping @Sendable (borrowing RowWork) -> Void,
        copy: @escaping @Sendable (borrowing CopyWork) -> Void,
        reduce: @escaping @Sendable (borrowing ReductionWork) -> Void,
        multiplyMatrices: @escaping @Sendable (borrowing MatrixWork) -> Void,
        block: @escaping @Sendable (borrowing RelayoutWork) -> Void,
        unblock: @escaping @Sendable (borrowing RelayoutWork) -> Void,
        loadPixels: @escaping @Sendable (borrowing PixelLoadWork) -> Void,
        resampleRows: @escaping @Sendable (borrowing ResamplingWork) -> Void,
        resampleColumns: @escaping @Sendable (borrowing ResamplingWork) -> Void,
        peak: @escaping @Sendable (_ rounds: Int) -> Int
    ) {
        self.groupBlocks = groupBlocks
        self.tilePixels = tilePixels
        self.cyclesPerVector = cyclesPerVector
        self.convolve = convolve
        self.convolveDepthwise = convolveDepthwise
        self.transformInput = transformInput
        self.transformOutput = transformOutput
        self.transformFilters = transformFilters
        self.pool = pool
        self.sumPixels = sumPixels
        self.resize = resize
        self.normalizeLocally = normalizeLocally
        self.unary = unary
        self.binary = binary
        self.scale = scale
        self.softmax = softmax
        self.logSoftmax = logSoftmax
        self.normalize = normalize
        self.normalizeLength = normalizeLength
        self.planeMoments = planeMoments
        self.copy = copy
        self.reduce = reduce
        self.multiplyMatrices = multiplyMatrices
        self.block = block
        self.unblock = unblock
        self.loadPixels = loadPixels
        self.resampleRows = resampleRows
        self.resampleColumns = resampleColumns
        self.peak = peak
    }
}

/// The number of channels in a block of the blocked layout, which is the number of lanes in the kernels' vectors.
public let blockWidth = 16
