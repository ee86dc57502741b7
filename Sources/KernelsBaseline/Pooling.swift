import Kernels

func pool(_ work: borrowing PoolingWork) {
    switch work.kind {
    case .maximum:
        pool(work, start: Vector(repeating: -.infinity)) {
            maximum($1, $0)
        } finish: { y, _ in
            y
        }
    case .average:
        pool(work, start: .zero) {
            $0 + $1
        } finish: { y, count in
            y * (1 / Float(count))
        }
    }
}

/// - Parameter finish: Gets what a window's pixels were combined to, and their number.
@inline(__always)
private func pool(
    _ work: borrowing PoolingWork, start: Vector, combine: (Vector, Vector) -> Vector, finish: (Vector, Int) -> Vector
) {
    let step = work.strideX * blockWidth
    // The columns whose windows lie whole in the image.
    let firstWhole = min((work.padLeft + work.strideX - 1) / work.strideX, work.outputWidth)
    let room = work.inputWidth + work.padLeft - work.windowWidth
    let endWhole = max(room < 0 ? 0 : min(room / work.strideX + 1, work.outputWidth), firstWhole)
    for block in 0..<work.blockCount {
        for row in work.firstRow..<work.firstRow + work.rowCount {
            let top = row * work.strideY - work.padTop
            let rows = max(top, 0)..<max(min(top + work.windowHeight, work.inputHeight), max(top, 0))
            let input = work.input + block * work.inputBlockStride
            let output = work.output + (block * work.outputBlockStride + row * work.outputRowStride)
            var column = 0
            while column < work.outputWidth {
                let left = column * work.strideX - work.padLeft
                let columns = max(left, 0)..<max(min(left + work.windowWidth, work.inputWidth), max(left, 0))
                let count =
                    work.countsPadding ? work.windowHeight * work.windowWidth : max(rows.count * columns.count, 1)
                let place = output + column * blockWidth
                if column >= firstWhole, column + 4 <= endWhole {
                    // Four windows side by side keep the loads coming.
                    var sums = (start, start, start, start)
                    forEachPixel(input, work.inputRowStride, rows, columns) { pixel in
                        sums.0 = combine(sums.0, load(pixel))
                        sums.1 = combine(sums.1, load(pixel + step))
                        sums.2 = combine(sums.2, load(pixel + 2 * step))
                        sums.3 = combine(sums.3, load(pixel + 3 * step))
                    }
                    write(finish(sums.0, count), place)
                    write(finish(sums.1, count), place + blockWidth)
                    write(finish(sums.2, count), place + 2 * blockWidth)
                    write(finish(sums.3, count), place + 3 * blockWidth)
                    column += 4
                } else {
                    var sum = start
                    forEachPixel(input, work.inputRowStride, rows, columns) { sum = combine(sum, load($0)) }
                    write(finish(sum, count), place)
                    column += 1
                }
            }
        }
    }
}

@inline(__always)
private func forEachPixel(
    _ input: UnsafePointer<Float>, _ rowStride: Int, _ rows: Range<Int>, _ columns: Range<Int>,
    _ body: (UnsafePointer<Float>) -> Void
) {
    var row = input + (rows.lowerBound * rowStride + columns.lowerBound * blockWidth)
    for _ in 0..<rows.count {
        var pixel = row
        for _ in 0..<columns.count {
            body(pixel)
            pixel += blockWidth
        }
        row += rowStride
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
