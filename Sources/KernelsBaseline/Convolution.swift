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
        let weights = work.weights + block * blockWidth * work.depth * work.tapCount
        // A group's last block may stand alone, here as in the packed weights.
        #if AVX512
            if end - block >= 2 {
                passPixels(Full<Wide>.self, work, block, weights)
                block += 2
                continue
            }
        #endif
        passPixels(Full<Narrow>.self, work, block, weights)
        block += 1
    }
}

func convolveDepthwise(_ work: borrowing ConvolutionWork) {
    for block in work.firstBlock..<work.firstBlock + work.blockCount {
        passPixels(Depthwise<Narrow>.self, work, block, work.weights + block * blockWidth * work.tapCount)
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

/// What is done with one tile.
private protocol TileKernel {
    associatedtype Pixel: Tile
    static func run<T: Tile>(_: T.Type, _ work: borrowing ConvolutionWork, _ place: TilePlace)
    where T.Weights == Pixel.Weights
}

private enum Full<Pixel: Tile>: TileKernel {
    @inline(never)
    static func run<T: Tile>(_: T.Type, _ work: borrowing ConvolutionWork, _ place: TilePlace)
    where T.Weights == Pixel.Weights {
        let (first, block) = (place.first, place.block)
        // What the end of the tile touches is on its way while the sums are made.
        if let residual = work.residual, let offsets = work.residualOffsets {
            T.prefetch(
                residual + block * work.residualBlockStride, offsets + first, blockStride: work.residualBlockStride)
        }
        T.prefetch(
            work.output + block * work.outputBlockStride, work.outputOffsets + first,
            blockStride: work.outputBlockStride)
        var tile = T(
            input: work.input, offsets: work.inputOffsets + first,
            bias: T.Weights(work.bias + block * blockWidth, stride: blockWidth))
        var weights = place.weights
        var next = place.next
        let nextStride = place.nextStride
        let depth = work.depth
        for tap in 0..<work.tapCount {
            let start = Int(work.taps[tap])
            for index in start..<start &+ depth {
                tile.accumulate(index, T.Weights(weights, stride: blockWidth))
                weights += blockWidth * T.Weights.blocks
                thaw_prefetch_later(next)
                next += nextStride
            }
        }
        finish(&tile, work, first, block)
    }
}

private enum Depthwise<Pixel: Tile>: TileKernel {
    @inline(never)
    static func run<T: Tile>(_: T.Type, _ work: borrowing ConvolutionWork, _ place: TilePlace)
    where T.Weights == Pixel.Weights {
        let (first, block) = (place.first, place.block)
        var tile = T(
            input: work.input + block * work.inputBlockStride, offsets: work.inputOffsets + first,
            bias: T.Weights(work.bias + block * blockWidth, stride: blockWidth))
        var weights = place.weights
        for tap in 0..<work.tapCount {
            tile.accumulateLanes(
                Int(work.taps[tap]), blockStride: work.inputBlockStride, T.Weights(weights, stride: blockWidth))
            weights += blockWidth
        }
        finish(&tile, work, first, block)
    }
}

/// All pixels of the work, in as few tiles as do, of nearly equal size.
///
/// Meanwhile the tiles ask, evenly, for the weights of the group that follows: where a layer's weights come from memory,
/// they arrive while the present ones are still in use.
@inline(__always)
private func passPixels<K: TileKernel>(
    _ kernel: K.Type, _ work: borrowing ConvolutionWork, _ block: Int, _ weights: UnsafePointer<Float>
) {
    let tiles = (work.pixelCount + tilePixels - 1) / tilePixels
    guard tiles > 0 else { return }
    let size = work.pixelCount / tiles
    let larger = work.pixelCount % tiles
    let groupWidth = K.Pixel.Weights.blocks * blockWidth
    let steps = work.tapCount * work.depth
    // Few weights stay in the first cache by themselves.
    let nextStride = tiles > 1 && steps >= 256 ? (groupWidth + tiles - 1) / tiles : 0
    var place = TilePlace(first: work.firstPixel, block: block, weights: weights, next: weights)
    for tile in 0..<tiles {
        let count = tile < larger ? size + 1 : size
        place.next = weights + (steps * groupWidth + tile * steps * nextStride)
        place.nextStride = tile * nextStride < groupWidth ? nextStride : 0
        passTile(kernel, work, count, place)
        place.first += count
    }
}

@inline(__always)
private func passTile<K: TileKernel>(
    _ kernel: K.Type, _ work: borrowing ConvolutionWork, _ count: Int, _ place: TilePlace
) {
    typealias P = K.Pixel
    switch count {
    case 1: kernel.run(P.self, work, place)
    case 2: kernel.run(Two<P>.self, work, place)
    case 3: kernel.run(Three<P>.self, work, place)
    #if AVX2 || AVX512 || arch(arm64)
        case 4: kernel.run(Four<P>.self, work, place)
        case 5: kernel.run(Five<P>.self, work, place)
        case 6: kernel.run(Six<P>.self, work, place)
    #endif
    #if AVX512
        case 7: kernel.run(Seven<P>.self, work, place)
        case 8: kernel.run(Eight<P>.self, work, place)
        case 9: kernel.run(Nine<P>.self, work, place)
        case 10: kernel.run(Ten<P>.self, work, place)
        case 11: kernel.run(Eleven<P>.self, work, place)
        case 12: kernel.run(Twelve<P>.self, work, place)
        case 13: kernel.run(Thirteen<P>.self, work, place)
        case 14: kernel.run(Fourteen<P>.self, work, place)
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
    for member in 0..<T.Weights.blocks {
        let width = member == T.Weights.blocks - 1 ? lanes : blockWidth
        for pixel in 0..<T.pixels {
            let place = output + (member * work.outputBlockStride + Int(offsets[pixel]))
            unary(
                activation, RowWork(left: place, leftStride: 0, output: place, outputStride: 0, width: width, count: 1))
        }
    }
}
