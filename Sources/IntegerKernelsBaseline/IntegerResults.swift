import CMachine
import Kernels

// Sums become results: rounded, added to a residual, or as floats.

/// Turns the sums into results and stores them.
@inline(__always)
func finish<T: PixelSums>(_ tile: T, _ work: borrowing IntegerConvolutionWork, _ first: Int, _ block: Int) {
    let start = work.output + block * work.outputBlockStride
    let (offsets, stride) = (work.outputOffsets, work.outputBlockStride)
    let factors = work.factors + block * blockWidth
    let lanes = min(blockWidth, work.channels - (block + T.Sums.count - 1) * blockWidth)
    @inline(__always) func output(_ pixel: Int) -> BlockOutput {
        BlockOutput(first: start + Int(offsets[pixel]), stride: stride, lanes: lanes)
    }
    guard let rounding = work.rounding.map(VectorRounding.init) else {
        let (lower, upper) = (Floats(repeating: work.lower), Floats(repeating: work.upper))
        return tile.forEach(first) { sums, pixel in
            sums.storeFloats(lower: lower, upper: upper, factors, output(pixel))
        }
    }
    if let residual = work.residual, let residualOffsets = work.residualOffsets, let addition = work.addition {
        let sum = VectorAddition(addition)
        let others = residual + block * work.residualBlockStride
        let residualStride = work.residualBlockStride
        @inline(__always) func store(saturates: Bool) {
            tile.forEach(first) { sums, pixel in
                sums.storeSums(
                    rounding, sum, factors, others + Int(residualOffsets[pixel]), residualStride: residualStride,
                    output(pixel), saturates: saturates)
            }
        }
        return sum.rounding.saturates ? store(saturates: true) : store(saturates: false)
    }
    @inline(__always) func store(saturates: Bool) {
        tile.forEach(first) { sums, pixel in
            sums.storeQuantized(rounding, factors, output(pixel), saturates: saturates)
        }
    }
    rounding.saturates ? store(saturates: true) : store(saturates: false)
}

/// Where the results of a pixel go: from the first block on, each a stride further. Of the last block, only some lanes are
/// stored.
struct BlockOutput {
    var first: UnsafeMutableRawPointer
    var stride: Int
    var lanes: Int

    @inline(__always) func store(_ bytes: Bytes, _ block: Int, of count: Int) {
        write(bytes, first + block * stride, count: block == count - 1 ? lanes : blockWidth)
    }
    @inline(__always) func store(_ floats: Floats, _ block: Int, of count: Int) {
        write(floats, first + block * stride, count: block == count - 1 ? lanes : blockWidth)
    }
}

// The results of a pixel, from its sums. `factors` are those of the first block's channels.
extension Blocks {
    @inline(__always) func storeQuantized(
        _ rounding: VectorRounding, _ factors: UnsafePointer<Float>, _ output: BlockOutput, saturates: Bool
    ) {
        storeRounded(rounding, output, saturates: saturates) { thaw_floats($0) * loadFloats(factors + $1 * blockWidth) }
    }

    /// Adds quantized values of a residual, each block a stride after the one before.
    @inline(__always) func storeSums(
        _ rounding: VectorRounding, _ addition: VectorAddition, _ factors: UnsafePointer<Float>,
        _ residual: UnsafeRawPointer, residualStride: Int, _ output: BlockOutput, saturates: Bool
    ) {
        storeRounded(addition.rounding, output, saturates: saturates) { sums, block in
            addition.sum(
                level: rounding.level(thaw_floats(sums) * loadFloats(factors + block * blockWidth)),
                loadQuantized(residual + block * residualStride))
        }
    }

    @inline(__always) func storeFloats(
        lower: Floats, upper: Floats, _ factors: UnsafePointer<Float>, _ output: BlockOutput
    ) {
        forEach(0) { sums, block in
            let value = thaw_floats(sums) * loadFloats(factors + block * blockWidth)
            output.store(thaw_minimum(thaw_maximum(value, lower), upper), block, of: Self.count)
        }
    }

    @inline(__always) private func storeRounded(
        _ rounding: VectorRounding, _ output: BlockOutput, saturates: Bool, _ value: (Words, Int) -> Floats
    ) {
        #if AVX512
            if Self.count > 1 {
                // Of fewer than four blocks, the last is rounded more than once.
                let (third, last) = (min(2, Self.count - 1), Self.count - 1)
                let quantized = rounding.quantized(
                    value(vector(0), 0), value(vector(1), 1), value(vector(third), third), value(vector(last), last),
                    saturates: saturates)
                output.store(thaw_quarter(quantized, 0), 0, of: Self.count)
                output.store(thaw_quarter(quantized, 1), 1, of: Self.count)
                if Self.count > 2 { output.store(thaw_quarter(quantized, 2), 2, of: Self.count) }
                if Self.count > 3 { output.store(thaw_quarter(quantized, 3), 3, of: Self.count) }
                return
            }
        #endif
        forEach(0) { sums, block in output.store(rounding.quantized(value(sums, block)), block, of: Self.count) }
    }
}
