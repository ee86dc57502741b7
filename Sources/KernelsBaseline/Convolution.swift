import CMachine
import Kernels

// Convolutions. All blocks of a group keep using the same weights while the kernel moves over the pixels, so weights
// come from memory once and from the cache after that.
//
// Weights are packed `[group][step][channels of the group]`. A step is a word of input: a float, or a pair of bfloat16.

extension Blocks {
    /// The maximum number of pixels in a tile of this many blocks.
    @inline(__always) fileprivate static var longestTile: Int {
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
                case 4: passPixels(FourBlocks.self, work, block, weights)
                case 3: passPixels(ThreeBlocks.self, work, block, weights)
                case 2: passPixels(TwoBlocks.self, work, block, weights)
                default: passPixels(OneBlock.self, work, block, weights)
                }
                block += width
            #else
                passPixels(OneBlock.self, work, block, weights)
                block += 1
            #endif
        }
    }
}

/// One tile: its first pixel, its first block, and that block's weights.
struct TilePosition {
    var first: Int
    var block: Int
    var weights: UnsafePointer<Float>
    /// The memory to be read next. It is prefetched line by line while this tile is computed, advancing by `nextStride`
    /// every four steps. A stride of 0 prefetches nothing new.
    var next: UnsafePointer<Float>
    var nextStride = 0
    /// The bytes in the input from this tile to the next. Data that another core has written takes time to arrive,
    /// so it is prefetched one tile ahead.
    var ahead = 0
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

@inline(never)
private func convolveTile<T: Tile>(_: T.Type, _ work: borrowing ConvolutionWork, _ position: TilePosition) {
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
    var next = position.next
    let nextStride = position.nextStride
    let stepWeights = blockWidth * T.Sums.count
    let wholeTaps = work.steps.tapCount - work.steps.shortTaps
    for tap in 0..<work.steps.tapCount {
        var input = work.input + Int(work.taps[tap])
        tile.prefetchLater(input + position.ahead)
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
            for line in 0..<T.linesAhead { thaw_prefetch_later(next + line * 16) }
            next += nextStride
        }
        for _ in 0..<depth % 4 {
            tile.accumulate(input, T.Sums(weights, stride: blockWidth))
            input = thaw_opaque(input + 4)
            weights += stepWeights
        }
    }
    finish(&tile, work, first, block)
}

/// Computes all pixels of the work in as few tiles as possible, of nearly equal size.
///
/// Meanwhile the tiles prefetch, at an even rate, the weights of the next group. If a layer's weights come from memory,
/// they arrive while the current ones are still in use.
@inline(__always)
private func passPixels<B: Blocks>(
    _: B.Type, _ work: borrowing ConvolutionWork, _ block: Int, _ weights: UnsafePointer<Float>
) {
    let tiles = (work.pixelCount + B.longestTile - 1) / B.longestTile
    guard tiles > 0 else { return }
    let size = work.pixelCount / tiles
    let larger = work.pixelCount % tiles
    let groupWidth = B.count * blockWidth
    let steps = wordCount(work.steps)
    // A small number of weights stays in the L1 cache anyway.
    let nextStride = tiles > 1 && steps >= 64 ? (4 * groupWidth + tiles - 1) / tiles : 0
    var position = TilePosition(first: work.firstPixel, block: block, weights: weights, next: weights)
    var firstInactive = work.firstPixel
    for tile in 0..<tiles {
        let count = tile < larger ? size + 1 : size
        position.next = weights + (steps * groupWidth + tile * (steps / 4) * nextStride)
        position.nextStride = tile * nextStride < 4 * groupWidth ? nextStride : 0
        let isLast = tile == tiles - 1
        position.ahead = isLast ? 0 : Int(work.inputOffsets[position.first + count] - work.inputOffsets[position.first])
        #if MATRICES
            passMatrixTile(work, count, position)
        #else
            passTile(Pixel<B>.self, work, count, position)
        #endif
        position.first += count
        // Several tiles at a time, while they are still in the L1 cache.
        let isDue = (position.first - firstInactive) * groupWidth >= 4096 || isLast
        if isDue, let activation = work.activation {
            activate(activation, work, firstInactive..<position.first, block..<block + B.count)
            firstInactive = position.first
        }
    }
}

/// - Parameter count: At most the number of pixels that tiles of this many blocks support.
@inline(__always)
private func passTile<P: Tile>(_: P.Type, _ work: borrowing ConvolutionWork, _ count: Int, _ position: TilePosition) {
    let longest = P.Sums.longestTile
    if count == 1 { return convolveTile(P.self, work, position) }
    if count == 2 { return convolveTile(Two<P>.self, work, position) }
    if longest >= 3, count == 3 { return convolveTile(Three<P>.self, work, position) }
    if longest >= 4, count == 4 { return convolveTile(Four<P>.self, work, position) }
    if longest >= 5, count == 5 { return convolveTile(Five<P>.self, work, position) }
    if longest >= 6, count == 6 { return convolveTile(Six<P>.self, work, position) }
    if longest >= 7, count == 7 { return convolveTile(Seven<P>.self, work, position) }
    if longest >= 8, count == 8 { return convolveTile(Eight<P>.self, work, position) }
    fatalError("unsupported tile size")
}
