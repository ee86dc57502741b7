import CMachine
import Kernels

// Quantized convolutions. Weights are packed `[group][quad][half][channels of the group]`, a word for each channel.

extension Int8Kernels {
    public static func packWeights(_ work: borrowing IntegerPackingWork) {
        #if !MATRICES
            let words = work.blockCount * blockWidth
        #endif
        for row in 0..<work.rowCount where work.rows[row] >= 0 {
            let quantized = work.quantized + Int(work.rows[row]) * work.rowStride + work.firstColumn
            let (quad, index) = (row / 4, row % 4)
            #if MATRICES
                for column in 0..<work.columnCount {
                    let offset = packedOffset(quad: quad, channel: column, work.steps)
                    work.packed.storeBytes(of: quantized[column], toByteOffset: offset + index, as: Int8.self)
                }
            #elseif VNNI
                let packed = work.packed.assumingMemoryBound(to: Int8.self) + quad * words * 4 + index
                for column in 0..<work.columnCount { packed[column * 4] = quantized[column] }
            #else
                let step = quad * 2 + index / 2
                let packed = work.packed.assumingMemoryBound(to: Int16.self) + step * words * 2 + index % 2
                for column in 0..<work.columnCount { packed[column * 2] = Int16(quantized[column]) }
            #endif
        }
    }
}

extension Blocks {
    /// The maximum number of pixels in a tile of this many blocks.
    @inline(__always) static var longestTile: Int {
        #if AVX512 && VNNI
            count > 2 ? 6 : Int8Kernels.tilePixels
        #elseif AVX2 && !VNNI
            count == 2 ? 2 : Int8Kernels.tilePixels
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
            let weights = work.weights + block * quadBytes * work.steps.count
            let width = BlockGroups.width(remaining: blocks - block, maximum: groupBlocks)
            switch width {
            #if AVX512
                case 4: passPixels(FourBlocks.self, work, block, weights)
                case 3: passPixels(ThreeBlocks.self, work, block, weights)
            #endif
            #if AVX512 || (AVX2 && !VNNI)
                case 2: passPixels(TwoBlocks.self, work, block, weights)
            #endif
            default: passPixels(OneBlock.self, work, block, weights)
            }
            block += width
        }
    }
}

/// One tile: its first pixel, its first block, and that block's weights.
struct TilePosition {
    var first: Int
    var block: Int
    var weights: UnsafeRawPointer
    /// What the sums of that block start with.
    var bias: UnsafeRawPointer
    #if MATRICES
        /// The bytes in the input from this tile to the next, which is prefetched.
        var ahead = 0
    #elseif AVX512
        /// The weights to be read next. They are prefetched line by line while this tile is computed, advancing by
        /// `nextStride` every four quads. A stride of 0 prefetches nothing new.
        var next: UnsafeRawPointer
        var nextStride = 0
    #endif
}

/// Computes all pixels of the work in as few tiles as possible, of nearly equal size.
///
/// With AVX-512, the tiles meanwhile prefetch, at an even rate, the weights of the next group. If a layer's weights are not
/// in the L2 cache, they arrive while the current ones are still in use.
@inline(__always)
private func passPixels<B: Blocks>(
    _: B.Type, _ work: borrowing IntegerConvolutionWork, _ block: Int, _ weights: UnsafeRawPointer
) {
    let tiles = (work.pixelCount + B.longestTile - 1) / B.longestTile
    guard tiles > 0 else { return }
    #if DOTPROD
        var start = B(work.results.bias + block * blockWidth)
        for step in 0..<work.steps.count { start.balance(B(weights + step * 64 * B.count)) }
        let memory = UnsafeMutablePointer<B>.allocate(capacity: 1)
        defer { memory.deallocate() }
        memory.initialize(to: start)
        let bias = UnsafeRawPointer(memory)
    #else
        let bias = UnsafeRawPointer(work.results.bias + block * blockWidth)
    #endif
    let (size, larger) = work.pixelCount.quotientAndRemainder(dividingBy: tiles)
    #if AVX512
        let steps = work.steps.count
        let groupBytes = steps * Int8Kernels.quadBytes * B.count
        let quartetBytes = 4 * Int8Kernels.quadBytes * B.count
        // A small number of weights stays in the L1 cache anyway.
        let nextStride = tiles > 1 && steps >= 64 ? (quartetBytes + tiles - 1) / tiles : 0
        var position = TilePosition(
            first: work.firstPixel, block: block, weights: weights, bias: bias, next: weights)
    #else
        var position = TilePosition(first: work.firstPixel, block: block, weights: weights, bias: bias)
    #endif
    for tile in 0..<tiles {
        let count = tile < larger ? size + 1 : size
        #if MATRICES
            let next = position.first + count
            position.ahead =
                tile == tiles - 1 ? 0 : Int(work.inputOffsets[next] - work.inputOffsets[position.first])
            passMatrixTile(work, count, position)
        #else
            #if AVX512
                position.next = weights + (groupBytes + tile * (steps / 4) * nextStride)
                position.nextStride = tile * nextStride < quartetBytes ? nextStride : 0
            #endif
            passTile(Pixel<B>.self, work, count, position)
        #endif
        position.first += count
    }
}
