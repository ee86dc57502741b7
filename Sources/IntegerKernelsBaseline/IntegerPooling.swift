import CMachine
import Kernels

// Windows overlap. So the rows of the windows are combined first, for each column of the input, and then the columns.

extension Int8Kernels {
    public static func pool(_ work: borrowing IntegerPoolingWork) {
        switch work.kind {
        case .maximum: poolMaxima(work)
        case .average: poolAverages(work)
        }
    }

    public static func averagePixels(_ work: borrowing IntegerMeanWork) {
        let rounding = VectorRounding(work.rounding)
        let factor = Floats(repeating: work.factor)
        let start = Words(repeating: -work.zeroPoint &* Int32(truncatingIfNeeded: work.height * work.width))
        for block in work.firstBlock..<work.firstBlock + work.blockCount {
            var sum = start
            for row in 0..<work.height {
                var pixel = work.input + block * work.inputBlockStride + row * work.inputRowStride
                for _ in 0..<work.width {
                    sum = sum &+ thaw_words(loadQuantized(pixel))
                    pixel += blockWidth
                }
            }
            write(
                rounding.quantized(thaw_floats(sum) * factor), work.output + block * blockWidth,
                count: min(blockWidth, work.channels - block * blockWidth))
        }
    }
}

extension IntegerPoolingWork {
    /// The rows of the input in the windows of a row of the output.
    fileprivate func rows(of row: Int) -> Range<Int> {
        let top = row * strideY - padTop
        return max(top, 0)..<max(min(top + windowHeight, inputHeight), max(top, 0))
    }

    /// The columns of the input in the window of a column of the output.
    @inline(__always) fileprivate func columns(of column: Int) -> Range<Int> {
        let left = column * strideX - padLeft
        return max(left, 0)..<max(min(left + windowWidth, inputWidth), max(left, 0))
    }

    fileprivate var wholeColumns: Range<Int> {
        wholeWindows(
            inputWidth: inputWidth, outputWidth: outputWidth, windowWidth: windowWidth, strideX: strideX,
            padLeft: padLeft)
    }

    /// The first column of the input in the window of a whole column.
    @inline(__always) fileprivate func firstColumn(of column: Int) -> Int { column * strideX - padLeft }
}

private func poolMaxima(_ borrowed: borrowing IntegerPoolingWork) {
    // A copy that nested functions can read.
    let work = copy borrowed
    let (width, whole) = (work.inputWidth * blockWidth, work.wholeColumns)
    for row in 0..<work.rowCount {
        let rows = work.rows(of: row)
        let first = work.input + rows.lowerBound * work.inputRowStride
        var index = 0
        while index + 64 <= width {
            var largest = SIMD64<UInt8>.zero
            for row in 0..<rows.count {
                largest = thaw_larger_bytes64(largest, loadBytes(first + (row * work.inputRowStride + index)))
            }
            work.scratch.storeBytes(of: largest, toByteOffset: index, as: SIMD64<UInt8>.self)
            index += 64
        }
        while index < width {
            var largest = Bytes.zero
            for row in 0..<rows.count {
                largest = thaw_larger_bytes(largest, loadQuantized(first + (row * work.inputRowStride + index)))
            }
            work.scratch.storeBytes(of: largest, toByteOffset: index, as: Bytes.self)
            index += blockWidth
        }
        let output = UnsafeMutableRawPointer(work.output + row * work.outputRowStride)
        @inline(__always) func pool(_ column: Int, from first: Int, count: Int) {
            var largest = Bytes.zero
            var pixel = work.scratch + first * blockWidth
            for _ in 0..<count {
                largest = thaw_larger_bytes(largest, loadQuantized(pixel))
                pixel += blockWidth
            }
            output.storeBytes(of: largest, toByteOffset: column * blockWidth, as: Bytes.self)
        }
        func poolClipped(_ columns: Range<Int>) {
            for column in columns {
                let window = work.columns(of: column)
                pool(column, from: window.lowerBound, count: window.count)
            }
        }
        poolClipped(0..<whole.lowerBound)
        if work.windowWidth == 3 {
            for column in whole { pool(column, from: work.firstColumn(of: column), count: 3) }
        } else {
            for column in whole { pool(column, from: work.firstColumn(of: column), count: work.windowWidth) }
        }
        poolClipped(whole.upperBound..<work.outputWidth)
    }
}

/// Writes the sums of these rows to the scratch memory.
private func sumColumns(_ work: borrowing IntegerPoolingWork, _ rows: Range<Int>) {
    for column in 0..<work.inputWidth {
        var pixel = work.input + (rows.lowerBound * work.inputRowStride + column * blockWidth)
        var sum = Words.zero
        for _ in rows {
            sum = sum &+ thaw_words(loadQuantized(pixel))
            pixel += work.inputRowStride
        }
        work.scratch.storeBytes(of: sum, toByteOffset: column * 64, as: Words.self)
    }
}

private func poolAverages(_ borrowed: borrowing IntegerPoolingWork) {
    // A copy that nested functions can read.
    let work = copy borrowed
    let (rounding, whole) = (VectorRounding(work.rounding), work.wholeColumns)
    for row in 0..<work.rowCount {
        let rows = work.rows(of: row)
        sumColumns(work, rows)
        let output = UnsafeMutableRawPointer(work.output + row * work.outputRowStride)
        @inline(__always) func average(from first: Int, count: Int, _ start: Words, _ factor: Floats) -> Floats {
            var sum = start
            var pixel = work.scratch + first * 64
            for _ in 0..<count {
                sum = sum &+ loadWords(pixel)
                pixel += 64
            }
            return thaw_floats(sum) * factor
        }
        @inline(__always) func start(_ count: Int) -> Words {
            Words(repeating: -work.zeroPoint &* Int32(truncatingIfNeeded: count))
        }
        func poolClipped(_ columns: Range<Int>) {
            for column in columns {
                let window = work.columns(of: column)
                let count = rows.count * window.count
                let value = average(
                    from: window.lowerBound, count: window.count, start(count), Floats(repeating: work.factors[count]))
                write(rounding.quantized(value), output + column * blockWidth, count: blockWidth)
            }
        }
        poolClipped(0..<whole.lowerBound)
        let count = rows.count * work.windowWidth
        let (bias, factor) = (start(count), Floats(repeating: work.factors[count]))
        @inline(__always) func poolWhole(windowWidth: Int) {
            @inline(__always) func value(_ column: Int) -> Floats {
                average(from: work.firstColumn(of: column), count: windowWidth, bias, factor)
            }
            var column = whole.lowerBound
            #if AVX512
                while column + 4 <= whole.upperBound {
                    let quantized = rounding.quantized(
                        value(column), value(column + 1), value(column + 2), value(column + 3))
                    output.storeBytes(of: quantized, toByteOffset: column * blockWidth, as: SIMD64<UInt8>.self)
                    column += 4
                }
            #endif
            while column < whole.upperBound {
                write(rounding.quantized(value(column)), output + column * blockWidth, count: blockWidth)
                column += 1
            }
        }
        if work.windowWidth == 3 { poolWhole(windowWidth: 3) } else { poolWhole(windowWidth: work.windowWidth) }
        poolClipped(whole.upperBound..<work.outputWidth)
    }
}
