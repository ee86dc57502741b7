import CMachine
import Kernels

extension Int8Kernels {
    public static func pool(_ work: borrowing IntegerPoolingWork) {
        let rounding = VectorRounding(work.rounding)
        for row in 0..<work.rowCount {
            let top = row * work.strideY - work.padTop
            let rows = max(top, 0)..<max(min(top + work.windowHeight, work.inputHeight), max(top, 0))
            var output = work.output + row * work.outputRowStride
            for column in 0..<work.outputWidth {
                let left = column * work.strideX - work.padLeft
                let columns = max(left, 0)..<max(min(left + work.windowWidth, work.inputWidth), max(left, 0))
                let first = work.input + rows.lowerBound * work.inputRowStride + columns.lowerBound * blockWidth
                let result =
                    work.kind == .maximum
                    ? largest(first, rows.count, columns.count, work)
                    : rounding.quantized(average(first, rows.count, columns.count, work))
                write(result, output, count: blockWidth)
                output += blockWidth
            }
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

@inline(__always)
private func largest(
    _ first: UnsafePointer<UInt8>, _ rows: Int, _ columns: Int, _ work: borrowing IntegerPoolingWork
) -> Bytes {
    var result = Bytes.zero
    for row in 0..<rows {
        var pixel = first + row * work.inputRowStride
        for _ in 0..<columns {
            result = thaw_larger_bytes(result, loadQuantized(pixel))
            pixel += blockWidth
        }
    }
    return result
}

@inline(__always)
private func average(
    _ first: UnsafePointer<UInt8>, _ rows: Int, _ columns: Int, _ work: borrowing IntegerPoolingWork
) -> Floats {
    let count = rows * columns
    var sum = Words(repeating: -work.zeroPoint &* Int32(truncatingIfNeeded: count))
    for row in 0..<rows {
        var pixel = first + row * work.inputRowStride
        for _ in 0..<columns {
            sum = sum &+ thaw_words(loadQuantized(pixel))
            pixel += blockWidth
        }
    }
    return thaw_floats(sum) * Floats(repeating: work.factors[count])
}
