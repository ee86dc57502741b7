import CMachine
import Kernels

// Sums become results: rounded, added to a residual, or as floats.

/// Turns the sums of tiles into results and stores them, from a block on.
///
/// The usual results come from registers. The code for the others, which would otherwise be repeated in every tile, reads
/// sums from memory.
struct TileFinish<Sums: Blocks> {
    private let block: Int
    private let results: TileResults
    // Not as vectors: those would take registers from the products.
    private let rounding: QuantizedRounding?
    private let residual: Residual?
    private let saturates: Bool

    @inline(__always)
    init(_ work: borrowing IntegerResults, _ block: Int) {
        self.block = block
        results = TileResults(work, block, blocks: Sums.count)
        rounding = work.rounding
        residual = Residual(work, block)
        saturates = (residual?.addition.rounding ?? rounding).map(VectorRounding.saturates) ?? false
    }

    /// - Parameter first: The tile's first pixel.
    @inline(__always)
    func store<T: Tile>(_ tile: T, _ work: borrowing IntegerConvolutionWork, _ first: Int) where T.Sums == Sums {
        #if AVX512
            if T.pixels >= 4, Sums.count > 1, saturates, residual == nil, let rounding,
                results.adjoin(first, count: T.pixels)
            {
                return results.storeAdjoining(tile, first, rounding)
            }
        #endif
        storeEachPixel(of: tile, work, first)
    }

    @inline(__always)
    func storeEachPixel<T: PixelSums>(of tile: T, _ work: borrowing IntegerConvolutionWork, _ first: Int)
    where T.Sums == Sums {
        if let rounding {
            guard let residual else {
                return saturates
                    ? results.store(tile, first, rounding, saturates: true)
                    : results.store(tile, first, rounding, saturates: false)
            }
            #if AVX512
                if saturates { return results.store(tile, first, rounding, residual, saturates: true) }
            #else
                return results.store(tile, first, rounding, residual, saturates: false)
            #endif
        }
        finishStored(tile.stored(in: work.scratch), work.results, first, block)
    }
}

/// Turns sums in memory into results of any kind and stores them.
@inline(never)
func finishStored<Sums: Blocks>(
    _ sums: StoredSums<Sums>, _ work: borrowing IntegerResults, _ first: Int, _ block: Int
) {
    let results = TileResults(work, block, blocks: Sums.count)
    guard let rounding = work.rounding else {
        let (lower, upper) = (Floats(repeating: work.lower), Floats(repeating: work.upper))
        return results.store(sums, first, lower: lower, upper: upper)
    }
    guard let residual = Residual(work, block) else {
        return VectorRounding.saturates(rounding)
            ? results.store(sums, first, rounding, saturates: true)
            : results.store(sums, first, rounding, saturates: false)
    }
    VectorRounding.saturates(residual.addition.rounding)
        ? results.store(sums, first, rounding, residual, saturates: true)
        : results.store(sums, first, rounding, residual, saturates: false)
}

/// Where results go, from a block on.
private struct TileResults {
    private let start: UnsafeMutableRawPointer
    private let offsets: UnsafePointer<Int32>
    private let blockStride: Int
    private let factors: UnsafePointer<Float>
    /// Of the last block, only some lanes are stored.
    private let lastLanes: Int

    @inline(__always)
    init(_ work: borrowing IntegerResults, _ block: Int, blocks: Int) {
        start = work.output + block * work.outputBlockStride
        offsets = work.outputOffsets
        blockStride = work.outputBlockStride
        factors = work.factors + block * blockWidth
        lastLanes = min(blockWidth, work.channels - (block + blocks - 1) * blockWidth)
    }

    @inline(__always)
    func store<T: PixelSums>(_ tile: T, _ first: Int, _ rounding: QuantizedRounding, saturates: Bool) {
        let rounding = VectorRounding(rounding)
        tile.forEach(first) { sums, pixel in
            store(sums, rounding, pixel, saturates: saturates, scaled)
        }
    }

    #if AVX512
        /// Whether the results of consecutive pixels, whose offsets increase, are adjacent, in whole blocks.
        @inline(__always) func adjoin(_ first: Int, count: Int) -> Bool {
            let distance = offsets[first &+ count &- 1] &- offsets[first]
            return Int(distance) == (count &- 1) &* blockWidth && lastLanes == blockWidth
        }

        /// Stores results that adjoin and saturate: of each block, four pixels at a time. That takes a third of the stores.
        @inline(__always)
        func storeAdjoining<T: Tile>(_ tile: T, _ first: Int, _ rounding: QuantizedRounding) {
            let (rounding, output) = (VectorRounding(rounding), output(first))
            @inline(__always) func storeFour(_ pixel: Int, _ block: Int) {
                guard block < T.Sums.count, pixel + 4 <= T.pixels else { return }
                @inline(__always) func value(_ index: Int) -> Floats {
                    scaled(tile.sums(pixel + index).vector(block), block)
                }
                let quantized = rounding.quantized(value(0), value(1), value(2), value(3), saturates: true)
                (output + block &* blockStride).storeBytes(
                    of: quantized, toByteOffset: pixel * blockWidth, as: SIMD64<UInt8>.self)
            }
            @inline(__always) func storeTwo(_ pixel: Int, _ block: Int) {
                guard block < T.Sums.count, pixel % 4 == 0, pixel + 2 <= T.pixels, pixel + 4 > T.pixels else { return }
                // A block without a partner is rounded twice.
                let partner = min(block + 1, T.Sums.count - 1)
                let (left, right) = (tile.sums(pixel), tile.sums(pixel + 1))
                let quantized = rounding.quantized(
                    scaled(left.vector(block), block), scaled(right.vector(block), block),
                    scaled(left.vector(partner), partner), scaled(right.vector(partner), partner), saturates: true)
                @inline(__always) func write(_ half: Int, _ block: Int) {
                    (output + block &* blockStride).storeBytes(
                        of: thaw_half(quantized, Int32(half)), toByteOffset: pixel * blockWidth, as: SIMD32<UInt8>.self)
                }
                write(0, block)
                if partner > block { write(1, partner) }
            }
            @inline(__always) func storeOne(_ pixel: Int) {
                guard pixel == T.pixels - 1, T.pixels % 2 == 1 else { return }
                store(tile.sums(pixel), rounding, first &+ pixel, saturates: true, scaled)
            }
            // Literals: the sums are in registers.
            storeFour(0, 0)
            storeFour(0, 1)
            storeFour(0, 2)
            storeFour(0, 3)
            storeFour(4, 0)
            storeFour(4, 1)
            storeTwo(4, 0)
            storeTwo(4, 2)
            storeOne(4)
            storeOne(6)
        }
    #endif

    /// Adds a residual.
    @inline(__always)
    func store<T: PixelSums>(
        _ tile: T, _ first: Int, _ rounding: QuantizedRounding, _ residual: Residual, saturates: Bool
    ) {
        let (rounding, addition) = (VectorRounding(rounding), VectorAddition(residual.addition))
        tile.forEach(first) { sums, pixel in
            store(sums, addition.rounding, pixel, saturates: saturates) { words, block in
                addition.sum(level: rounding.level(scaled(words, block)), residual.values(pixel, block))
            }
        }
    }

    /// Stores floats.
    @inline(__always)
    func store<T: PixelSums>(_ tile: T, _ first: Int, lower: Floats, upper: Floats) {
        tile.forEach(first) { sums, pixel in
            let output = output(pixel)
            sums.forEach(0) { words, block in
                let value = thaw_minimum(thaw_maximum(scaled(words, block), lower), upper)
                write(value, output + block &* blockStride, count: lanes(block, of: T.Sums.count))
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
                let output = output(pixel)
                @inline(__always) func write(_ block: Int) {
                    store(thaw_quarter(quantized, Int32(block)), output, block, of: B.count)
                }
                write(0)
                write(1)
                if B.count > 2 { write(2) }
                if B.count > 3 { write(3) }
                return
            }
        #endif
        let output = output(pixel)
        sums.forEach(0) { words, block in
            store(rounding.quantized(value(words, block), saturates: saturates), output, block, of: B.count)
        }
    }

    @inline(__always)
    private func store(_ bytes: Bytes, _ output: UnsafeMutableRawPointer, _ block: Int, of blocks: Int) {
        write(bytes, output + block &* blockStride, count: lanes(block, of: blocks))
    }
    @inline(__always) private func scaled(_ words: Words, _ block: Int) -> Floats {
        thaw_floats(words) * loadFloats(factors + block * blockWidth)
    }
    /// The address of a pixel's results. (Its offset is read once: the results might alias with it.)
    @inline(__always) private func output(_ pixel: Int) -> UnsafeMutableRawPointer { start + Int(offsets[pixel]) }
    @inline(__always) private func lanes(_ block: Int, of count: Int) -> Int {
        block == count - 1 ? lastLanes : blockWidth
    }
}

/// The residual of a convolution, from the first block of a tile on.
private struct Residual {
    private let start: UnsafeRawPointer
    private let offsets: UnsafePointer<Int32>
    private let blockStride: Int
    let addition: QuantizedAddition

    @inline(__always)
    init?(_ work: borrowing IntegerResults, _ block: Int) {
        guard let residual = work.residual, let offsets = work.residualOffsets, let addition = work.addition else {
            return nil
        }
        start = residual + block * work.residualBlockStride
        self.offsets = offsets
        blockStride = work.residualBlockStride
        self.addition = addition
    }

    @inline(__always) func values(_ pixel: Int, _ block: Int) -> Bytes {
        loadQuantized(start + Int(offsets[pixel]) + block &* blockStride)
    }
}
