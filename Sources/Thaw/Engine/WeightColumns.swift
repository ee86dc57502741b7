/// Some rows of a tensor, to be copied column by column from their source, which is usually a mapped file. The tensor's
/// last axis is the columns, all others are the rows.
struct WeightColumns: Sendable {
    private let source: Tensor.Storage
    private let axes: [(size: Int, step: Int, axis: Int)]
    /// In memory order, if sorting them is cheap.
    private let rows: [Row]

    fileprivate struct Row {
        /// The offset in bytes from the first element of a column.
        let from: Int
        /// The index among the copied rows.
        let index: Int
    }

    init(_ weights: Tensor, rows: [Int32]) {
        precondition(weights.element == .float32)
        let count = weights.shape[weights.shape.rank - 1]
        let matrix: Shape = [weights.elementCount / count, count]
        let (source, plan) = weights.reshaped(matrix).arranged([0, 1])
        let axes = plan.axes(of: matrix)!
        self.source = source
        self.axes = axes
        self.rows = WeightColumns.inOrder(
            rows.enumerated().map { Row(from: WeightColumns.offset(Int($1), axis: 0, axes), index: $0) })
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

    /// The rows in memory order, sorted by putting each at its offset, if there are not many more offsets than rows.
    private static func inOrder(_ rows: [Row]) -> [Row] {
        let span = (rows.map(\.from).max() ?? 0) / 4 + 1
        guard span <= 2 * rows.count, zip(rows, rows.dropFirst()).contains(where: { $0.from > $1.from }) else {
            return rows
        }
        var found = [Int32](repeating: -1, count: span)
        for (index, row) in rows.enumerated() { found[row.from / 4] = Int32(index) }
        let sorted = found.lazy.filter { $0 >= 0 }.map { rows[Int($0)] }
        return sorted.count == rows.count ? Array(sorted) : rows
    }

    /// Copies columns to rows of `width` floats.
    func copy(_ columns: Range<Int>, width: Int, to target: UnsafeMutablePointer<Float>) {
        let across = columns.map { WeightColumns.offset($0, axis: 1, axes) }
        withExtendedLifetime(source) {
            let from = source.bytes.baseAddress!
            if across.indices.allSatisfy({ across[$0] == across[0] + $0 * 4 }) {
                for row in rows {
                    UnsafeMutableRawPointer(target + row.index * width).copyMemory(
                        from: from + row.from + across[0], byteCount: columns.count * 4)
                }
            } else {
                // As many rows at a time as stay in the cache while they are written.
                let rowsPerPass = max(4, (16 << 10) / (width * 4))
                for first in stride(from: 0, to: rows.count, by: rowsPerPass) {
                    let part = rows[first..<min(first + rowsPerPass, rows.count)]
                    for column in stride(from: 0, to: across.count - across.count % 4, by: 4) {
                        let four = (
                            from + across[column], from + across[column + 1], from + across[column + 2],
                            from + across[column + 3]
                        )
                        copyFour(part, four, width, target + column)
                    }
                    for column in across.count - across.count % 4..<across.count {
                        for row in part { target[row.index * width + column] = element(from + across[column], row) }
                    }
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

    /// Four columns. (An array, created anew for every few rows, would cost as much as the copying.)
    private typealias Four = (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer)

    /// Copies four columns, four rows at a time if those are adjacent.
    @inline(__always)
    private func copyFour(
        _ rows: ArraySlice<Row>, _ columns: Four, _ width: Int, _ target: UnsafeMutablePointer<Float>
    ) {
        let (a, b, c, d) = columns
        rows.withUnsafeBufferPointer { rows in
            var next = 0
            while next < rows.count {
                let row = rows[next]
                if next + 4 <= rows.count, rows[next + 1].from == row.from + 4, rows[next + 2].from == row.from + 8,
                    rows[next + 3].from == row.from + 12
                {
                    let (x, y, z, w) = (four(a, row), four(b, row), four(c, row), four(d, row))
                    write(SIMD4(x[0], y[0], z[0], w[0]), target + row.index * width)
                    write(SIMD4(x[1], y[1], z[1], w[1]), target + rows[next + 1].index * width)
                    write(SIMD4(x[2], y[2], z[2], w[2]), target + rows[next + 2].index * width)
                    write(SIMD4(x[3], y[3], z[3], w[3]), target + rows[next + 3].index * width)
                    next += 4
                } else {
                    let four = SIMD4(element(a, row), element(b, row), element(c, row), element(d, row))
                    write(four, target + row.index * width)
                    next += 1
                }
            }
        }
    }
}

@inline(__always)
private func element(_ column: UnsafeRawPointer, _ row: WeightColumns.Row) -> Float {
    column.loadUnaligned(fromByteOffset: row.from, as: Float.self)
}

@inline(__always)
private func four(_ column: UnsafeRawPointer, _ row: WeightColumns.Row) -> SIMD4<Float> {
    column.loadUnaligned(fromByteOffset: row.from, as: SIMD4<Float>.self)
}

@inline(__always)
private func write(_ four: SIMD4<Float>, _ target: UnsafeMutablePointer<Float>) {
    UnsafeMutableRawPointer(target).storeBytes(of: four, as: SIMD4<Float>.self)
}
