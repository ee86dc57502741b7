import Kernels

/// The product of two plain matrices that are both computed during the run: `rows` × `depth` times `depth` × `columns`.
///
/// The second matrix is packed like the weights of a dense layer, and then multiplied by the convolution kernel.
/// Packing takes about as long as multiplying a few rows.
struct PackedProduct: Sendable {
    let kernels: any KernelTable.Type
    private let columns: Range<Int>
    private let steps: ConvolutionSteps
    /// Indices into the constants.
    private let inputOffsets: Int
    private let outputOffsets: Int
    private let tap: Int
    private let bias: Int
    /// The elements of the second matrix.
    private let packedRows: [WeightPackingWork.Row]
    private let packedColumns: [Int]
    private let groups: [Range<Int>]
    /// The columns of the result, with padding.
    private let outputs: Int

    /// - Parameters:
    ///   - rows: The maximum number of rows that are multiplied at once.
    ///   - columns: The columns to compute, out of `width`.
    ///   - isTransposed: Whether the second matrix is stored column by column.
    ///   - inputStride: The elements from one row of the first matrix to the next.
    ///   - padding: If given, rows of the result are padded with it to whole blocks.
    init(
        _ compiler: inout Compiler, rows: Int, depth: Int, columns: Range<Int>, of width: Int, isTransposed: Bool,
        inputStride: Int? = nil, padding: Float? = nil
    ) {
        kernels = compiler.kernels.plain
        self.columns = columns
        steps = ConvolutionSteps(tapCount: 1, depth: depth)
        let blocks = columns.count.dividedRoundingUp(by: kernels.blockWidth)
        groups = BlockGroups(blocks: blocks, maximumWidth: kernels.groupBlocks).ranges
        let (rowStep, columnStep) = isTransposed ? (4, depth * 4) : (width * 4, 4)
        packedRows = (0..<depth).map { WeightPackingWork.Row(offset: $0 * rowStep, index: $0) }
        packedColumns = columns.map { $0 * columnStep }
        let whole = blocks * kernels.blockWidth
        outputs = padding == nil ? columns.count : whole
        let (from, to) = (inputStride ?? depth, padding == nil ? width : whole)
        (bias, inputOffsets, outputOffsets, tap) = compiler.withConstants { pool in
            (
                pool.floats([Float](repeating: 0, count: columns.count), count: whole, padding: padding ?? 0),
                pool.offsets((0..<rows).map { Int32($0 * from * 4) }),
                pool.offsets((0..<rows).map { Int32($0 * to * 4) }), pool.offsets([0])
            )
        }
    }

    private var blockBytes: Int { kernels.packedBytes(steps) }
    /// The size of the packed second matrix in bytes.
    var packedBytes: Int { (groups.last?.upperBound ?? 0) * blockBytes }

    func pack(_ matrix: UnsafeRawPointer, to packed: UnsafeMutableRawPointer) {
        packed.clear(byteCount: packedBytes)
        packedRows.withUnsafeBufferPointer { rows in
            packedColumns.withUnsafeBufferPointer { offsets in
                for group in groups {
                    let first = group.lowerBound * kernels.blockWidth
                    let count = min(group.count * kernels.blockWidth, offsets.count - first)
                    kernels.packWeights(
                        WeightPackingWork(
                            source: matrix, rows: rows.baseAddress!, rowCount: rows.count,
                            columns: offsets.baseAddress! + first, columnCount: count, blockCount: group.count,
                            steps: steps, packed: packed + group.lowerBound * blockBytes))
                }
            }
        }
    }

    /// Multiplies consecutive rows.
    /// - Parameters:
    ///   - count: At most the maximum number of rows.
    ///   - output: The first row of the result. Only these columns are written.
    ///   - summand: The values to add to each row, in whole blocks, and an index into the constants: the offsets of its rows.
    func multiply(
        _ memory: Memory, _ left: UnsafeRawPointer, count: Int, by packed: UnsafeRawPointer,
        to output: UnsafeMutableRawPointer, adding summand: (first: UnsafeRawPointer, offsets: Int)? = nil
    ) {
        var work = ConvolutionWork(
            input: left, inputOffsets: memory.integers(inputOffsets), taps: memory.integers(tap), steps: steps,
            weights: packed, bias: memory.floats(bias), output: output + columns.lowerBound * 4,
            outputOffsets: memory.integers(outputOffsets), outputBlockStride: kernels.blockWidth * 4,
            channels: outputs, pixelCount: count, blockCount: groups.last?.upperBound ?? 0)
        work.writesPlain = true
        if let summand {
            work.residual = summand.first
            work.residualOffsets = memory.integers(summand.offsets)
            work.residualBlockStride = kernels.blockWidth * 4
            work.addsPlain = true
        }
        kernels.convolve(work)
    }
}
