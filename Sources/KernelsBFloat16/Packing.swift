import CMachine
import Kernels

// bfloat16 weights: a row of pairs for each pair of steps, with the channels of a group side by side. Each weight is
// rounded once. On arm64, those of depthwise convolutions stay floats.

extension BFloat16Kernels {
    public static func packedBytes(_ steps: ConvolutionSteps) -> Int { wordCount(steps) * 64 }
    #if MATRICES
        public static var depthwiseType: BlockedValueType { .float32 }
        public static func packedDepthwiseBytes(_ steps: ConvolutionSteps) -> Int { steps.count * 64 }
        public static func packDepthwise(_ work: borrowing WeightPackingWork) { Float32Kernels.packDepthwise(work) }
    #else
        public static func packedDepthwiseBytes(_ steps: ConvolutionSteps) -> Int { packedBytes(steps) }
        public static func packDepthwise(_ work: borrowing WeightPackingWork) { packWeights(work) }
    #endif

    public static func packWeights(_ work: borrowing WeightPackingWork) {
        #if !MATRICES
            if isContiguous(work) { return packBlocks(work) }
        #endif
        if work.cancelsErrors { return packColumns(work) }
        let width = work.blockCount * blockWidth
        // As many rows at a time as stay in the cache while they are read and written.
        let rowsPerPass = max(4, (16 << 10) / (width * 2))
        var first = 0
        while first < work.rowCount {
            let end = min(first + rowsPerPass, work.rowCount)
            for row in first..<end {
                let from = work.source + work.rows[row].offset
                let position = Position(work.rows[row].index, work.steps)
                for column in 0..<work.columnCount {
                    let weight = from.loadUnaligned(fromByteOffset: work.columns[column], as: Float.self)
                    work.packed.storeBytes(
                        of: nearest(weight), toByteOffset: position.offset(column: column, width: width),
                        as: UInt16.self)
                }
            }
            first = end
        }
    }

    /// Cancels errors column by column.
    private static func packColumns(_ work: borrowing WeightPackingWork) {
        let width = work.blockCount * blockWidth
        for column in 0..<work.columnCount {
            let from = work.source + work.columns[column]
            var error: Float = 0
            for row in 0..<work.rowCount {
                let weight = from.loadUnaligned(fromByteOffset: work.rows[row].offset, as: Float.self) - error
                let rounded = nearest(weight)
                error = Float(bitPattern: UInt32(rounded) << 16) - weight
                if !error.isFinite { error = 0 }
                let position = Position(work.rows[row].index, work.steps)
                work.packed.storeBytes(
                    of: rounded, toByteOffset: position.offset(column: column, width: width), as: UInt16.self)
            }
        }
    }

    #if !MATRICES
        private static func isContiguous(_ work: borrowing WeightPackingWork) -> Bool {
            for column in 1..<max(1, work.columnCount) where work.columns[column] - work.columns[column - 1] != 4 {
                return false
            }
            return true
        }

        /// Packs contiguous columns block by block.
        private static func packBlocks(_ work: borrowing WeightPackingWork) {
            let width = work.blockCount * blockWidth
            for first in stride(from: 0, to: work.columnCount, by: blockWidth) {
                let from = work.source + work.columns[first]
                let lanes = min(blockWidth, work.columnCount - first)
                var error = Vector.zero
                for row in 0..<work.rowCount {
                    let weights = load(floats(from + work.rows[row].offset), count: lanes) - error
                    let rounded = thaw_round_bfloat16(weights)
                    if work.cancelsErrors {
                        error = thaw_widen_bfloat16(rounded) - weights
                        // Only the difference of finite values is finite.
                        let zero = error - error
                        error = error.replacing(with: 0, where: zero .!= zero)
                    }
                    let position = Position(work.rows[row].index, work.steps)
                    let words = work.packed + position.wordOffset(column: first, width: width)
                    // The other halves may have been written before.
                    let pairs = words.loadUnaligned(as: SIMD16<UInt32>.self)
                    words.storeBytes(
                        of: thaw_set_halves(pairs, rounded, UInt32(position.half * 16)), as: SIMD16<UInt32>.self)
                }
            }
        }
    #endif

    /// - Parameter work: Weights of a pointwise convolution: each step is an input channel.
    public static func scaleWeights(_ work: borrowing WeightScalingWork) {
        let width = work.blockCount * blockWidth
        #if MATRICES
            // The words of a row alternate. Only the last may be alone: all taps but the last have an even number.
            for word in stride(from: 0, to: wordCount(work.steps), by: 2) {
                let isAlone = word + 1 == wordCount(work.steps)
                let a = alternatingFactors(work, 2 * word, isAlone ? 2 * word : 2 * word + 2)
                let b = alternatingFactors(work, 2 * word + 1, isAlone ? 2 * word + 1 : 2 * word + 3)
                for part in 0..<(isAlone ? 1 : 2) * work.blockCount {
                    scalePairs(work, word * width * 4 + part * 64, a, b)
                }
            }
        #else
            for word in 0..<wordCount(work.steps) {
                // Only the last pair may have a single value.
                let a = Vector(repeating: work.factors[2 * word])
                let b = Vector(repeating: 2 * word + 1 < work.steps.count ? work.factors[2 * word + 1] : 0)
                for block in 0..<work.blockCount { scalePairs(work, (word * width + block * blockWidth) * 4, a, b) }
            }
        #endif
    }
}

#if MATRICES
    /// The factors of two steps in turn, zeros for steps that do not exist.
    @inline(__always)
    private func alternatingFactors(_ work: borrowing WeightScalingWork, _ even: Int, _ odd: Int) -> Vector {
        var factors = Vector(repeating: even < work.steps.count ? work.factors[even] : 0)
        factors.oddHalf = SIMD8(repeating: odd < work.steps.count ? work.factors[odd] : 0)
        return factors
    }
#endif

/// Multiplies the first value of each pair at an offset by `a`, the second by `b`.
@inline(__always)
private func scalePairs(_ work: borrowing WeightScalingWork, _ offset: Int, _ a: Vector, _ b: Vector) {
    let pairs = (work.weights + offset).loadUnaligned(as: SIMD16<UInt32>.self)
    (work.output + offset).storeBytes(of: thaw_scale_pairs_bfloat16(pairs, a, b), as: SIMD16<UInt32>.self)
}

/// Where the weights of a step are: in one half of a word.
private struct Position {
    private let word: Int
    let half: Int
    /// The word's index among those of its tap, and their number.
    private let index: Int
    private let count: Int

    @inline(__always) init(_ step: Int, _ steps: ConvolutionSteps) {
        let wholeTaps = steps.tapCount - steps.shortTaps
        let long = wholeTaps * steps.depth
        let (first, rest, depth) =
            step < long ? (0, step, steps.depth) : (wholeTaps * wordCount(steps.depth), step - long, steps.shortDepth)
        let tap = rest / depth
        let value = rest - tap * depth
        (index, half, count) = (value >> 1, value & 1, wordCount(depth))
        word = first + tap * count + index
    }

    /// The offset of a channel's weight, in bytes.
    /// - Parameter width: The channels of the group.
    @inline(__always) func offset(column: Int, width: Int) -> Int {
        #if MATRICES
            // Groups are single blocks.
            packedOffset(word: word, index: index, of: count, channel: column) + half * 2
        #else
            wordOffset(column: column, width: width) + half * 2
        #endif
    }

    #if !MATRICES
        @inline(__always) func wordOffset(column: Int, width: Int) -> Int { (word * width + column) * 4 }
    #endif
}

/// The nearest bfloat16, ties to even.
@inline(__always)
func nearest(_ value: Float) -> UInt16 {
    let bits = value.bitPattern
    if value != value { return UInt16(truncatingIfNeeded: bits >> 16) | 0x40 }
    return UInt16(truncatingIfNeeded: (bits &+ 0x7FFF &+ (bits >> 16 & 1)) >> 16)
}
