import CMachine
import Kernels

// A vector of 16 words holds four samples per lane, one in each byte, so neither widening nor narrowing moves data
// between lanes: a mask and a shift extract a plane of 16 samples, and put the sums back.

private typealias Words = SIMD16<Int32>

private let half: Int32 = 1 << (ResamplingWork.fractionBits - 1)

extension Float32Kernels {
    /// Processes 16 rows at a time: one row per lane, one pixel per word.
    public static func resampleRows(_ work: borrowing ResamplingWork) {
        guard work.height >= 16, work.width >= 4, work.count >= 4 else { return resampleRowsPlainly(work) }
        var row = 0
        while row < work.height {
            // The last strip overlaps the one before it. So do the last four pixels of a row, in reads and writes.
            let top = min(row, work.height - 16)
            let source = UnsafeRawPointer(work.source + top * work.sourceStride)
            if work.channels == 1 { gatherGray(work, source) } else { gatherColors(work, source) }
            let target = UnsafeMutableRawPointer(work.target + top * work.targetStride)
            var index = 0
            while index < work.count {
                let x = min(index, work.count - 4)
                if work.channels == 1 { sumGray(work, x, target + x) } else { sumColors(work, x, target + 3 * x) }
                index += 4
            }
            row += 16
        }
    }
}

/// Stores the pixels of 16 rows next to each other, column by column.
@inline(__always)
private func gatherColors(_ work: borrowing ResamplingWork, _ rows: UnsafeRawPointer) {
    let scratch = UnsafeMutableRawPointer(work.scratch)
    var x = 0
    // 16 bytes are four pixels and parts of two more.
    while x + 6 <= work.width {
        gather(rows + 3 * x, work.sourceStride, scratch + x * 64) { $0.loadUnaligned(as: SIMD16<UInt8>.self) }
        x += 4
    }
    while x < work.width {
        let last = min(x, work.width - 4)
        gather(rows + 3 * last, work.sourceStride, scratch + last * 64) { from in
            var bytes = SIMD16<UInt8>.zero
            withUnsafeMutableBytes(of: &bytes) { $0.baseAddress!.copyMemory(from: from, byteCount: 12) }
            return bytes
        }
        x += 4
    }
}

/// Four pixels from each of 16 rows.
@inline(__always)
private func gather(
    _ at: UnsafeRawPointer, _ stride: Int, _ scratch: UnsafeMutableRawPointer,
    _ read: (UnsafeRawPointer) -> SIMD16<UInt8>
) {
    func rows(from first: Int) -> Words {
        let (a, b) = (at + first * stride, at + (first + 8) * stride)
        return thaw_words_of_threes(
            SIMD64(
                lowHalf: SIMD32(lowHalf: read(a), highHalf: read(a + 4 * stride)),
                highHalf: SIMD32(lowHalf: read(b), highHalf: read(b + 4 * stride))))
    }
    let columns = transposed((rows(from: 0), rows(from: 1), rows(from: 2), rows(from: 3)))
    scratch.storeBytes(of: columns.0, as: Words.self)
    scratch.storeBytes(of: columns.1, toByteOffset: 64, as: Words.self)
    scratch.storeBytes(of: columns.2, toByteOffset: 128, as: Words.self)
    scratch.storeBytes(of: columns.3, toByteOffset: 192, as: Words.self)
}

/// Transposes: rows 0, 4, 8 and 12, of four pixels each, and the rows after each of them, become four columns of 16
/// rows. Applied to columns, it gives rows.
@inline(__always)
private func transposed(_ lines: (Words, Words, Words, Words)) -> (Words, Words, Words, Words) {
    let (first, last) = (thaw_zip_low(lines.0, lines.1), thaw_zip_high(lines.0, lines.1))
    let (third, fourth) = (thaw_zip_low(lines.2, lines.3), thaw_zip_high(lines.2, lines.3))
    return (
        thaw_join_low(first, third), thaw_join_high(first, third), thaw_join_low(last, fourth),
        thaw_join_high(last, fourth)
    )
}

/// Four output pixels, from `x` on, of 16 rows.
@inline(__always)
private func sumColors(_ work: borrowing ResamplingWork, _ x: Int, _ target: UnsafeMutableRawPointer) {
    let lines = transposed((color(work, x), color(work, x + 1), color(work, x + 2), color(work, x + 3)))
    let stride = work.targetStride
    func store(_ line: Words, _ to: UnsafeMutableRawPointer) {
        withUnsafeBytes(of: thaw_threes_of_words(line)) { bytes in
            for quarter in 0..<4 {
                (to + 4 * quarter * stride).copyMemory(from: bytes.baseAddress! + 16 * quarter, byteCount: 12)
            }
        }
    }
    store(lines.0, target)
    store(lines.1, target + stride)
    store(lines.2, target + 2 * stride)
    store(lines.3, target + 3 * stride)
}

@inline(__always)
private func color(_ work: borrowing ResamplingWork, _ x: Int) -> Words {
    let mask = Words(repeating: 255)
    let weights = work.weights + x * work.reach
    let from = UnsafeRawPointer(work.scratch + Int(work.first[x]) * 16)
    var red = Words(repeating: half)
    var (green, blue) = (red, red)
    for tap in 0..<Int(work.taps[x]) {
        let pixels = from.load(fromByteOffset: tap * 64, as: Words.self)
        let weight = Words(repeating: weights[tap])
        red &+= (pixels & mask) &* weight
        green &+= ((pixels &>> Words(repeating: 8)) & mask) &* weight
        blue &+= ((pixels &>> Words(repeating: 16)) & mask) &* weight
    }
    return rounded(red) | rounded(green) &<< Words(repeating: 8) | rounded(blue) &<< Words(repeating: 16)
}

@inline(__always)
private func gatherGray(_ work: borrowing ResamplingWork, _ rows: UnsafeRawPointer) {
    var index = 0
    while index < work.width {
        let x = min(index, work.width - 4)
        // A word holds four pixels of a row.
        var words = Words.zero
        for row in 0..<16 { words[row] = (rows + (row * work.sourceStride + x)).loadUnaligned(as: Int32.self) }
        let scratch = UnsafeMutableRawPointer(work.scratch + x * 16)
        for pixel in 0..<4 {
            let column = words &>> Words(repeating: 8 * Int32(pixel)) & Words(repeating: 255)
            scratch.storeBytes(of: column, toByteOffset: pixel * 64, as: Words.self)
        }
        index += 4
    }
}

@inline(__always)
private func sumGray(_ work: borrowing ResamplingWork, _ x: Int, _ target: UnsafeMutableRawPointer) {
    let high = gray(work, x + 2) &<< Words(repeating: 16) | gray(work, x + 3) &<< Words(repeating: 24)
    let words = gray(work, x) | gray(work, x + 1) &<< Words(repeating: 8) | high
    for row in 0..<16 { (target + row * work.targetStride).storeBytes(of: words[row], as: Int32.self) }
}

@inline(__always)
private func gray(_ work: borrowing ResamplingWork, _ x: Int) -> Words {
    let weights = work.weights + x * work.reach
    let from = UnsafeRawPointer(work.scratch + Int(work.first[x]) * 16)
    var sum = Words(repeating: half)
    for tap in 0..<Int(work.taps[x]) {
        sum &+= from.load(fromByteOffset: tap * 64, as: Words.self) &* Words(repeating: weights[tap])
    }
    return rounded(sum)
}

/// Converts fixed-point sums to bytes.
@inline(__always)
private func rounded(_ sum: Words) -> Words { thaw_clamped_bytes(sum, ResamplingWork.fractionBits) }

extension Float32Kernels {
    /// Processes 64 bytes of a row at a time.
    public static func resampleColumns(_ work: borrowing ResamplingWork) {
        guard work.width >= 64 else { return resampleColumnsPlainly(work) }
        let mask = Words(repeating: 255)
        for y in 0..<work.count {
            let weights = work.weights + y * work.reach
            let source = UnsafeRawPointer(work.source + Int(work.first[y]) * work.sourceStride)
            let target = UnsafeMutableRawPointer(work.target + y * work.targetStride)
            var index = 0
            while index < work.width {
                // The last vector overlaps the one before it.
                let at = min(index, work.width - 64)
                var a = Words(repeating: half)
                var (b, c, d) = (a, a, a)
                for tap in 0..<Int(work.taps[y]) {
                    let bytes = source.loadUnaligned(fromByteOffset: tap * work.sourceStride + at, as: Words.self)
                    let weight = Words(repeating: weights[tap])
                    a &+= (bytes & mask) &* weight
                    b &+= ((bytes &>> Words(repeating: 8)) & mask) &* weight
                    c &+= ((bytes &>> Words(repeating: 16)) & mask) &* weight
                    d &+= ((bytes &>> Words(repeating: 24)) & mask) &* weight
                }
                let low = rounded(a) | rounded(b) &<< Words(repeating: 8)
                let high = rounded(c) &<< Words(repeating: 16) | rounded(d) &<< Words(repeating: 24)
                target.storeBytes(of: low | high, toByteOffset: at, as: Words.self)
                index += 64
            }
        }
    }
}

// The samples that are too few for vectors.

private func resampleRowsPlainly(_ work: borrowing ResamplingWork) {
    for row in 0..<work.height {
        let source = work.source + row * work.sourceStride
        let target = work.target + row * work.targetStride
        for x in 0..<work.count {
            for channel in 0..<work.channels {
                let from = source + (Int(work.first[x]) * work.channels + channel)
                target[x * work.channels + channel] = sum(work, x, from, step: work.channels)
            }
        }
    }
}

private func resampleColumnsPlainly(_ work: borrowing ResamplingWork) {
    for y in 0..<work.count {
        let source = work.source + Int(work.first[y]) * work.sourceStride
        for x in 0..<work.width {
            work.target[y * work.targetStride + x] = sum(work, y, source + x, step: work.sourceStride)
        }
    }
}

/// One output sample, from input samples that are `step` bytes apart.
private func sum(
    _ work: borrowing ResamplingWork, _ index: Int, _ source: UnsafePointer<UInt8>, step: Int
) -> UInt8 {
    var sum = half
    for tap in 0..<Int(work.taps[index]) {
        sum &+= Int32(source[tap * step]) &* work.weights[index * work.reach + tap]
    }
    return UInt8(truncatingIfNeeded: min(max(sum &>> ResamplingWork.fractionBits, 0), 255))
}
