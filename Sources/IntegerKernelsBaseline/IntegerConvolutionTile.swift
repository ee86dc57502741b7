import CMachine
import Kernels

// One tile of a quantized convolution: some pixels times some blocks of output channels.

#if !MATRICES

    extension Tile {
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
        if let residual = work.results.residual, let offsets = work.results.residualOffsets {
            let blockStride = work.results.residualBlockStride
            T.prefetch(residual + block * blockStride, offsets + first, blockStride: blockStride, toWrite: false)
        }
        T.prefetch(
            work.results.output + block * work.results.outputBlockStride, work.results.outputOffsets + first,
            blockStride: work.results.outputBlockStride, toWrite: true)
        var tile = T(offsets: work.inputOffsets + first, bias: T.Sums(position.bias))
        var weights = position.weights
        #if AVX512
            var next = position.next
            let nextStride = position.nextStride
            // With eight tiles of several blocks, these lines are all of the next weights.
            let linesAhead = T.Sums.count == 1 ? 1 : 2
        #endif
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
                #if AVX512
                    for line in 0..<linesAhead { thaw_prefetch_later(next + line * 64) }
                    next += nextStride
                #endif
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

    /// - Parameter count: At most the number of pixels that tiles of this many blocks support.
    @inline(__always)
    func passTile<P: Tile>(
        _: P.Type, _ work: borrowing IntegerConvolutionWork, _ count: Int, _ position: TilePosition
    ) {
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

#endif
