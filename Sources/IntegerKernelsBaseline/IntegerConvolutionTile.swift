import CMachine
import Kernels

// One tile of a quantized convolution: some pixels times some blocks of output channels.

#if !MATRICES

    extension Tile {
        /// Adds each pixel's quad times the weights, and advances both.
        @inline(__always) fileprivate mutating func accumulateNext(
            _ input: inout UnsafeRawPointer, _ weights: inout PackedWeights
        ) {
            for step in 0..<Int8Kernels.quadSteps {
                accumulate(input, step: step, at: weights + step * Sums.stepBytes)
            }
            input = thaw_opaque(input + 4)
            weights += Int8Kernels.quadBytes * Sums.count
        }
    }

    /// Computes consecutive tiles of the same size. What follows the products of one tile and precedes those of the next is
    /// kept short: processors then begin with the next products while they round the sums before.
    @inline(never)
    func convolveTiles<T: Tile>(
        _: T.Type, _ work: borrowing IntegerConvolutionWork, _ position: inout TilePosition, count: Int
    ) {
        let finish = TileFinish<T.Sums>(work.results, position.block)
        for _ in 0..<count {
            finish.store(convolvedTile(T.self, work, position), work, position.first)
            position.advance(pixels: T.pixels)
        }
    }

    @inline(__always)
    private func convolvedTile<T: Tile>(
        _: T.Type, _ work: borrowing IntegerConvolutionWork, _ position: TilePosition
    ) -> T {
        let (first, block) = (position.first, position.block)
        // Prefetches the memory that the end of the tile accesses, while products are accumulated.
        if let residual = work.results.residual, let offsets = work.results.residualOffsets {
            let blockStride = work.results.residualBlockStride
            T.prefetch(residual + block * blockStride, offsets + first, blockStride: blockStride, toWrite: false)
        }
        T.prefetch(
            work.results.output + block * work.results.outputBlockStride, work.results.outputOffsets + first,
            blockStride: work.results.outputBlockStride, toWrite: true)
        var weights = position.weights
        var tile = T(offsets: work.inputOffsets + first, bias: T.Sums(position.bias))
        #if AVX512 || COMPLEMENTS
            var next = position.next.start
            // With eight tiles of several blocks, these lines are all of the next weights.
            let linesAhead = T.Sums.count == 1 ? 1 : 2
        #endif
        let stepBytes = T.Sums.stepBytes
        let wholeTaps = work.steps.tapCount - work.steps.shortTaps
        let (quartets, rest) = work.steps.quads.quotientAndRemainder(dividingBy: 4)
        var tap = work.taps
        let (short, end) = (tap + wholeTaps, tap + work.steps.tapCount)
        while tap != short {
            var input = work.input + Int(tap.pointee)
            // A whole block, without counting: the most frequent case.
            var remaining = quartets
            while remaining != 0 {
                // Mostly without a loop: the compiler keeps long ones, computes the address of each pixel before them, and does
                // not know which element is which.
                #if DOTPROD
                    let values = tile.values(input)
                    tile.accumulate(values, element: 0, at: weights)
                    tile.accumulate(values, element: 1, at: weights + stepBytes)
                    tile.accumulate(values, element: 2, at: weights + 2 * stepBytes)
                    tile.accumulate(values, element: 3, at: weights + 3 * stepBytes)
                #elseif VNNI || COMPLEMENTS
                    tile.accumulate(input, step: 0, at: weights.loaded)
                    tile.accumulate(input + 4, step: 0, at: (weights + stepBytes).loaded)
                    tile.accumulate(input + 8, step: 0, at: (weights + 2 * stepBytes).loaded)
                    tile.accumulate(input + 12, step: 0, at: (weights + 3 * stepBytes).loaded)
                #else
                    for quad in 0..<4 {
                        for step in 0..<2 {
                            tile.accumulate(input + 4 * quad, step: step, at: weights + (2 * quad + step) * stepBytes)
                        }
                    }
                #endif
                input = thaw_opaque(input + 16)
                weights += 4 * Int8Kernels.quadSteps * stepBytes
                #if AVX512 || COMPLEMENTS
                    for line in 0..<linesAhead { thaw_prefetch_later(next + line * 64) }
                    next += position.next.stride
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
        return tile
    }

#endif
