import CMachine
import Kernels

// A window has at most `IntegerPoolingWork.maximumArea` pixels, so sums fit in 16 bits. A word holds the sums of two
// channels.

/// The sums of four pixels: in the low and high half of word i, those of bytes 4i and 4i + 2 (`even`) or 4i + 1 and
/// 4i + 3 (`odd`).
private struct PackedSums {
    var even = Words.zero
    var odd = Words.zero

    @inline(__always) mutating func add(_ pixels: Words) {
        let mask = Words(repeating: 0x00ff_00ff)
        even = even &+ (pixels & mask)
        odd = odd &+ (pixels.shiftedRight(by: 8) & mask)
    }
}

extension IntegerPoolingWork {
    /// The second half of the scratch memory. The first half holds the even sums of each column, this one the odd ones.
    @inline(__always) fileprivate var oddSums: UnsafeMutableRawPointer {
        scratch + IntegerPoolingWork.scratchBytes(inputWidth: inputWidth) / 2
    }

    /// The sums of the windows of four columns of the output, from the column sums of these columns of the input.
    @inline(__always) fileprivate func sums(
        _ a: Int, _ b: Int, _ c: Int, _ d: Int, windowWidth: Int
    ) -> PackedSums {
        let odd = oddSums
        let (a, b, c, d) = (a * blockWidth, b * blockWidth, c * blockWidth, d * blockWidth)
        var sums = PackedSums()
        for column in 0..<windowWidth {
            let (even, odd) = (scratch + column * blockWidth, odd + column * blockWidth)
            sums.even = sums.even &+ thaw_load_quarters(even + a, even + b, even + c, even + d)
            sums.odd = sums.odd &+ thaw_load_quarters(odd + a, odd + b, odd + c, odd + d)
        }
        return sums
    }

    /// The same for four adjacent columns.
    @inline(__always) fileprivate func adjacentSums(_ first: Int, windowWidth: Int) -> PackedSums {
        let odd = oddSums
        var sums = PackedSums()
        for column in first..<first + windowWidth {
            sums.even = sums.even &+ loadWords(scratch + column * blockWidth)
            sums.odd = sums.odd &+ loadWords(odd + column * blockWidth)
        }
        return sums
    }
}

/// Adds the rows of the windows of a row of the output, for each column of the input.
private func addRows(_ work: borrowing IntegerPoolingWork, _ rows: Range<Int>) {
    let (even, odd, rowStride) = (work.scratch, work.oddSums, work.inputRowStride)
    let input = UnsafeRawPointer(work.input) + rows.lowerBound * rowStride
    @inline(__always) func add(_ column: Int, _ load: (UnsafeRawPointer) -> Words) {
        var sums = PackedSums()
        var pixels = input + column * blockWidth
        for _ in rows {
            sums.add(load(pixels))
            pixels += rowStride
        }
        even.storeBytes(of: sums.even, toByteOffset: column * blockWidth, as: Words.self)
        odd.storeBytes(of: sums.odd, toByteOffset: column * blockWidth, as: Words.self)
    }
    var column = 0
    while column + 4 <= work.inputWidth {
        add(column) { loadWords($0) }
        column += 4
    }
    while column < work.inputWidth {
        add(column) { thaw_load_quarters($0, $0, $0, $0) }
        column += 1
    }
}

/// Divides sums by the number of pixels in a window, and quantizes the results.
private struct Averaging {
    let rounding: VectorRounding
    let bias: Words
    let factor: Floats

    @inline(__always) init(_ work: borrowing IntegerPoolingWork, _ rounding: VectorRounding, count: Int) {
        self.rounding = rounding
        bias = Words(repeating: -work.zeroPoint &* Int32(truncatingIfNeeded: count))
        factor = Floats(repeating: work.factors[count])
    }

    /// The bytes of four pixels.
    @inline(__always) func averages(_ sums: PackedSums) -> Words {
        let mask = Words(repeating: 0xffff)
        let (first, second) = (average(sums.even & mask), average(sums.odd & mask))
        let (third, fourth) = (average(sums.even.shiftedRight(by: 16)), average(sums.odd.shiftedRight(by: 16)))
        return first | second &<< 8 | third &<< 16 | fourth &<< 24
    }

    @inline(__always) private func average(_ sum: Words) -> Words {
        rounding.words(thaw_floats(sum &+ bias) * factor)
    }
}

func poolAverages(_ borrowed: borrowing IntegerPoolingWork) {
    // A copy that nested functions can read.
    let work = copy borrowed
    let (rounding, whole) = (VectorRounding(work.rounding), work.wholeColumns)
    for row in 0..<work.rowCount {
        let rows = work.rows(of: row)
        addRows(work, rows)
        let output = UnsafeMutableRawPointer(work.output + row * work.outputRowStride)
        @inline(__always) func poolOne(_ column: Int) {
            let window = work.columns(of: column)
            let first = window.lowerBound
            let sums = work.sums(first, first, first, first, windowWidth: window.count)
            let averages = Averaging(work, rounding, count: rows.count * window.count).averages(sums)
            let bytes = thaw_quarter(unsafeBitCast(averages, to: SIMD64<UInt8>.self), 0)
            output.storeBytes(of: bytes, toByteOffset: column * blockWidth, as: Bytes.self)
        }
        for column in 0..<whole.lowerBound { poolOne(column) }
        let averaging = Averaging(work, rounding, count: rows.count * work.windowWidth)
        @inline(__always) func poolFour(_ column: Int) {
            let (first, stride) = (work.firstColumn(of: column), work.strideX)
            let sums =
                stride == 1
                ? work.adjacentSums(first, windowWidth: work.windowWidth)
                : work.sums(
                    first, first + stride, first + 2 * stride, first + 3 * stride, windowWidth: work.windowWidth)
            output.storeBytes(of: averaging.averages(sums), toByteOffset: column * blockWidth, as: Words.self)
        }
        var column = whole.lowerBound
        while column + 4 <= whole.upperBound {
            poolFour(column)
            column += 4
        }
        if column < whole.upperBound, whole.count >= 4 {
            // The last four, some of them again.
            poolFour(whole.upperBound - 4)
            column = whole.upperBound
        }
        for column in column..<work.outputWidth { poolOne(column) }
    }
}
