import Kernels

// A vector of 16 words holds four samples a lane, one in each byte, so that neither widening nor narrowing moves data
// between lanes: a mask and a shift take a plane of 16 samples out, and put the sums back.

private typealias Words = SIMD16<Int32>

private let half: Int32 = 1 << (ResamplingWork.fractionBits - 1)

/// Sixteen rows at once, one in each lane, a pixel in each word.
func resampleRows(_ work: borrowing ResamplingWork) {
    // The last pixel of a row is read together with the byte before it, so there must be one.
    guard work.height >= 16, work.width >= 2 else { return resampleRowsPlainly(work) }
    var row = 0
    while row < work.height {
        // The last strip overlaps the one before it.
        let top = min(row, work.height - 16)
        gather(work, top)
        if work.channels == 1 { sumGray(work, top) } else { sumColors(work, top) }
        row += 16
    }
}

/// Writes the pixels of 16 rows beside each other, by columns.
@inline(__always)
private func gather(_ work: borrowing ResamplingWork, _ top: Int) {
    let source = work.source + top * work.sourceStride
    let stride = work.sourceStride
    let scratch = UnsafeMutableRawPointer(work.scratch)
    if work.channels == 1 {
        for x in 0..<work.width {
            let words = column(source + x, stride) { Int32($0[0]) }
            scratch.storeBytes(of: words, toByteOffset: x * 64, as: Words.self)
        }
    } else {
        for x in 0..<(work.width - 1) {
            let words = column(source + 3 * x, stride) { UnsafeRawPointer($0).loadUnaligned(as: Int32.self) }
            scratch.storeBytes(of: words, toByteOffset: x * 64, as: Words.self)
        }
        // A word of the last pixel would reach past its row's end.
        let words = column(source + (3 * work.width - 4), stride) {
            UnsafeRawPointer($0).loadUnaligned(as: Int32.self)
        }
        scratch.storeBytes(of: words &>> Words(repeating: 8), toByteOffset: (work.width - 1) * 64, as: Words.self)
    }
}

@inline(__always)
private func column(
    _ at: UnsafePointer<UInt8>, _ stride: Int, _ read: (UnsafePointer<UInt8>) -> Int32
) -> Words {
    let (a, b, c) = (at + 4 * stride, at + 8 * stride, at + 12 * stride)
    return Words(
        read(at), read(at + stride), read(at + 2 * stride), read(at + 3 * stride),
        read(a), read(a + stride), read(a + 2 * stride), read(a + 3 * stride),
        read(b), read(b + stride), read(b + 2 * stride), read(b + 3 * stride),
        read(c), read(c + stride), read(c + 2 * stride), read(c + 3 * stride))
}

@inline(__always)
private func sumColors(_ work: borrowing ResamplingWork, _ top: Int) {
    let mask = Words(repeating: 255)
    let target = work.target + top * work.targetStride
    for x in 0..<work.count {
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
        let pixels = rounded(red) | rounded(green) &<< Words(repeating: 8) | rounded(blue) &<< Words(repeating: 16)
        let to = target + 3 * x
        if x < work.count - 1 {
            // The fourth byte of a word falls on the next pixel, which is written later.
            scatter(pixels, to, work.targetStride) { word, to in
                UnsafeMutableRawPointer(to).storeBytes(of: word, as: Int32.self)
            }
        } else {
            scatter(pixels, to, work.targetStride) { word, to in
                UnsafeMutableRawPointer(to).storeBytes(of: Int16(truncatingIfNeeded: word), as: Int16.self)
                to[2] = UInt8(truncatingIfNeeded: word &>> 16)
            }
        }
    }
}

@inline(__always)
private func sumGray(_ work: borrowing ResamplingWork, _ top: Int) {
    let target = work.target + top * work.targetStride
    for x in 0..<work.count {
        let weights = work.weights + x * work.reach
        let from = UnsafeRawPointer(work.scratch + Int(work.first[x]) * 16)
        var sum = Words(repeating: half)
        for tap in 0..<Int(work.taps[x]) {
            sum &+= from.load(fromByteOffset: tap * 64, as: Words.self) &* Words(repeating: weights[tap])
        }
        scatter(rounded(sum), target + x, work.targetStride) { word, to in to[0] = UInt8(truncatingIfNeeded: word) }
    }
}

@inline(__always)
private func scatter(
    _ words: Words, _ to: UnsafeMutablePointer<UInt8>, _ stride: Int,
    _ write: (Int32, UnsafeMutablePointer<UInt8>) -> Void
) {
    for lane in 0..<16 { write(words[lane], to + lane * stride) }
}

/// The bytes that sums in fixed point stand for. (Comparisons of whole numbers would go lane by lane; signs do not.)
@inline(__always)
private func rounded(_ sum: Words) -> Words {
    let whole = sum &>> Words(repeating: ResamplingWork.fractionBits)
    let positive = whole & ~(whole &>> Words(repeating: 31))
    let isOver = (Words(repeating: 255) &- positive) &>> Words(repeating: 31)
    return (positive | isOver) & Words(repeating: 255)
}

/// 64 bytes of a row at once.
func resampleColumns(_ work: borrowing ResamplingWork) {
    guard work.width >= 64 else { return resampleColumnsPlainly(work) }
    let mask = Words(repeating: 255)
    for y in 0..<work.count {
        let weights = work.weights + y * work.reach
        let source = UnsafeRawPointer(work.source + Int(work.first[y]) * work.sourceStride)
        let target = UnsafeMutableRawPointer(work.target + y * work.targetStride)
        var place = 0
        while place < work.width {
            // The last vector overlaps the one before it.
            let at = min(place, work.width - 64)
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
            place += 64
        }
    }
}

// What is too small for vectors.

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

/// One new sample, of old ones that lie `step` bytes apart.
private func sum(
    _ work: borrowing ResamplingWork, _ index: Int, _ source: UnsafePointer<UInt8>, step: Int
) -> UInt8 {
    var sum = half
    for tap in 0..<Int(work.taps[index]) {
        sum &+= Int32(source[tap * step]) &* work.weights[index * work.reach + tap]
    }
    return UInt8(truncatingIfNeeded: min(max(sum &>> ResamplingWork.fractionBits, 0), 255))
}
