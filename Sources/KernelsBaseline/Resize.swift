import Kernels

extension Table {
    public static func resize(_ work: borrowing ResizeWork) {
        // With a constant number of taps, the loops over them are unrolled.
        switch (work.rows.count, work.columns.count) {
        case (1, 1): resizeRows(work, rowTaps: 1, columnTaps: 1)
        case (2, 2): resizeRows(work, rowTaps: 2, columnTaps: 2)
        case (4, 4): resizeRows(work, rowTaps: 4, columnTaps: 4)
        default: resizeRows(work, rowTaps: work.rows.count, columnTaps: work.columns.count)
        }
    }
}

@inline(__always)
private func resizeRows(_ work: borrowing ResizeWork, rowTaps: Int, columnTaps: Int) {
    let lineStride = values(work.inputRowStride)
    for row in work.firstRow..<work.firstRow + work.rowCount {
        let lines = values(work.input) + Int(work.rows.starts[row]) * lineStride
        let weights = work.rows.weights + row * rowTaps
        let output = values(work.output + row * work.outputRowStride)
        for column in 0..<work.outputWidth {
            let shares = work.columns.weights + column * columnTaps
            var line = lines + Int(work.columns.starts[column]) * blockWidth
            var sum = Vector.zero
            for y in 0..<rowTaps {
                var part = load(line) * shares[0]
                for x in 1..<columnTaps {
                    part = multiplyAdd(part, load(line + x * blockWidth), Vector(repeating: shares[x]))
                }
                sum = multiplyAdd(sum, part, Vector(repeating: weights[y]))
                line += lineStride
            }
            write(sum, output + column * blockWidth)
        }
    }
}
