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

#if !AMX

    extension Blocks {
        /// The maximum number of pixels in a tile of this many blocks.
        @inline(__always) fileprivate static var longestTile: Int {
            #if AVX512
                count == 4 ? 6 : count == 3 ? 9 : Int8Kernels.tilePixels
            #elseif VNNI
                Int8Kernels.tilePixels
            #elseif AVX2
                count == 2 ? 2 : 4
            #else
                Int8Kernels.tilePixels
            #endif
        }
    }

    extension Int8Kernels {
        public static func convolve(_ work: borrowing IntegerConvolutionWork) {
            var block = work.firstBlock
            let end = block + work.blockCount
            let blocks = (work.channels + blockWidth - 1) / blockWidth
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
        /// The bytes in the input from this tile to the next, which is prefetched.
        var ahead = 0
    }

    @inline(never)
    private func convolveTile<T: Tile>(_: T.Type, _ work: borrowing IntegerConvolutionWork, _ position: TilePosition) {
        let (first, block) = (position.first, position.block)
        var tile = T(offsets: work.inputOffsets + first, bias: T.Sums(position.bias))
        var weights = position.weights
        let stepBytes = 64 * T.Sums.count
        let wholeTaps = work.steps.tapCount - work.steps.shortTaps
        for tap in 0..<work.steps.tapCount {
            var input = work.input + Int(work.taps[tap])
            tile.prefetchLater(input + position.ahead, 0)
            let quads = tap < wholeTaps ? work.steps.quads : work.steps.shortQuads
            // A whole block, without counting: the most frequent case.
            for _ in 0..<quads / 4 {
                // With VNNI, without a loop: the compiler keeps long ones, computes the address of each pixel before them, and
                // does not know which element is which.
                #if DOTPROD
                    let values = tile.values(input)
                    tile.accumulate(values, element: 0, T.Sums(weights))
                    tile.accumulate(values, element: 1, T.Sums(weights + stepBytes))
                    tile.accumulate(values, element: 2, T.Sums(weights + 2 * stepBytes))
                    tile.accumulate(values, element: 3, T.Sums(weights + 3 * stepBytes))
                #elseif VNNI
                    tile.accumulate(input, half: 0, T.Sums(weights))
                    tile.accumulate(input + 4, half: 0, T.Sums(weights + stepBytes))
                    tile.accumulate(input + 8, half: 0, T.Sums(weights + 2 * stepBytes))
                    tile.accumulate(input + 12, half: 0, T.Sums(weights + 3 * stepBytes))
                #else
                    for quad in 0..<4 {
                        for half in 0..<Int8Kernels.halves {
                            let step = quad * Int8Kernels.halves + half
                            tile.accumulate(input + 4 * quad, half: half, T.Sums(weights + step * stepBytes))
                        }
                    }
                #endif
                input = thaw_opaque(input + 16)
                weights += 4 * Int8Kernels.halves * stepBytes
            }
            for _ in 0..<quads % 4 {
                for half in 0..<Int8Kernels.halves {
                    tile.accumulate(input, half: half, T.Sums(weights + half * stepBytes))
                }
                input = thaw_opaque(input + 4)
                weights += Int8Kernels.halves * stepBytes
            }
        }
        finish(tile, work, first, block)
    }

    /// Computes all pixels of the work in as few tiles as possible, of nearly equal size.
    @inline(__always)
    private func passPixels<B: Blocks>(
        _: B.Type, _ work: borrowing IntegerConvolutionWork, _ block: Int, _ weights: UnsafeRawPointer
    ) {
        let tiles = (work.pixelCount + B.longestTile - 1) / B.longestTile
        guard tiles > 0 else { return }
        #if DOTPROD
            var start = B(work.bias + block * blockWidth)
            for step in 0..<work.steps.count { start.balance(B(weights + step * 64 * B.count)) }
            let memory = UnsafeMutablePointer<B>.allocate(capacity: 1)
            defer { memory.deallocate() }
            memory.initialize(to: start)
            let bias = UnsafeRawPointer(memory)
        #else
            let bias = UnsafeRawPointer(work.bias + block * blockWidth)
        #endif
        let size = work.pixelCount / tiles
        let larger = work.pixelCount % tiles
        var position = TilePosition(first: work.firstPixel, block: block, weights: weights, bias: bias)
        for tile in 0..<tiles {
            let count = tile < larger ? size + 1 : size
            position.ahead =
                tile == tiles - 1
                ? 0 : Int(work.inputOffsets[position.first + count] - work.inputOffsets[position.first])
            #if MATRICES
                passMatrixTile(work, count, position)
            #else
                passTile(Pixel<B>.self, work, count, position)
            #endif
            position.first += count
        }
    }

    /// - Parameter count: At most the number of pixels that tiles of this many blocks support.
    @inline(__always)
    private func passTile<P: Tile>(
        _: P.Type, _ work: borrowing IntegerConvolutionWork, _ count: Int, _ position: TilePosition
    ) {
        switch count {
        case 1: return convolveTile(P.self, work, position)
        case 2: return convolveTile(Two<P>.self, work, position)
        default: break
        }
        if P.Sums.longestTile > 2 {
            switch count {
            case 3: return convolveTile(Three<P>.self, work, position)
            case 4: return convolveTile(Four<P>.self, work, position)
            default: break
            }
        }
        if P.Sums.longestTile > 4 {
            switch count {
            case 5: return convolveTile(Five<P>.self, work, position)
            default: break
            }
        }
        if P.Sums.longestTile > 5, count == 6 { return convolveTile(Six<P>.self, work, position) }
        if P.Sums.longestTile > 6 {
            switch count {
            case 7: return convolveTile(Seven<P>.self, work, position)
            case 8: return convolveTile(Eight<P>.self, work, position)
            case 9: return convolveTile(Nine<P>.self, work, position)
            default: break
            }
        }
        if P.Sums.longestTile > 9 {
            switch count {
            case 10: return convolveTile(Ten<P>.self, work, position)
            case 11: return convolveTile(Eleven<P>.self, work, position)
            case 12: return convolveTile(Twelve<P>.self, work, position)
            default: break
            }
        }
        fatalError("unsupported tile size")
    }

#endif
