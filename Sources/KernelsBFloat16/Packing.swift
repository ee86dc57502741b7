import CMachine
import Kernels
import KernelsAVX512

// bfloat16 weights: a row of pairs for each pair of steps, with the channels of a group side by side. Each weight is
// rounded once. Weights that multiply floats, and those of depthwise convolutions, stay floats.

extension BFloat16Kernels {
    public static func packedBytes(_ steps: ConvolutionSteps) -> Int { words(steps) * 64 }
    public static func packedDepthwiseBytes(window: Int) -> Int { window * 64 }
    public static func packDepthwise(_ work: borrowing WeightPackingWork) { Float32Kernels.packDepthwise(work) }

    public static func packWeights(_ work: borrowing WeightPackingWork) {
        if work.steps.readsPlain { return Float32Kernels.packWeights(work) }
        let width = work.blockCount * blockWidth
        // As many rows at a time as stay in the cache while they are written.
        let rowsPerPass = max(4, (16 << 10) / (width * 2))
        var first = 0
        while first < work.rowCount {
            let end = min(first + rowsPerPass, work.rowCount)
            for column in 0..<work.columnCount {
                let from = work.source + work.columns[column]
                for row in first..<end {
                    let weight = from.loadUnaligned(fromByteOffset: work.rows[row].offset, as: Float.self)
                    let (word, half) = position(work.rows[row].index, work.steps)
                    work.packed.storeBytes(
                        of: nearest(weight), toByteOffset: (word * width + column) * 4 + half * 2, as: UInt16.self)
                }
            }
            first = end
        }
    }

    /// - Parameter work: Weights of a pointwise convolution: each step is an input channel.
    public static func scaleWeights(_ work: borrowing WeightScalingWork) {
        if work.steps.readsPlain { return Float32Kernels.scaleWeights(work) }
        let (width, steps) = (work.blockCount * blockWidth, work.steps.count)
        for word in 0..<words(work.steps) {
            // Only the last pair may have a single value.
            let a = Vector(repeating: work.factors[2 * word])
            let b = Vector(repeating: 2 * word + 1 < steps ? work.factors[2 * word + 1] : 0)
            for block in 0..<work.blockCount {
                let offset = (word * width + block * blockWidth) * 4
                let pairs = (work.weights + offset).loadUnaligned(as: SIMD16<UInt32>.self)
                (work.output + offset).storeBytes(
                    of: thaw_scale_pairs_bfloat16(pairs, a, b), as: SIMD16<UInt32>.self)
            }
        }
    }
}

/// The word that holds the weights of a step, and the half of it.
@inline(__always)
private func position(_ index: Int, _ steps: ConvolutionSteps) -> (word: Int, half: Int) {
    let long = (steps.tapCount - steps.shortTaps) * steps.depth
    let (first, rest, depth) =
        index < long
        ? (0, index, steps.depth)
        : ((steps.tapCount - steps.shortTaps) * words(steps.depth), index - long, steps.shortDepth)
    let tap = rest / depth
    let value = rest - tap * depth
    return (first + tap * words(depth) + value >> 1, value & 1)
}

/// The nearest bfloat16, ties to even.
@inline(__always)
private func nearest(_ value: Float) -> UInt16 {
    let bits = value.bitPattern
    if value != value { return UInt16(truncatingIfNeeded: bits >> 16) | 0x40 }
    return UInt16(truncatingIfNeeded: (bits &+ 0x7FFF &+ (bits >> 16 & 1)) >> 16)
}
