import Kernels

/// Some rows of a tensor, to be packed column by column from their source, which is usually a mapped file. The tensor's
/// last axis is the columns, all others are the rows.
struct WeightColumns: Sendable {
    private let source: Tensor.Storage
    private let axes: [(size: Int, step: Int, axis: Int)]
    /// In memory order, if sorting them is cheap.
    private let rows: [WeightPackingWork.Row]

    init(_ weights: Tensor, rows: [Int32]) {
        precondition(weights.element == .float32)
        let count = weights.shape[weights.shape.rank - 1]
        let matrix: Shape = [weights.elementCount / count, count]
        let (source, plan) = weights.reshaped(matrix).arranged([0, 1])
        let axes = plan.axes(of: matrix)!
        self.source = source
        self.axes = axes
        // Rows along one axis, the usual case, need no division.
        let along = axes.filter { $0.axis == 0 }
        let step = along.count == 1 ? along[0].step * 4 : nil
        self.rows = WeightColumns.inOrder(
            rows.indices.map { index in
                let row = Int(rows[index])
                let offset = step.map { row * $0 } ?? WeightColumns.offset(row, axis: 0, axes)
                return WeightPackingWork.Row(offset: offset, index: index)
            })
    }

    /// The offset in bytes of a row or a column.
    private static func offset(_ index: Int, axis: Int, _ axes: [(size: Int, step: Int, axis: Int)]) -> Int {
        var (rest, offset) = (index, 0)
        for part in axes.reversed() where part.axis == axis {
            offset += rest % part.size * part.step * 4
            rest /= part.size
        }
        return offset
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
        _ columns: Range<Int>, _ steps: ConvolutionSteps, blocks: Int, to packed: UnsafeMutableRawPointer,
        _ kernel: (borrowing WeightPackingWork) -> Void
    ) {
        let across = columns.map { WeightColumns.offset($0, axis: 1, axes) }
        withExtendedLifetime(source) {
            rows.withUnsafeBufferPointer { rows in
                across.withUnsafeBufferPointer { across in
                    kernel(
                        WeightPackingWork(
                            source: source.bytes.baseAddress!, rows: rows.baseAddress!, rowCount: rows.count,
                            columns: across.baseAddress!, columnCount: across.count, blockCount: blocks, steps: steps,
                            packed: packed))
                }
            }
            // Contiguous columns, as in Core ML, are read only once: their pages can be released.
            if let outermost = axes.max(by: { $0.step < $1.step }), outermost.axis == 1,
                axes.count(where: { $0.axis == 1 }) == 1
            {
                source.release(across[0]..<across[0] + columns.count * outermost.step * 4)
            }
        }
    }
}
