import Kernels

func pool(_ work: borrowing PoolingWork) {
    for block in 0..<work.blockCount {
        let input = work.input + block * work.inputBlockStride
        let output = work.output + block * work.outputBlockStride
        for row in work.firstRow..<work.firstRow + work.rowCount {
            let top = row * work.strideY - work.padTop
            let rows = max(top, 0)..<max(min(top + work.windowHeight, work.inputHeight), max(top, 0))
            for column in 0..<work.outputWidth {
                let left = column * work.strideX - work.padLeft
                let columns = max(left, 0)..<max(min(left + work.windowWidth, work.inputWidth), max(left, 0))
                let place = output + (row * work.outputRowStride + column * blockWidth)
                switch work.kind {
                case .maximum:
                    var y = Vector(repeating: -.infinity)
                    reduce(input, work.inputRowStride, rows, columns) { y = maximum($0, y) }
                    write(y, place)
                case .average:
                    var y = Vector.zero
                    reduce(input, work.inputRowStride, rows, columns) { y += $0 }
                    let count = work.countsPadding ? work.windowHeight * work.windowWidth : rows.count * columns.count
                    write(y * (1 / Float(max(count, 1))), place)
                }
            }
        }
    }
}

@inline(__always)
private func reduce(
    _ input: UnsafePointer<Float>, _ rowStride: Int, _ rows: Range<Int>, _ columns: Range<Int>, _ body: (Vector) -> Void
) {
    var row = rows.lowerBound
    while row < rows.upperBound {
        var pixel = input + (row * rowStride + columns.lowerBound * blockWidth)
        let end = input + (row * rowStride + columns.upperBound * blockWidth)
        while pixel < end {
            body(load(pixel))
            pixel += blockWidth
        }
        row += 1
    }
}

func sumPixels(_ work: borrowing PixelSumWork) {
    for block in work.firstBlock..<work.firstBlock + work.blockCount {
        let input = work.input + block * work.inputBlockStride
        // Four sums side by side: one alone would wait for each addition.
        var sums = (Vector.zero, Vector.zero, Vector.zero, Vector.zero)
        for row in 0..<work.height {
            let pixels = input + row * work.inputRowStride
            var column = 0
            while column + 4 <= work.width {
                let pixel = pixels + column * blockWidth
                sums.0 += load(pixel)
                sums.1 += load(pixel + blockWidth)
                sums.2 += load(pixel + 2 * blockWidth)
                sums.3 += load(pixel + 3 * blockWidth)
                column += 4
            }
            while column < work.width {
                sums.0 += load(pixels + column * blockWidth)
                column += 1
            }
        }
        let y = ((sums.0 + sums.1) + (sums.2 + sums.3)) * work.factor
        let lanes = min(blockWidth, work.channels - block * blockWidth)
        write(y, work.output + block * blockWidth, count: lanes)
    }
}
