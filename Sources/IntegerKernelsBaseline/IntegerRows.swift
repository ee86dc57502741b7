import CMachine
import Kernels

// Kernels over rows of quantized values. The rest of a row after whole vectors is computed in a vector too, which is
// read and written in part.

/// Loads the first `count` values, with zeros after them.
@inline(__always)
private func load(_ pointer: UnsafePointer<UInt8>, count: Int) -> Bytes {
    var bytes = Bytes.zero
    withUnsafeMutableBytes(of: &bytes) { $0.baseAddress!.copyMemory(from: pointer, byteCount: count) }
    return bytes
}

extension Int8Kernels {
    public static func add(_ work: borrowing IntegerAdditionWork) {
        let addition = VectorAddition(work.addition)
        for row in 0..<work.count {
            let left = work.left + row * work.leftStride
            let right = work.right + row * work.rightStride
            let output = work.output + row * work.outputStride
            var i = 0
            #if AVX512
                @inline(__always) func sum(_ index: Int) -> Floats {
                    addition.sum(level: addition.level(loadQuantized(left + index)), loadQuantized(right + index))
                }
                while i + 4 * blockWidth <= work.width {
                    let quantized = addition.rounding.quantized(
                        sum(i), sum(i + blockWidth), sum(i + 2 * blockWidth), sum(i + 3 * blockWidth))
                    UnsafeMutableRawPointer(output + i).storeBytes(of: quantized, as: SIMD64<UInt8>.self)
                    i += 4 * blockWidth
                }
            #endif
            while i + blockWidth <= work.width {
                write(
                    addition.quantized(loadQuantized(left + i), loadQuantized(right + i)), output + i, count: blockWidth
                )
                i += blockWidth
            }
            let rest = work.width - i
            if rest > 0 {
                write(
                    addition.quantized(load(left + i, count: rest), load(right + i, count: rest)), output + i,
                    count: rest)
            }
        }
    }

    public static func multiply(_ work: borrowing IntegerMultiplicationWork) {
        let (multiplication, width) = (VectorMultiplication(work.multiplication), work.width)
        for row in 0..<work.count {
            let left = work.left + row * work.leftStride
            let right = work.right + row * work.rightStride
            let output = work.output + row * work.outputStride
            if work.repeats {
                let levels = multiplication.levels(loadQuantized(right))
                multiply(width, multiplication, left, output) { _ in levels }
            } else {
                multiply(width, multiplication, left, output) {
                    multiplication.levels(
                        $0 + blockWidth <= width
                            ? loadQuantized(right + $0) : load(right + $0, count: width - $0))
                }
            }
        }
    }

    public static func scale(_ work: borrowing IntegerScaleWork) {
        let rounding = VectorRounding(work.rounding)
        rounding.saturates ? scale(work, rounding, saturates: true) : scale(work, rounding, saturates: false)
    }

    @inline(__always)
    private static func scale(_ work: borrowing IntegerScaleWork, _ rounding: VectorRounding, saturates: Bool) {
        let (factors, offsets) = (loadFloats(work.factors), loadFloats(work.offsets))
        let (zero, one) = (Words(repeating: work.zeroPoint), Floats(repeating: 1))
        for row in 0..<work.count {
            let input = work.input + row * work.inputStride
            let output = work.output + row * work.outputStride
            @inline(__always) func value(_ index: Int) -> Floats {
                let level = thaw_floats(thaw_words(loadQuantized(input + index)) &- zero)
                return thaw_sum_of_products(level, factors, offsets, one)
            }
            var i = 0
            #if AVX512
                while i + 4 * blockWidth <= work.width {
                    let quantized = rounding.quantized(
                        value(i), value(i + blockWidth), value(i + 2 * blockWidth), value(i + 3 * blockWidth),
                        saturates: saturates)
                    UnsafeMutableRawPointer(output + i).storeBytes(of: quantized, as: SIMD64<UInt8>.self)
                    i += 4 * blockWidth
                }
            #endif
            while i < work.width {
                write(rounding.quantized(value(i)), output + i, count: blockWidth)
                i += blockWidth
            }
        }
    }

    /// - Parameter levels: Returns the right levels at an index.
    @inline(__always)
    private static func multiply(
        _ width: Int, _ multiplication: VectorMultiplication, _ left: UnsafePointer<UInt8>,
        _ output: UnsafeMutablePointer<UInt8>, _ levels: (Int) -> Floats
    ) {
        var i = 0
        @inline(__always) func product(_ index: Int) -> Floats {
            multiplication.product(loadQuantized(left + index), levels(index))
        }
        #if AVX512
            while i + 4 * blockWidth <= width {
                let quantized = multiplication.rounding.quantized(
                    product(i), product(i + blockWidth), product(i + 2 * blockWidth), product(i + 3 * blockWidth))
                UnsafeMutableRawPointer(output + i).storeBytes(of: quantized, as: SIMD64<UInt8>.self)
                i += 4 * blockWidth
            }
        #endif
        while i + blockWidth <= width {
            write(multiplication.rounding.quantized(product(i)), output + i, count: blockWidth)
            i += blockWidth
        }
        let rest = width - i
        if rest > 0 {
            let last = multiplication.product(load(left + i, count: rest), levels(i))
            write(multiplication.rounding.quantized(last), output + i, count: rest)
        }
    }

    #if AVX512
        /// Whether the processor selects from tables of bytes, not only from those of pairs.
        private static let hasByteTables = thaw_has_avx512_vbmi()
    #endif

    public static func lookUp(_ work: borrowing LookupWork) {
        #if AVX2 || arch(arm64)
            // Preparing the table takes as long as a hundred bytes.
            if work.count * work.width >= 128 { return lookUpRows(work) }
        #elseif AVX512
            if hasByteTables { return lookUpRows(work) }
            let quarters = UnsafeRawPointer(work.table)
            let (first, second) = (loadBytes(quarters), loadBytes(quarters + 64))
            let (third, fourth) = (loadBytes(quarters + 128), loadBytes(quarters + 192))
        #endif
        for row in 0..<work.count {
            let input = work.input + row * work.inputStride
            let output = work.output + row * work.outputStride
            var i = 0
            #if AVX512
                while i + 64 <= work.width {
                    let found = thaw_looked_up(first, second, third, fourth, loadBytes(input + i))
                    UnsafeMutableRawPointer(output + i).storeBytes(of: found, as: SIMD64<UInt8>.self)
                    i += 64
                }
            #endif
            while i < work.width {
                output[i] = work.table[Int(input[i])]
                i += 1
            }
        }
    }

    #if AVX2 || AVX512 || arch(arm64)
        private static func lookUpRows(_ work: borrowing LookupWork) {
            thaw_look_up(
                work.table, work.input, Int64(work.inputStride), work.output, Int64(work.outputStride),
                Int64(work.width), Int64(work.count))
        }
    #endif

    public static func quantize(_ work: borrowing QuantizationWork) {
        let rounding = VectorRounding(work.rounding)
        let scale = Floats(repeating: work.scale)
        var i = 0
        #if AVX512
            @inline(__always) func quotient(_ index: Int) -> Floats { loadFloats(work.floats + index) / scale }
            while i + 4 * blockWidth <= work.count {
                let quantized = rounding.quantized(
                    quotient(i), quotient(i + blockWidth), quotient(i + 2 * blockWidth), quotient(i + 3 * blockWidth))
                UnsafeMutableRawPointer(work.quantized + i).storeBytes(of: quantized, as: SIMD64<UInt8>.self)
                i += 4 * blockWidth
            }
        #endif
        while i + blockWidth <= work.count {
            write(rounding.quantized(loadFloats(work.floats + i) / scale), work.quantized + i, count: blockWidth)
            i += blockWidth
        }
        let rest = work.count - i
        if rest > 0 {
            let source = work.floats + i
            var floats = Floats.zero
            withUnsafeMutableBytes(of: &floats) { $0.baseAddress!.copyMemory(from: source, byteCount: 4 * rest) }
            write(rounding.quantized(floats / scale), work.quantized + i, count: rest)
        }
    }

    public static func dequantize(_ work: borrowing QuantizationWork) {
        let zero = Words(repeating: work.rounding.zeroPoint)
        let scale = Floats(repeating: work.scale)
        var i = 0
        while i + blockWidth <= work.count {
            let level = thaw_floats(thaw_words(loadQuantized(work.quantized + i)) &- zero)
            write(level * scale, work.floats + i, count: blockWidth)
            i += blockWidth
        }
        let rest = work.count - i
        if rest > 0 {
            let level = thaw_floats(thaw_words(load(work.quantized + i, count: rest)) &- zero)
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
                        write(loadQuantized(from), to, count: blockWidth)
                    } else if blocking {
                        write(load(from.assumingMemoryBound(to: UInt8.self), count: lanes), to, count: blockWidth)
                    } else {
                        write(loadQuantized(from), to, count: lanes)
                    }
                    plain += work.plainPixelStride
                    blocked += blockWidth
                }
            }
        }
    }
}
