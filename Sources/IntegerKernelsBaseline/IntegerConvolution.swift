import CMachine
import Kernels

// Quantized convolutions. Weights are packed `[group][quad][half][channels of the group]`, a word for each channel.
//
// AVX2's multiplication of bytes (COMPLEMENTS) adds two adjacent products, and saturates the sum if it exceeds 16 bits. That
// takes two large weights of the same sign. One of them is then negated, and its input x replaced by 255 − x, the complement of
// its bits, as the sum of two products of opposite signs always fits: x·w = (255 − x)·(−w) + 255·w. The last terms are constant:
// the sums of each channel's are packed before a group's quads, and sums start with them. The quads are packed
// `[quad][block][weights, complements]`.

extension Int8Kernels {
    public static func packWeights(_ work: borrowing IntegerPackingWork) {
        #if !MATRICES && !COMPLEMENTS
            let words = work.blockCount * blockWidth
        #endif
        for row in 0..<work.rowCount where work.rows[row] >= 0 {
            let quantized = work.quantized + Int(work.rows[row]) * work.rowStride + work.firstColumn
            let (quad, index) = (row / 4, row % 4)
            #if COMPLEMENTS
                for column in 0..<work.columnCount {
                    let word = complementedOffset(quad, column / blockWidth, work) + column % blockWidth * 4
                    work.packed.storeBytes(of: quantized[column], toByteOffset: word + index, as: Int8.self)
                }
            #elseif MATRICES
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
        #if COMPLEMENTS
            for quad in 0..<work.steps.count {
                for block in 0..<work.blockCount { complement(quad, block, work) }
            }
        #endif
    }

    #if COMPLEMENTS
        /// The bytes of the packed weights before the first quad, for each block.
        static var constantBytes: Int { @inline(__always) get { 64 } }

        @inline(__always)
        private static func complementedOffset(_ quad: Int, _ block: Int, _ work: borrowing IntegerPackingWork) -> Int {
            work.blockCount * constantBytes + (quad * work.blockCount + block) * quadBytes
        }

        /// Complements inputs of a quad where the sum of two adjacent products might not fit.
        private static func complement(_ quad: Int, _ block: Int, _ work: borrowing IntegerPackingWork) {
            let quad = work.packed + complementedOffset(quad, block, work)
            let constants = work.packed + block * constantBytes
            let (first, second) = (ComplementedPair(quad, shift: 0), ComplementedPair(quad, shift: 16))
            quad.storeBytes(of: first.weights | second.weights, as: Words.self)
            quad.storeBytes(of: first.complements | second.complements, toByteOffset: 64, as: Words.self)
            let sum = loadWords(constants) &+ first.constant &+ second.constant
            constants.storeBytes(of: sum, as: Words.self)
        }
    #endif
}

#if COMPLEMENTS
    /// Two adjacent weights of a quad, for each channel of a block. One is negated if both have the same sign and their sum
    /// exceeds 128: of 255 or less times 128 or less, the sum fits. Masks are −1 or 0.
    private struct ComplementedPair {
        let weights: Words
        let complements: Words
        let constant: Words

        /// - Parameters:
        ///   - quad: A word for each channel.
        ///   - shift: Where the pair is in the words.
        init(_ quad: UnsafeRawPointer, shift: Int32) {
            let words = loadWords(quad)
            let (a, b) = ((words &<< (24 - shift)) &>> 24, (words &<< (16 - shift)) &>> 24)
            let sum = a &+ b
            let sign = sum &>> 31
            let exceeds = (128 &- ((sum ^ sign) &- sign)) &>> 31 & ~((a ^ b) &>> 31)
            // 128 is not a byte.
            let isLowest = (b &+ 127) &>> 31
            let (first, second) = (exceeds & isLowest, exceeds & ~isLowest)
            let (newA, newB) = ((a ^ first) &- first, (b ^ second) &- second)
            precondition(((127 &- newA) &>> 31).wrappedSum() == 0, "unsupported: two adjacent weights of -128")
            weights = ((newA & 0xFF) | (newB & 0xFF) &<< 8) &<< shift
            complements = ((first & 0xFF) | (second & 0xFF) &<< 8) &<< shift
            constant = ((a & first) &+ (b & second)) &* 255
        }
    }
#endif

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
                case 4: passPixels(FourBlocks.self, work, block, weights)
                case 3: passPixels(ThreeBlocks.self, work, block, weights)
            #endif
            #if AVX512 || COMPLEMENTS
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

/// Computes all pixels of the work in as few tiles as possible, of nearly equal size. Meanwhile, with AVX-512 and AVX2, they
/// prefetch the weights of the next group.
@inline(__always)
private func passPixels<B: Blocks>(
    _: B.Type, _ work: borrowing IntegerConvolutionWork, _ block: Int, _ weights: UnsafeRawPointer
) {
    let tiles = (work.pixelCount + B.longestTile - 1) / B.longestTile
    guard tiles > 0 else { return }
    #if DOTPROD || COMPLEMENTS
        var start = B(work.results.bias + block * blockWidth)
        #if DOTPROD
            for step in 0..<work.steps.count { start.balance(B(weights + step * B.stepBytes)) }
        #else
            start.add(weights)
            let weights = weights + Int8Kernels.constantBytes * B.count
        #endif
        let memory = UnsafeMutablePointer<B>.allocate(capacity: 1)
        defer { memory.deallocate() }
        memory.initialize(to: start)
        let bias = UnsafeRawPointer(memory)
    #else
        let bias = UnsafeRawPointer(work.results.bias + block * blockWidth)
    #endif
    let (size, larger) = work.pixelCount.quotientAndRemainder(dividingBy: tiles)
    let (quads, quadBytes) = (work.steps.count, Int8Kernels.quadBytes * B.count)
    let next = NextWeights(weights + quads * quadBytes, steps: quads, tiles: tiles, stepBytes: quadBytes)
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
