import CMachine
import Kernels

// Kernels over rows of quantized values. The rest of a row after whole vectors is computed in a vector too, which is
// read and written in part.

/// Loads the first `count` values, with zeros after them.
@inline(__always)
private func load(_ pointer: UnsafePointer<UInt8>, count: Int) -> Codes {
    var codes = Codes.zero
    withUnsafeMutableBytes(of: &codes) { $0.baseAddress!.copyMemory(from: pointer, byteCount: count) }
    return codes
}

extension CodeKernels {
    public static func add(_ work: borrowing IntegerAdditionWork) {
        let addition = VectorAddition(work.addition)
        for row in 0..<work.count {
            let left = work.left + row * work.leftStride
            let right = work.right + row * work.rightStride
            let output = work.output + row * work.outputStride
            var i = 0
            while i + blockWidth <= work.width {
                write(addition.code(loadCodes(left + i), loadCodes(right + i)), output + i, count: blockWidth)
                i += blockWidth
            }
            let rest = work.width - i
            if rest > 0 {
                write(
                    addition.code(load(left + i, count: rest), load(right + i, count: rest)), output + i, count: rest)
            }
        }
    }

    public static func lookUp(_ work: borrowing LookupWork) {
        for row in 0..<work.count {
            let input = work.input + row * work.inputStride
            let output = work.output + row * work.outputStride
            for i in 0..<work.width { output[i] = work.table[Int(input[i])] }
        }
    }

    public static func quantize(_ work: borrowing QuantizationWork) {
        let rounding = VectorRounding(work.rounding)
        let scale = Floats(repeating: work.scale)
        var i = 0
        while i + blockWidth <= work.count {
            write(rounding.code(loadFloats(work.floats + i) / scale), work.codes + i, count: blockWidth)
            i += blockWidth
        }
        let rest = work.count - i
        if rest > 0 {
            let source = work.floats + i
            var floats = Floats.zero
            withUnsafeMutableBytes(of: &floats) { $0.baseAddress!.copyMemory(from: source, byteCount: 4 * rest) }
            write(rounding.code(floats / scale), work.codes + i, count: rest)
        }
    }

    public static func dequantize(_ work: borrowing QuantizationWork) {
        let zero = Words(repeating: work.rounding.zeroPoint)
        let scale = Floats(repeating: work.scale)
        var i = 0
        while i + blockWidth <= work.count {
            let level = thaw_floats(thaw_words(loadCodes(work.codes + i)) &- zero)
            write(level * scale, work.floats + i, count: blockWidth)
            i += blockWidth
        }
        let rest = work.count - i
        if rest > 0 {
            let level = thaw_floats(thaw_words(load(work.codes + i, count: rest)) &- zero)
            write(level * scale, work.floats + i, count: rest)
        }
    }

    public static func block(_ work: borrowing RelayoutWork) { relayout(work, blocking: true) }
    public static func unblock(_ work: borrowing RelayoutWork) { relayout(work, blocking: false) }

    private static func relayout(_ work: borrowing RelayoutWork, blocking: Bool) {
        for block in work.firstBlock..<work.firstBlock + work.blockCount {
            let lanes = min(blockWidth, work.channels - block * blockWidth)
            for row in 0..<work.height {
                var plain = work.plain + row * work.plainRowStride + block * blockWidth
                var blocked = work.blocked + block * work.blockedBlockStride + row * work.blockedRowStride
                for _ in 0..<work.width {
                    let (from, to) = blocking ? (plain, blocked) : (blocked, plain)
                    if lanes == blockWidth {
                        write(loadCodes(from), to, count: blockWidth)
                    } else if blocking {
                        write(load(from.assumingMemoryBound(to: UInt8.self), count: lanes), to, count: blockWidth)
                    } else {
                        write(loadCodes(from), to, count: lanes)
                    }
                    plain += work.plainPixelStride
                    blocked += blockWidth
                }
            }
        }
    }
}
