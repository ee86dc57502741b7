import CMachine
import Kernels

// Sums become results: rounded, added to a residual, or as floats.

/// Turns the sums of a tile into results and stores them.
///
/// The usual results come from registers. The code for the others, which would otherwise be repeated in every tile, reads
/// sums from memory.
@inline(__always)
func finish<T: PixelSums>(_ tile: T, _ work: borrowing IntegerConvolutionWork, _ first: Int, _ block: Int) {
    if let rounding = work.results.rounding.map(VectorRounding.init) {
        let results = TileResults(work.results, first, block, blocks: T.Sums.count)
        guard let residual = Residual(work.results, block) else {
            return rounding.saturates
                ? results.store(tile, rounding, saturates: true) : results.store(tile, rounding, saturates: false)
        }
        #if AVX512
            if residual.addition.rounding.saturates {
                return results.store(tile, rounding, residual, saturates: true)
            }
        #else
            return results.store(tile, rounding, residual, saturates: false)
        #endif
    }
    finishStored(tile.stored(in: work.scratch), work.results, first, block)
}

/// Turns sums in memory into results of any kind and stores them.
@inline(never)
func finishStored<Sums: Blocks>(
    _ sums: StoredSums<Sums>, _ work: borrowing IntegerResults, _ first: Int, _ block: Int
) {
    let results = TileResults(work, first, block, blocks: Sums.count)
    guard let rounding = work.rounding.map(VectorRounding.init) else {
        return results.store(sums, lower: Floats(repeating: work.lower), upper: Floats(repeating: work.upper))
    }
    guard let residual = Residual(work, block) else {
        return rounding.saturates
            ? results.store(sums, rounding, saturates: true) : results.store(sums, rounding, saturates: false)
    }
    residual.addition.rounding.saturates
        ? results.store(sums, rounding, residual, saturates: true)
        : results.store(sums, rounding, residual, saturates: false)
}

/// Where the results of a tile go, from its first block on.
private struct TileResults {
    private let start: UnsafeMutableRawPointer
    private let offsets: UnsafePointer<Int32>
    private let blockStride: Int
    private let factors: UnsafePointer<Float>
    private let first: Int
    /// Of the last block, only some lanes are stored.
    private let lastLanes: Int

    @inline(__always)
    init(_ work: borrowing IntegerResults, _ first: Int, _ block: Int, blocks: Int) {
        start = work.output + block * work.outputBlockStride
        offsets = work.outputOffsets
        blockStride = work.outputBlockStride
        factors = work.factors + block * blockWidth
        self.first = first
        lastLanes = min(blockWidth, work.channels - (block + blocks - 1) * blockWidth)
    }

    @inline(__always)
    func store<T: PixelSums>(_ tile: T, _ rounding: VectorRounding, saturates: Bool) {
        tile.forEach(first) { sums, pixel in
            store(sums, rounding, pixel, saturates: saturates, scaled)
        }
    }

    /// Adds a residual.
    @inline(__always)
    func store<T: PixelSums>(_ tile: T, _ rounding: VectorRounding, _ residual: Residual, saturates: Bool) {
        tile.forEach(first) { sums, pixel in
            store(sums, residual.addition.rounding, pixel, saturates: saturates) { words, block in
                residual.addition.sum(level: rounding.level(scaled(words, block)), residual.values(pixel, block))
            }
        }
    }

    /// Stores floats.
    @inline(__always)
    func store<T: PixelSums>(_ tile: T, lower: Floats, upper: Floats) {
        tile.forEach(first) { sums, pixel in
            sums.forEach(0) { words, block in
                let value = thaw_minimum(thaw_maximum(scaled(words, block), lower), upper)
                write(value, output(pixel, block), count: lanes(block, of: T.Sums.count))
            }
        }
    }

    @inline(__always)
    private func store<B: Blocks>(
        _ sums: B, _ rounding: VectorRounding, _ pixel: Int, saturates: Bool, _ value: (Words, Int) -> Floats
    ) {
        #if AVX512
            if B.count > 1 {
                // Of fewer than four blocks, the last is rounded more than once.
                let (third, last) = (min(2, B.count - 1), B.count - 1)
                let quantized = rounding.quantized(
                    value(sums.vector(0), 0), value(sums.vector(1), 1), value(sums.vector(third), third),
                    value(sums.vector(last), last), saturates: saturates)
                @inline(__always) func write(_ block: Int) {
                    store(thaw_quarter(quantized, Int32(block)), pixel, block, of: B.count)
                }
                write(0)
                write(1)
                if B.count > 2 { write(2) }
                if B.count > 3 { write(3) }
                return
            }
        #endif
        sums.forEach(0) { words, block in store(rounding.quantized(value(words, block)), pixel, block, of: B.count) }
    }

    @inline(__always) private func store(_ bytes: Bytes, _ pixel: Int, _ block: Int, of blocks: Int) {
        write(bytes, output(pixel, block), count: lanes(block, of: blocks))
    }
    @inline(__always) private func scaled(_ words: Words, _ block: Int) -> Floats {
        thaw_floats(words) * loadFloats(factors + block * blockWidth)
    }
    @inline(__always) private func output(_ pixel: Int, _ block: Int) -> UnsafeMutableRawPointer {
        start + (Int(offsets[pixel]) + block * blockStride)
    }
    @inline(__always) private func lanes(_ block: Int, of count: Int) -> Int {
        block == count - 1 ? lastLanes : blockWidth
    }
}

/// The residual of a convolution, from the first block of a tile on.
private struct Residual {
    private let start: UnsafeRawPointer
    private let offsets: UnsafePointer<Int32>
    private let blockStride: Int
    let addition: VectorAddition

    @inline(__always)
    init?(_ work: borrowing IntegerResults, _ block: Int) {
        guard let residual = work.residual, let offsets = work.residualOffsets, let addition = work.addition else {
            return nil
        }
        start = residual + block * work.residualBlockStride
        self.offsets = offsets
        blockStride = work.residualBlockStride
        self.addition = VectorAddition(addition)
    }

    @inline(__always) func values(_ pixel: Int, _ block: Int) -> Bytes {
        loadQuantized(start + (Int(offsets[pixel]) + block * blockStride))
    }
}
