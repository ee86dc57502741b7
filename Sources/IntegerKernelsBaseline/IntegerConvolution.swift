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
        #if MATRICES
            /// The bytes in the input from this tile to the next, which is prefetched.
            var ahead = 0
        #else
            /// The weights to be read next. They are prefetched line by line while this tile is computed, advancing by
            /// `nextStride` every four quads. A stride of 0 prefetches nothing new.
            var next: UnsafeRawPointer
            var nextStride = 0
        #endif
    }

    #if !MATRICES
        extension Tile {
            /// Lines of the next weights that four quads prefetch: with eight tiles of several blocks, all of them.
            @inline(__always) fileprivate static var linesAhead: Int {
                #if AVX512
                    Sums.count == 1 ? 1 : 2
                #else
                    0
                #endif
            }

            /// Adds each pixel's quad times the weights, and advances both.
            @inline(__always) fileprivate mutating func accumulateNext(
                _ input: inout UnsafeRawPointer, _ weights: inout UnsafeRawPointer
            ) {
                for half in 0..<Int8Kernels.halves {
                    accumulate(input, half: half, Sums(weights + half * 64 * Sums.count))
                }
                input = thaw_opaque(input + 4)
                weights += Int8Kernels.halves * 64 * Sums.count
            }
        }

        @inline(never)
        private func convolveTile<T: Tile>(
            _: T.Type, _ work: borrowing IntegerConvolutionWork, _ position: TilePosition
        ) {
            let (first, block) = (position.first, position.block)
            // Prefetches what the end of the tile accesses, while products are accumulated.
            if let residual = work.residual, let offsets = work.residualOffsets {
                T.prefetch(
                    residual + block * work.residualBlockStride, offsets + first, blockStride: work.residualBlockStride,
                    toWrite: false)
            }
            T.prefetch(
                work.output + block * work.outputBlockStride, work.outputOffsets + first,
                blockStride: work.outputBlockStride, toWrite: true)
            var tile = T(offsets: work.inputOffsets + first, bias: T.Sums(position.bias))
            var (weights, next) = (position.weights, position.next)
            let nextStride = position.nextStride
            let stepBytes = 64 * T.Sums.count
            let wholeTaps = work.steps.tapCount - work.steps.shortTaps
            let (quartets, rest) = work.steps.quads.quotientAndRemainder(dividingBy: 4)
            var tap = work.taps
            let (short, end) = (tap + wholeTaps, tap + work.steps.tapCount)
            while tap != short {
                var input = work.input + Int(tap.pointee)
                // A whole block, without counting: the most frequent case.
                var remaining = quartets
                while remaining != 0 {
                    // With VNNI, without a loop: the compiler keeps long ones, computes the address of each pixel before
                    // them, and does not know which element is which.
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
                    if T.linesAhead > 0 {
                        for line in 0..<T.linesAhead { thaw_prefetch_later(next + line * 64) }
                        next += nextStride
                    }
                    remaining &-= 1
                }
                remaining = rest
                while remaining != 0 {
                    tile.accumulateNext(&input, &weights)
                    remaining &-= 1
                }
                tap += 1
            }
            while tap != end {
                var input = work.input + Int(tap.pointee)
                for _ in 0..<work.steps.shortQuads { tile.accumulateNext(&input, &weights) }
                tap += 1
            }
            finish(tile, work, first, block)
        }
    #endif

    #if AVX512 && VNNI
        extension IntegerConvolutionWork {
            /// Whether the second pixel of each pair is next to the first one in the input.
            fileprivate borrowing func hasAdjacentPixels() -> Bool {
                if (firstPixel | pixelCount) % 2 != 0 { return false }
                for pixel in stride(from: firstPixel, to: firstPixel + pixelCount, by: 2)
                where inputOffsets[pixel + 1] - inputOffsets[pixel] != integerBlockWidth { return false }
                return true
            }
        }
    #endif

    /// Computes all pixels of the work in as few tiles as possible, of nearly equal size.
    ///
    /// With AVX-512, the tiles meanwhile prefetch, at an even rate, the weights of the next group. If a layer's weights are not
    /// in the L2 cache, they arrive while the current ones are still in use.
    @inline(__always)
    private func passPixels<B: Blocks>(
        _: B.Type, _ work: borrowing IntegerConvolutionWork, _ block: Int, _ weights: UnsafeRawPointer
    ) {
        #if AVX512 && VNNI
            if B.count == 2, work.hasAdjacentPixels() {
                return passPixels(AdjacentPixels<B>.self, work, block, weights)
            }
        #endif
        passPixels(Pixel<B>.self, work, block, weights)
    }

    /// - Parameter P: One or two pixels; a tile consists of several of these.
    @inline(__always)
    private func passPixels<P: Tile>(
        _: P.Type, _ work: borrowing IntegerConvolutionWork, _ block: Int, _ weights: UnsafeRawPointer
    ) {
        typealias B = P.Sums
        let units = work.pixelCount / P.pixels
        let tiles = (units + P.maximumCount - 1) / P.maximumCount
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
        let (size, larger) = units.quotientAndRemainder(dividingBy: tiles)
        #if MATRICES
            var position = TilePosition(first: work.firstPixel, block: block, weights: weights, bias: bias)
        #else
            let steps = work.steps.count
            let quartetBytes = 4 * Int8Kernels.quadBytes * B.count
            // A small number of weights stays in the L1 cache anyway.
            let nextStride = tiles > 1 && steps >= 64 ? (quartetBytes + tiles - 1) / tiles : 0
            var position = TilePosition(
                first: work.firstPixel, block: block, weights: weights, bias: bias, next: weights)
        #endif
        for tile in 0..<tiles {
            let count = tile < larger ? size + 1 : size
            #if MATRICES
                let next = position.first + count
                position.ahead =
                    tile == tiles - 1 ? 0 : Int(work.inputOffsets[next] - work.inputOffsets[position.first])
                passMatrixTile(work, count, position)
            #else
                let groupBytes = steps * Int8Kernels.quadBytes * B.count
                position.next = weights + (groupBytes + tile * (steps / 4) * nextStride)
                position.nextStride = tile * nextStride < quartetBytes ? nextStride : 0
                passTile(P.self, work, count, position)
            #endif
            position.first += count * P.pixels
        }
    }

    extension Tile {
        /// How many of these a tile consists of at most. Fourteen pixels have registers only with one offset per pair.
        @inline(__always) fileprivate static var maximumCount: Int { pixels == 1 ? Sums.longestTile : 7 }
    }

    #if !MATRICES
        /// - Parameter count: At most `maximumCount`.
        @inline(__always)
        private func passTile<P: Tile>(
            _: P.Type, _ work: borrowing IntegerConvolutionWork, _ count: Int, _ position: TilePosition
        ) {
            switch count {
            case 1: return convolveTile(P.self, work, position)
            case 2: return convolveTile(Two<P>.self, work, position)
            default: break
            }
            if P.maximumCount > 2 {
                switch count {
                case 3: return convolveTile(Three<P>.self, work, position)
                case 4: return convolveTile(Four<P>.self, work, position)
                default: break
                }
            }
            if P.maximumCount > 4 {
                switch count {
                case 5: return convolveTile(Five<P>.self, work, position)
                default: break
                }
            }
            if P.maximumCount > 5, count == 6 { return convolveTile(Six<P>.self, work, position) }
            if P.maximumCount > 6, count == 7 { return convolveTile(Seven<P>.self, work, position) }
            if P.maximumCount > 7 {
                switch count {
                case 8: return convolveTile(Eight<P>.self, work, position)
                case 9: return convolveTile(Nine<P>.self, work, position)
                default: break
                }
            }
            if P.maximumCount > 9 {
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

#endif
