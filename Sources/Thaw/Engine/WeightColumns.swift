import Kernels

/// Some rows of a tensor, to be packed column by column from their source, which is usually a mapped file. The tensor's
/// last axis is the columns, all others are the rows.
struct WeightColumns: Sendable {
    private let source: Tensor.Storage
    /// In memory order, if sorting them is cheap.
    private let rows: [WeightPackingWork.Row]
    /// The offset of each column in bytes.
    private let columns: [Int]
    /// The size of a column in bytes, if columns are contiguous, as in Core ML.
    private let columnSize: Int?
    private let cancelsErrors: Bool

    /// Pages of smaller files are not released: each release interrupts all threads, which takes about as long as packing.
    private static let largeFile = 64 << 20

    /// - Parameter channels: Set if the rounding errors of a column cancel each other, channel by channel: the rows are taps
    ///   times this many input channels.
    init(_ weights: Tensor, rows: [Int32], cancelingErrorsOf channels: Int? = nil) {
        precondition(weights.element == .float32)
        let count = weights.shape[weights.shape.rank - 1]
        let matrix: Shape = [weights.elementCount / count, count]
        let (source, plan) = weights.reshaped(matrix).arranged([0, 1])
        let axes = plan.axes(of: matrix)!
        self.source = source
        let offsets = WeightColumns.offsets(axis: 0, axes)
        let unordered = rows.indices.map { WeightPackingWork.Row(offset: offsets[Int(rows[$0])], index: $0) }
        self.rows =
            channels.map { count in
                (0..<count).flatMap { channel in
                    stride(from: channel, to: unordered.count, by: count).map { unordered[$0] }
                }
            } ?? WeightColumns.inOrder(unordered)
        cancelsErrors = channels != nil
        columns = WeightColumns.offsets(axis: 1, axes)
        let across = axes.filter { $0.axis == 1 }
        let isOutermost = across.count == 1 && axes.allSatisfy { $0.step <= across[0].step }
        columnSize = isOutermost ? across[0].step * 4 : nil
    }

    /// The offsets in bytes along an axis of the matrix.
    private static func offsets(axis: Int, _ axes: [(size: Int, step: Int, axis: Int)]) -> [Int] {
        var offsets = [0]
        for part in axes where part.axis == axis {
            var finer: [Int] = []
            finer.reserveCapacity(offsets.count * part.size)
            for offset in offsets { for index in 0..<part.size { finer.append(offset + index * part.step * 4) } }
            offsets = finer
        }
        return offsets
    }

    /// The rows in memory order, sorted by storing each at its offset, if there are not many more offsets than rows.
    private static func inOrder(_ rows: [WeightPackingWork.Row]) -> [WeightPackingWork.Row] {
        guard (1..<max(1, rows.count)).contains(where: { rows[$0 - 1].offset > rows[$0].offset }) else { return rows }
        let span = rows.reduce(0) { max($0, $1.offset) } / 4 + 1
        guard span <= 2 * rows.count else { return rows }
        var found = [Int32](repeating: -1, count: span)
        for (index, row) in rows.enumerated() { found[row.offset / 4] = Int32(index) }
        let sorted = found.lazy.filter { $0 >= 0 }.map { rows[Int($0)] }
        return sorted.count == rows.count ? Array(sorted) : rows
    }

    /// Passes columns to a kernel that packs them.
    func pack(
        _ range: Range<Int>, _ steps: ConvolutionSteps, blocks: Int, to packed: UnsafeMutableRawPointer,
        _ kernel: (borrowing WeightPackingWork) -> Void
    ) {
        withExtendedLifetime(source) {
            rows.withUnsafeBufferPointer { rows in
                columns.withUnsafeBufferPointer { columns in
                    var work = WeightPackingWork(
                        source: source.bytes.baseAddress!, rows: rows.baseAddress!, rowCount: rows.count,
                        columns: columns.baseAddress! + range.lowerBound, columnCount: range.count,
                        blockCount: blocks, steps: steps, packed: packed)
                    work.cancelsErrors = cancelsErrors
                    kernel(work)
                }
            }
        }
        // Contiguous columns are read only once, so their pages can be released.
        guard let columnSize, !range.isEmpty else { return }
        let first = columns[range.lowerBound]
        source.release(first..<first + range.count * columnSize, minimumFileSize: WeightColumns.largeFile)
    }
}
