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

typealias TileWork = IntegerConvolutionWork

/// The next tile: its first pixel, its first block, and that block's weights.
struct TilePosition {
    var first: Int
    let block: Int
    let weights: UnsafeRawPointer
    /// What the sums of that block start with.
    let bias: UnsafeRawPointer
    var next: NextWeights
}

/// Computes all pixels of the work in as few tiles as possible, of nearly equal size. With AVX-512, they prefetch the weights of
/// the next group.
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
    let (steps, stepBytes) = (work.steps.count, Int8Kernels.quadBytes * B.count)
    let next = NextWeights(weights + steps * stepBytes, steps: steps, tiles: tiles, stepBytes: stepBytes)
    var position = TilePosition(first: work.firstPixel, block: block, weights: weights, bias: bias, next: next)
    var remaining = tiles
    while remaining > 0 {
        let isLarger = tiles - remaining < larger
        let (pixels, count) = isLarger ? (size + 1, larger) : (size, remaining)
        #if MATRICES
            for _ in 0..<count { passMatrixTile(work, pixels, &position) }
        #else
            passTiles(Pixel<B>.self, work, &position, pixels: pixels, count: count)
        #endif
        remaining -= count
    }
}
