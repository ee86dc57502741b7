import CMachine
import Kernels

// Convolutions. All blocks of a group keep using the same weights while the kernel moves over the pixels, so weights
// come from memory once and from the cache after that.
//
// Weights are packed `[group][step][channels of the group]`. A step is a word of input: a float, or a pair of bfloat16.

extension Blocks {
    /// The maximum number of pixels in a tile of this many blocks.
    @inline(__always) static var longestTile: Int {
        count > 2 ? 6 : Table.tilePixels
    }
}

extension Table {
    public static func convolve(_ work: borrowing ConvolutionWork) {
        var block = work.firstBlock
        let end = block + work.blockCount
        #if AVX512
            let blocks = (work.channels + blockWidth - 1) / blockWidth
        #endif
        while block < end {
            let weights = floats(work.weights) + block * blockWidth * wordCount(work.steps)
            #if AVX512
                let width = BlockGroups.width(remaining: blocks - block, maximum: groupBlocks)
                switch width {
                case 4: computePixels(FourBlocks.self, work, block, weights)
                case 3: computePixels(ThreeBlocks.self, work, block, weights)
                case 2: computePixels(TwoBlocks.self, work, block, weights)
                default: computePixels(OneBlock.self, work, block, weights)
                }
                block += width
            #else
                computePixels(OneBlock.self, work, block, weights)
                block += 1
            #endif
        }
    }
}

typealias TileWork = ConvolutionWork

/// The next tile: its first pixel, its first block, and that block's weights.
struct TilePosition {
    var first: Int
    let block: Int
    let weights: UnsafePointer<Float>
    var next: NextWeights
}

extension Tile {
    /// Lines of the next weights that four steps prefetch. With eight tiles of more than two blocks these are all of
    /// them. Groups of two blocks usually belong to a Winograd convolution, which may have only two tiles.
    @inline(__always) fileprivate static var linesAhead: Int {
        switch Sums.count {
        case 1: 1
        case 2: 4
        default: 2
        }
    }
}

/// Computes consecutive tiles of the same size. What follows the products of one tile and precedes those of the next is
/// kept short: processors then begin with the next products while they store the results before.
@inline(never)
func convolveTiles<T: Tile>(
    _: T.Type, _ work: borrowing ConvolutionWork, _ position: inout TilePosition, count: Int
) {
    for _ in 0..<count {
        var tile = convolvedTile(T.self, work, position)
        finish(&tile, work, position.first, position.block)
        position.advance(pixels: T.pixels)
    }
}

@inline(__always)
private func convolvedTile<T: Tile>(_: T.Type, _ work: borrowing ConvolutionWork, _ position: TilePosition) -> T {
    let (first, block) = (position.first, position.block)
    // Prefetches the memory that the end of a long tile accesses, while products are accumulated.
    if wordCount(work.steps) >= 64 {
        if let residual = work.residual, let offsets = work.residualOffsets {
            T.prefetch(
                residual + block * work.residualBlockStride, offsets + first, blockStride: work.residualBlockStride,
                toWrite: false)
        }
        T.prefetch(
            work.output + block * work.outputBlockStride, work.outputOffsets + first,
            blockStride: work.outputBlockStride, toWrite: true)
    }
    var tile = T(
        offsets: work.inputOffsets + first, bias: T.Sums(work.bias + block * blockWidth, stride: blockWidth))
    var weights = position.weights
    var next = position.next.start
    let stepWeights = blockWidth * T.Sums.count
    let wholeTaps = work.steps.tapCount - work.steps.shortTaps
    let ahead = position.ahead(work, pixels: T.pixels)
    for tap in 0..<work.steps.tapCount {
        var input = work.input + Int(work.taps[tap])
        tile.prefetchLater(input + ahead)
        #if AVX2
            // The weights of a tile push its inputs out of an L1 cache of 32 KB.
            tile.prefetchSoon(work.input + Int(work.taps[min(tap + 1, work.steps.tapCount - 1)]))
        #endif
        let depth = wordCount(tap < wholeTaps ? work.steps.depth : work.steps.shortDepth)
        // Four steps at a time: the other work of a step, pointers and counting, would cost AVX2 an eighth of its
        // multiply-adds.
        for _ in 0..<depth / 4 {
            #if arch(arm64)
                let values = tile.values(input)
            #endif
            for step in 0..<4 {
                let stepped = T.Sums(weights + step * stepWeights, stride: blockWidth)
                #if arch(arm64)
                    tile.accumulate(values, element: step, stepped)
                #else
                    tile.accumulate(input + 4 * step, stepped)
                #endif
            }
            input = thaw_opaque(input + 16)
            weights += 4 * stepWeights
            // (Prefetches one line after another: the pixels occupy most of the registers that could hold addresses.)
            for line in 0..<T.linesAhead { thaw_prefetch_later(next + line * 64) }
            next += position.next.stride
        }
        for _ in 0..<depth % 4 {
            tile.accumulate(input, T.Sums(weights, stride: blockWidth))
            input = thaw_opaque(input + 4)
            weights += stepWeights
        }
    }
    return tile
}

/// Computes all pixels of the work in as few tiles as possible, of nearly equal size. Meanwhile, they prefetch the
/// weights of the next group.
@inline(__always)
private func computePixels<B: Blocks>(
    _: B.Type, _ work: borrowing ConvolutionWork, _ block: Int, _ weights: UnsafePointer<Float>
) {
    let tiles = (work.pixelCount + B.longestTile - 1) / B.longestTile
    guard tiles > 0 else { return }
    let (size, larger) = work.pixelCount.quotientAndRemainder(dividingBy: tiles)
    let (width, steps) = (B.count * blockWidth, wordCount(work.steps))
    let next = NextWeights(after: weights, byteCount: 4 * steps * width, steps: steps, tiles: tiles)
    var position = TilePosition(first: work.firstPixel, block: block, weights: weights, next: next)
    var remaining = tiles
    while remaining > 0 {
        let isLarger = tiles - remaining < larger
        let pixels = isLarger ? size + 1 : size
        var count = isLarger ? larger - (tiles - remaining) : remaining
        // An activation follows after several tiles, while they are still in the L1 cache.
        if work.activation != nil { count = min(count, (4095 + pixels * width) / (pixels * width)) }
        let first = position.first
        #if MATRICES
            for _ in 0..<count { computeMatrixTile(work, pixels, &position) }
        #else
            computeTiles(Pixel<B>.self, work, &position, pixels: pixels, count: count)
        #endif
        if let activation = work.activation {
            activate(activation, work, first..<position.first, block..<block + B.count)
        }
        remaining -= count
    }
}
