import CMachine
import Kernels

// Quantized convolutions. Weights are packed `[group][quad][half][channels of the group]`, a word for each channel.

extension Int8Kernels {
    public static func packWeights(_ work: borrowing IntegerPackingWork) {
        #if !MATRICES
            let words = work.blockCount * blockWidth
        #endif
        #if COMPLEMENTS
            let group = ComplementedGroup(quads: work.steps.count, blocks: work.blockCount)
            let quads = work.packed + group.weights
        #else
            let quads = work.packed
        #endif
        for row in 0..<work.rowCount where work.rows[row] >= 0 {
            let quantized = work.quantized + Int(work.rows[row]) * work.rowStride + work.firstColumn
            let (quad, index) = (row / 4, row % 4)
            #if MATRICES
                for column in 0..<work.columnCount {
                    let offset = packedOffset(quad: quad, channel: column, work.steps)
                    quads.storeBytes(of: quantized[column], toByteOffset: offset + index, as: Int8.self)
                }
            #elseif VNNI || COMPLEMENTS
                let packed = quads.assumingMemoryBound(to: Int8.self) + quad * words * 4 + index
                for column in 0..<work.columnCount { packed[column * 4] = quantized[column] }
            #else
                let step = quad * 2 + index / 2
                let packed = quads.assumingMemoryBound(to: Int16.self) + step * words * 2 + index % 2
                for column in 0..<work.columnCount { packed[column * 2] = Int16(quantized[column]) }
            #endif
        }
        #if COMPLEMENTS
            group.complement(work.packed)
        #endif
    }
}

extension Blocks {
    /// The maximum number of pixels in a tile of this many blocks.
    @inline(__always) static var longestTile: Int {
        #if AVX512 && VNNI
            count > 2 ? 6 : Int8Kernels.tilePixels
        #elseif COMPLEMENTS
            count == 2 ? 3 : Int8Kernels.tilePixels
        #else
            Int8Kernels.tilePixels
        #endif
    }
}

extension Int8Kernels {
    public static func convolve(_ work: borrowing IntegerConvolutionWork) {
        var block = work.results.firstBlock
        let end = block + work.results.blockCount
        let blocks = (work.results.channels + blockWidth - 1) / blockWidth
        while block < end {
            let weights = work.weights + block * packedBytes(work.steps)
            let width = BlockGroups.width(remaining: blocks - block, maximum: groupBlocks)
            switch width {
            #if AVX512
                case 4: computePixels(FourBlocks.self, work, block, weights)
                case 3: computePixels(ThreeBlocks.self, work, block, weights)
            #endif
            #if AVX512 || COMPLEMENTS
                case 2: computePixels(TwoBlocks.self, work, block, weights)
            #endif
            default: computePixels(OneBlock.self, work, block, weights)
            }
            block += width
        }
    }
}

typealias TileWork = IntegerConvolutionWork

/// The next tile: its first pixel, its first block, and that block's weights.
struct TilePosition {
    var first: Int
    let block: Int
    let weights: PackedWeights
    /// What the sums of that block start with.
    let bias: UnsafeRawPointer
    var next: NextWeights
}

/// Computes all pixels of the work in as few tiles as possible, of nearly equal size. Meanwhile, with AVX-512 and AVX2, they
/// prefetch the weights of the next group.
@inline(__always)
private func computePixels<B: Blocks>(
    _: B.Type, _ work: borrowing IntegerConvolutionWork, _ block: Int, _ weights: UnsafeRawPointer
) {
    let tiles = (work.pixelCount + B.longestTile - 1) / B.longestTile
    guard tiles > 0 else { return }
    let next = NextWeights(
        after: weights, byteCount: Int8Kernels.packedBytes(work.steps) * B.count, steps: work.steps.count, tiles: tiles)
    #if DOTPROD || COMPLEMENTS
        let bias = work.scratch + Int8Kernels.sumBytes
        var start = B(work.results.bias + block * blockWidth)
        #if DOTPROD
            for step in 0..<work.steps.count { start.balance(B(weights + step * B.stepBytes)) }
        #else
            start.add(weights)
            let group = ComplementedGroup(quads: work.steps.count, blocks: B.count)
            let weights = group.expanded(weights, to: bias + 64 * Int8Kernels.groupBlocks)
        #endif
        bias.storeBytes(of: start, as: B.self)
    #else
        let bias = UnsafeRawPointer(work.results.bias + block * blockWidth)
    #endif
    let (size, larger) = work.pixelCount.quotientAndRemainder(dividingBy: tiles)
    var position = TilePosition(first: work.firstPixel, block: block, weights: weights, bias: bias, next: next)
    var remaining = tiles
    while remaining > 0 {
        let isLarger = tiles - remaining < larger
        let (pixels, count) = isLarger ? (size + 1, larger) : (size, remaining)
        #if MATRICES
            for _ in 0..<count { computeMatrixTile(work, pixels, &position) }
        #else
            computeTiles(Pixel<B>.self, work, &position, pixels: pixels, count: count)
        #endif
        remaining -= count
    }
}
