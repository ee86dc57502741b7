import CMachine
import Kernels

// Convolutions by products of matrices.

#if MATRICES
    /// - Parameter count: At most `CodeKernels.tilePixels`.
    @inline(__always)
    func passMatrixTile(_ work: borrowing IntegerConvolutionWork, _ count: Int, _ position: TilePosition) {
        switch count {
        case 1: convolveTile(LastPixel.self, work, position)
        case 2: convolveTile(TwoPixels.self, work, position)
        case 3: convolveTile(MatrixPair<TwoPixels, LastPixel>.self, work, position)
        case 4: convolveTile(FourPixels.self, work, position)
        case 5: convolveTile(MatrixPair<FourPixels, LastPixel>.self, work, position)
        case 6: convolveTile(SixPixels.self, work, position)
        default: fatalError("unsupported tile size")
        }
    }

    @inline(never)
    private func convolveTile<T: MatrixTile>(
        _: T.Type, _ work: borrowing IntegerConvolutionWork, _ position: TilePosition
    ) {
        var tile = T(offsets: work.inputOffsets + position.first, bias: loadWords(position.bias))
        var weights = position.weights
        let wholeTaps = work.steps.tapCount - work.steps.shortTaps
        for tap in 0..<work.steps.tapCount {
            var input = work.input + Int(work.taps[tap])
            tile.prefetchLater(input + position.ahead)
            let quads = tap < wholeTaps ? work.steps.quads : work.steps.shortQuads
            for _ in 0..<quads / 4 {
                tile.accumulateRow(input, weights)
                tile.accumulateRow(input + 8, weights + 128)
                input = thaw_opaque(input + 16)
                weights += 256
            }
            if quads & 2 != 0 {
                tile.accumulateRow(input, weights)
                input = thaw_opaque(input + 8)
                weights += 128
            }
            if quads & 1 != 0 {
                tile.accumulateHalfRow(input, weights)
                weights += 64
            }
        }
        finish(FinishedMatrix(tile: tile), work, position.first, position.block)
    }

    private struct FinishedMatrix<T: MatrixTile>: PixelSums {
        let tile: T

        @inline(__always) func forEach(_ first: Int, _ body: (OneBlock, Int) -> Void) {
            tile.forEach(first) { body(OneBlock($0), $1) }
        }
    }

    @inline(__always)
    func multiplyMatrices(_ sums: Words, _ rows: Rows, _ weights: Words) -> Words {
        thaw_multiply_codes(sums, rows, weights)
    }

    /// The byte of a block's packed weights that begins a quad of a channel.
    @inline(__always)
    func packedOffset(quad: Int, channel: Int, _ steps: IntegerSteps) -> Int {
        let long = (steps.tapCount - steps.shortTaps) * steps.quads
        let (start, count) = quad < long ? (0, steps.quads) : (long, steps.shortQuads)
        return packedOffset(word: quad, index: (quad - start) % count, of: count, channel: channel)
    }
#endif
