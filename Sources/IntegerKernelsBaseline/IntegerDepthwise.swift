import CMachine
import Kernels

// 8-bit integer depthwise convolutions: each channel separately. Weights are packed `[block][tap][channels of the
// block]`, each in the low part of a word.

extension Int8Kernels {
    public static func packedDepthwiseBytes(window: Int) -> Int { 64 * window }

    public static func packDepthwise(_ work: borrowing IntegerPackingWork) {
        let packed = work.packed.assumingMemoryBound(to: Int32.self)
        for tap in 0..<work.rowCount {
            let quantized = work.quantized + Int(work.rows[tap]) * work.rowStride + work.firstColumn
            for column in 0..<work.columnCount {
                #if VNNI
                    packed[tap * blockWidth + column] = Int32(quantized[column]) & 0xff
                #else
                    packed[tap * blockWidth + column] = Int32(quantized[column]) & 0xffff
                #endif
            }
        }
    }

    public static func convolveDepthwise(_ work: borrowing IntegerDepthwiseWork) {
        let isDilated = work.tapStrideX > blockWidth
        #if AVX512 && VNNI
            if !isDilated, work.strideX <= 2, hasQuartets(work) {
                switch (work.windowHeight, work.windowWidth, work.strideX) {
                case (3, 3, 1): return computeQuartets(ThreeWindowRows.self, StrideOne.self, work)
                case (3, 3, 2): return computeQuartets(ThreeWindowRows.self, StrideTwo.self, work)
                case (5, 5, 1): return computeQuartets(FiveWindowRows.self, StrideOne.self, work)
                case (5, 5, 2): return computeQuartets(FiveWindowRows.self, StrideTwo.self, work)
                default: break
                }
            }
        #endif
        switch (work.windowHeight, work.windowWidth, work.strideX) {
        case (3, 3, 1...2) where !isDilated: computeByColumns(ThreeRows.self, work)
        #if !arch(arm64)
            // (On arm64, they would not stay in registers.)
            case (5, 5, 1...2) where !isDilated: computeByColumns(FiveRows.self, work)
        #endif
        default: computeByTaps(work)
        }
    }
}

/// The initial values of the accumulators.
@inline(__always)
private func balancedBias(_ work: borrowing IntegerDepthwiseWork) -> Words {
    var bias = loadWords(work.bias)
    for tap in 0..<work.windowHeight * work.windowWidth {
        bias = balanced(bias, loadWords(work.weights + tap * 64))
    }
    return bias
}

// MARK: Square windows, column by column

/// The quantized values of a column of the window, or its weights, in as few words as possible.
private protocol Column {
    static var height: Int { get }
    /// - Parameter row: Returns the word of a row: a quantized value, or a weight.
    init(_ row: (Int) -> Words)
    func add(to sum: Words, _ weights: Self) -> Words
}

private struct ThreeRows: Column {
    #if VNNI
        private let words: Words
    #else
        private let words: (Words, Words)
    #endif
    static var height: Int { 3 }

    @inline(__always) init(_ row: (Int) -> Words) {
        #if VNNI
            words = row(0) | row(1) &<< 8 | row(2) &<< 16
        #else
            words = (row(0) | row(1) &<< 16, row(2))
        #endif
    }
    @inline(__always) func add(to sum: Words, _ weights: ThreeRows) -> Words {
        #if VNNI
            return addProducts(sum, words, weights.words)
        #else
            return addProducts(addProducts(sum, words.0, weights.words.0), words.1, weights.words.1)
        #endif
    }
}

private struct FiveRows: Column {
    #if VNNI
        private let words: (Words, Words)
    #else
        private let words: (Words, Words, Words)
    #endif
    static var height: Int { 5 }

    @inline(__always) init(_ row: (Int) -> Words) {
        #if VNNI
            words = (row(0) | row(1) &<< 8 | row(2) &<< 16 | row(3) &<< 24, row(4))
        #else
            words = (row(0) | row(1) &<< 16, row(2) | row(3) &<< 16, row(4))
        #endif
    }
    @inline(__always) func add(to sum: Words, _ weights: FiveRows) -> Words {
        let sum = addProducts(addProducts(sum, words.0, weights.words.0), words.1, weights.words.1)
        #if VNNI
            return sum
        #else
            return addProducts(sum, words.2, weights.words.2)
        #endif
    }
}

/// Each output reads the last columns of the one before it, which stay in registers.
private func computeByColumns<C: Column>(_: C.Type, _ work: borrowing IntegerDepthwiseWork) {
    let rounding = VectorRounding(work.rounding)
    rounding.saturates
        ? computeByColumns(C.self, work, rounding, saturates: true)
        : computeByColumns(C.self, work, rounding, saturates: false)
}

@inline(__always)
private func computeByColumns<C: Column>(
    _: C.Type, _ work: borrowing IntegerDepthwiseWork, _ rounding: VectorRounding, saturates: Bool
) {
    let factors = loadFloats(work.factors)
    let bias = balancedBias(work)
    let (packed, rowStride) = (work.weights, work.tapStrideY)
    @inline(__always) func weights(_ column: Int) -> C {
        C { loadWords(packed + ($0 * C.height + column) * 64) }
    }
    @inline(__always) func quantized(_ pixel: UnsafeRawPointer) -> C {
        C { thaw_words(signed(loadQuantized(pixel + $0 * rowStride))) }
    }
    @inline(__always) func write(_ sum: Words, _ output: UnsafeMutableRawPointer) {
        let quantized = rounding.quantized(thaw_floats(sum) * factors, saturates: saturates)
        output.storeBytes(of: quantized, as: Bytes.self)
    }
    let (w0, w1, w2) = (weights(0), weights(1), weights(2))
    for row in work.firstRow..<work.firstRow + work.rowCount {
        var pixel = work.input + row * work.strideY * work.inputRowStride
        var output = work.output + row * work.outputRowStride
        if C.height == 3 {
            var first = quantized(pixel)
            if work.strideX == 1 {
                var second = quantized(pixel + blockWidth)
                for _ in 0..<work.width {
                    let third = quantized(pixel + 2 * blockWidth)
                    write(third.add(to: second.add(to: first.add(to: bias, w0), w1), w2), output)
                    (first, second) = (second, third)
                    pixel += blockWidth
                    output += blockWidth
                }
            } else {
                for _ in 0..<work.width {
                    let second = quantized(pixel + blockWidth)
                    let third = quantized(pixel + 2 * blockWidth)
                    write(third.add(to: second.add(to: first.add(to: bias, w0), w1), w2), output)
                    first = third
                    pixel += 2 * blockWidth
                    output += blockWidth
                }
            }
        } else {
            let (w3, w4) = (weights(3), weights(4))
            var (first, second) = (quantized(pixel), quantized(pixel + blockWidth))
            var third = quantized(pixel + 2 * blockWidth)
            if work.strideX == 1 {
                var fourth = quantized(pixel + 3 * blockWidth)
                for _ in 0..<work.width {
                    let fifth = quantized(pixel + 4 * blockWidth)
                    let sum = third.add(to: second.add(to: first.add(to: bias, w0), w1), w2)
                    write(fifth.add(to: fourth.add(to: sum, w3), w4), output)
                    (first, second, third, fourth) = (second, third, fourth, fifth)
                    pixel += blockWidth
                    output += blockWidth
                }
            } else {
                for _ in 0..<work.width {
                    let fourth = quantized(pixel + 3 * blockWidth)
                    let fifth = quantized(pixel + 4 * blockWidth)
                    let sum = third.add(to: second.add(to: first.add(to: bias, w0), w1), w2)
                    write(fifth.add(to: fourth.add(to: sum, w3), w4), output)
                    (first, second, third) = (third, fourth, fifth)
                    pixel += 2 * blockWidth
                    output += blockWidth
                }
            }
        }
    }
}

// MARK: Any window, tap by tap

private func computeByTaps(_ work: borrowing IntegerDepthwiseWork) {
    let rounding = VectorRounding(work.rounding)
    let bias = balancedBias(work)
    let step = work.strideX * blockWidth
    for row in work.firstRow..<work.firstRow + work.rowCount {
        var input = work.input + row * work.strideY * work.inputRowStride
        var output = work.output + row * work.outputRowStride
        for _ in 0..<work.width / adjacentOutputs {
            computeAdjacentOutputs(work, rounding, bias, input, step: step, output)
            input += adjacentOutputs * step
            output += adjacentOutputs * blockWidth
        }
        for _ in 0..<work.width % adjacentOutputs {
            computeOutput(work, rounding, bias, input, output)
            input += step
            output += blockWidth
        }
    }
}

/// As many as the registers hold.
private var adjacentOutputs: Int {
    @inline(__always) get {
        #if arch(arm64)
            2
        #else
            4
        #endif
    }
}

/// Some adjacent outputs.
@inline(__always)
private func computeAdjacentOutputs(
    _ work: borrowing IntegerDepthwiseWork, _ rounding: VectorRounding, _ bias: Words, _ input: UnsafeRawPointer,
    step: Int, _ output: UnsafeMutableRawPointer
) {
    var (a, b, c, d) = (bias, bias, bias, bias)
    var weights = work.weights
    var row = input
    for _ in 0..<work.windowHeight {
        var tap = row
        for _ in 0..<work.windowWidth {
            let weight = loadWords(weights)
            a = addProducts(a, thaw_words(signed(loadQuantized(tap))), weight)
            b = addProducts(b, thaw_words(signed(loadQuantized(tap + step))), weight)
            if adjacentOutputs == 4 {
                c = addProducts(c, thaw_words(signed(loadQuantized(tap + 2 * step))), weight)
                d = addProducts(d, thaw_words(signed(loadQuantized(tap + 3 * step))), weight)
            }
            weights += 64
            tap += work.tapStrideX
        }
        row += work.tapStrideY
    }
    let factors = loadFloats(work.factors)
    write(rounding.quantized(thaw_floats(a) * factors), output, count: blockWidth)
    write(rounding.quantized(thaw_floats(b) * factors), output + blockWidth, count: blockWidth)
    if adjacentOutputs == 4 {
        write(rounding.quantized(thaw_floats(c) * factors), output + 2 * blockWidth, count: blockWidth)
        write(rounding.quantized(thaw_floats(d) * factors), output + 3 * blockWidth, count: blockWidth)
    }
}

@inline(__always)
private func computeOutput(
    _ work: borrowing IntegerDepthwiseWork, _ rounding: VectorRounding, _ bias: Words, _ input: UnsafeRawPointer,
    _ output: UnsafeMutableRawPointer
) {
    var sum = bias
    var weights = work.weights
    var row = input
    for _ in 0..<work.windowHeight {
        var tap = row
        for _ in 0..<work.windowWidth {
            sum = addProducts(sum, thaw_words(signed(loadQuantized(tap))), loadWords(weights))
            weights += 64
            tap += work.tapStrideX
        }
        row += work.tapStrideY
    }
    write(rounding.quantized(thaw_floats(sum) * loadFloats(work.factors)), output, count: blockWidth)
}
