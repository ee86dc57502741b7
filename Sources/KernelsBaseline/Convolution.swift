import CMachine
import Kernels

// Convolutions. All blocks of a group stay with the same weights while the pixels pass by, so that weights come from
// memory once and from the cache after that.

#if AVX512
    let groupBlocks = 2
    let tilePixels = 14
#elseif AVX2 || arch(arm64)
    let groupBlocks = 1
    let tilePixels = 6
#else
    let groupBlocks = 1
    let tilePixels = 3
#endif

func convolve(_ work: borrowing ConvolutionWork) {
    var block = work.firstBlock
    let end = block + work.blockCount
    while block < end {
        let weights = work.weights + block * blockWidth * work.steps
        // A group's last block may stand alone, here as in the packed weights.
        #if AVX512
            if end - block >= 2 {
                passPixels(Wide.self, work, block, weights)
                block += 2
                continue
            }
        #endif
        passPixels(Narrow.self, work, block, weights)
        block += 1
    }
}

/// One tile: its first pixel, its first block, and that block's weights.
private struct TilePlace {
    var first: Int
    var block: Int
    var weights: UnsafePointer<Float>
    /// What will be read next, asked for line by line while this tile is computed; a stride of 0 asks for nothing new.
    var next: UnsafePointer<Float>
    var nextStride = 0
}

@inline(never)
private func convolveTile<T: Tile>(_: T.Type, _ work: borrowing ConvolutionWork, _ place: TilePlace) {
    let (first, block) = (place.first, place.block)
    // What the end of a long tile touches is on its way while the sums are made.
    if work.steps >= 64 {
        if let residual = work.residual, let offsets = work.residualOffsets {
            T.prefetch(
                residual + block * work.residualBlockStride, offsets + first, blockStride: work.residualBlockStride)
        }
        T.prefetch(
            work.output + block * work.outputBlockStride, work.outputOffsets + first,
            blockStride: work.outputBlockStride)
    }
    var tile = T(
        offsets: work.inputOffsets + first, bias: T.Weights(work.bias + block * blockWidth, stride: blockWidth))
    var weights = place.weights
    var next = place.next
    let nextStride = place.nextStride
    let wholeTaps = work.tapCount - work.shortTaps
    for tap in 0..<work.tapCount {
        var input: UnsafePointer<Float> = work.input + Int(work.taps[tap])
        for _ in 0..<(tap < wholeTaps ? work.depth : work.shortDepth) {
            tile.accumulate(input, T.Weights(weights, stride: blockWidth))
            input = thaw_opaque(input + 1)
            weights += blockWidth * T.Weights.blocks
            thaw_prefetch_later(next)
            next += nextStride
        }
    }
    finish(&tile, work, first, block)
}

/// All pixels of the work, in as few tiles as do, of nearly equal size.
///
/// Meanwhile the tiles ask, evenly, for the weights of the group that follows: where a layer's weights come from memory,
/// they arrive while the present ones are still in use.
@inline(__always)
private func passPixels<P: Tile>(
    _ pixel: P.Type, _ work: borrowing ConvolutionWork, _ block: Int, _ weights: UnsafePointer<Float>
) {
    let tiles = (work.pixelCount + tilePixels - 1) / tilePixels
    guard tiles > 0 else { return }
    let size = work.pixelCount / tiles
    let larger = work.pixelCount % tiles
    let groupWidth = P.Weights.blocks * blockWidth
    let steps = work.steps
    // Few weights stay in the first cache by themselves.
    let nextStride = tiles > 1 && steps >= 64 ? (groupWidth + tiles - 1) / tiles : 0
    var place = TilePlace(first: work.firstPixel, block: block, weights: weights, next: weights)
    for tile in 0..<tiles {
        let count = tile < larger ? size + 1 : size
        place.next = weights + (steps * groupWidth + tile * steps * nextStride)
        place.nextStride = tile * nextStride < groupWidth ? nextStride : 0
        passTile(pixel, work, count, place)
        place.first += count
    }
}

@inline(__always)
private func passTile<P: Tile>(
    _: P.Type, _ work: borrowing ConvolutionWork, _ count: Int, _ place: TilePlace
) {
    switch count {
    case 1: convolveTile(P.self, work, place)
    case 2: convolveTile(Two<P>.self, work, place)
    case 3: convolveTile(Three<P>.self, work, place)
    #if AVX2 || AVX512 || arch(arm64)
        case 4: convolveTile(Four<P>.self, work, place)
        case 5: convolveTile(Five<P>.self, work, place)
        case 6: convolveTile(Six<P>.self, work, place)
    #endif
    #if AVX512
        case 7: convolveTile(Seven<P>.self, work, place)
        case 8: convolveTile(Eight<P>.self, work, place)
        case 9: convolveTile(Nine<P>.self, work, place)
        case 10: convolveTile(Ten<P>.self, work, place)
        case 11: convolveTile(Eleven<P>.self, work, place)
        case 12: convolveTile(Twelve<P>.self, work, place)
        case 13: convolveTile(Thirteen<P>.self, work, place)
        case 14: convolveTile(Fourteen<P>.self, work, place)
    #endif
    default: fatalError("no tile of so many pixels")
    }
}

/// Residual, activation, store.
@inline(__always)
private func finish<T: Tile>(_ tile: inout T, _ work: borrowing ConvolutionWork, _ first: Int, _ block: Int) {
    if let residual = work.residual, let offsets = work.residualOffsets {
        tile.add(residual + block * work.residualBlockStride, offsets + first, blockStride: work.residualBlockStride)
    }
    if work.lower > -Float.infinity { tile.clamp(lower: Vector(repeating: work.lower)) }
    if work.upper < Float.infinity { tile.clamp(upper: Vector(repeating: work.upper)) }
    let output = work.output + block * work.outputBlockStride
    let offsets = work.outputOffsets + first
    let lanes = min(blockWidth, work.channels - (block + T.Weights.blocks - 1) * blockWidth)
    if lanes == blockWidth {
        tile.store(output, offsets, blockStride: work.outputBlockStride)
    } else {
        tile.store(output, offsets, blockStride: work.outputBlockStride, lanes: lanes)
    }
    guard let activation = work.activation else { return }
    // Pixels that lie side by side are one row.
    let step = T.pixels > 1 ? Int(offsets[1]) - Int(offsets[0]) : 0
    let isRow = step == blockWidth && Int(offsets[T.pixels - 1]) - Int(offsets[0]) == (T.pixels - 1) * blockWidth
    for member in 0..<T.Weights.blocks {
        let isLast = member == T.Weights.blocks - 1
        let place = output + member * work.outputBlockStride
        if isRow && (lanes == blockWidth || !isLast) {
            activate(activation, place + Int(offsets[0]), width: T.pixels * blockWidth)
        } else {
            for pixel in 0..<T.pixels {
                activate(activation, place + Int(offsets[pixel]), width: isLast ? lanes : blockWidth)
            }
        }
    }
}

/// The function of a row of numbers, in their place. (Once in the binary, not in every tile.)
@inline(never)
func activate(_ function: UnaryFunction, _ row: UnsafeMutablePointer<Float>, width: Int) {
    unary(function, RowWork(left: row, leftStride: 0, output: row, outputStride: 0, width: width, count: 1))
}
