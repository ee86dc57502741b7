import Kernels

// Weights for the convolutions: one row of floats for each step, with the channels of a group side by side.

extension Float32Kernels {
    public static func packedBytes(_ steps: ConvolutionSteps) -> Int { steps.count * pixelBytes }
    public static func packedDepthwiseBytes(_ steps: ConvolutionSteps) -> Int { steps.count * pixelBytes }
    public static func packDepthwise(_ work: borrowing WeightPackingWork) { gatherWeights(work) }

    public static func packWeights(_ work: borrowing WeightPackingWork) { gatherWeights(work) }

    public static func gatherWeights(_ work: borrowing WeightPackingWork) {
        let (source, target, width) = (work.source, floats(work.packed), work.blockCount * blockWidth)
        if areAdjacent(work.columns, work.columnCount) {
            for row in 0..<work.rowCount {
                UnsafeMutableRawPointer(target + work.rows[row].index * width).copyMemory(
                    from: source + (work.rows[row].offset + work.columns[0]), byteCount: work.columnCount * 4)
            }
            return
        }
        // As many rows at a time as stay in the cache while they are written.
        let rowsPerPass = max(4, (16 << 10) / (width * 4))
        var first = 0
        while first < work.rowCount {
            let end = min(first + rowsPerPass, work.rowCount)
            var column = 0
            while column + 4 <= work.columnCount {
                copyFour(work, first..<end, column, width, target + column)
                column += 4
            }
            while column < work.columnCount {
                let from = source + work.columns[column]
                for row in first..<end {
                    target[work.rows[row].index * width + column] = element(from, work.rows[row])
                }
                column += 1
            }
            first = end
        }
    }

    public static func scaleWeights(_ work: borrowing WeightScalingWork) {
        let stride = work.blockCount * pixelBytes
        var rows = RowWork(
            left: work.weights, leftStride: stride, output: work.output, outputStride: stride,
            width: work.blockCount * blockWidth, count: work.steps.count)
        rows.right = UnsafeRawPointer(work.factors)
        rows.rightStride = 4
        rows.pattern = .one
        binary(.multiply, rows)
    }
}

private func areAdjacent(_ columns: UnsafePointer<Int>, _ count: Int) -> Bool {
    for index in 0..<count where columns[index] != columns[0] + index * 4 { return false }
    return count > 0
}

/// Copies four columns, four rows at a time if those are adjacent.
@inline(__always)
private func copyFour(
    _ work: borrowing WeightPackingWork, _ range: Range<Int>, _ column: Int, _ width: Int,
    _ target: UnsafeMutablePointer<Float>
) {
    let rows = work.rows
    let (a, b) = (work.source + work.columns[column], work.source + work.columns[column + 1])
    let (c, d) = (work.source + work.columns[column + 2], work.source + work.columns[column + 3])
    var next = range.lowerBound
    while next < range.upperBound {
        let row = rows[next]
        if next + 4 <= range.upperBound, rows[next + 1].offset == row.offset + 4,
            rows[next + 2].offset == row.offset + 8, rows[next + 3].offset == row.offset + 12
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

@inline(__always)
private func element(_ column: UnsafeRawPointer, _ row: WeightPackingWork.Row) -> Float {
    column.loadUnaligned(fromByteOffset: row.offset, as: Float.self)
}

@inline(__always)
private func four(_ column: UnsafeRawPointer, _ row: WeightPackingWork.Row) -> SIMD4<Float> {
    column.loadUnaligned(fromByteOffset: row.offset, as: SIMD4<Float>.self)
}

@inline(__always)
private func write(_ four: SIMD4<Float>, _ target: UnsafeMutablePointer<Float>) {
    UnsafeMutableRawPointer(target).storeBytes(of: four, as: SIMD4<Float>.self)
}
