import CMachine
import Kernels

// Convolutions by products of matrices.

#if MATRICES
    typealias MatrixWork = IntegerConvolutionWork

    @inline(never)
    func convolveTile<T: MatrixTile>(
        _: T.Type, _ work: borrowing MatrixWork, _ position: inout TilePosition
    ) {
        var tile = T(offsets: work.inputOffsets + position.first, bias: loadWords(position.bias))
        var weights = position.weights
        let wholeTaps = work.steps.tapCount - work.steps.shortTaps
        let ahead = position.ahead(work, pixels: T.pixels)
        for tap in 0..<work.steps.tapCount {
            let input = work.input + Int(work.taps[tap])
            tile.prefetchLater(input + ahead)
            let quads = tap < wholeTaps ? work.steps.quads : work.steps.shortQuads
            tile.accumulate(input, words: quads, &weights) {}
        }
        let finish = TileFinish<OneBlock>(work.results, position.block)
        finish.storeEachPixel(of: FinishedMatrix(tile: tile), work, position.first)
        position.advance(pixels: T.pixels)
    }

    private struct FinishedMatrix<T: MatrixTile>: PixelSums {
        let tile: T
        @inline(__always) var count: Int { T.pixels }

        @inline(__always) func forEach(_ first: Int, _ body: (OneBlock, Int) -> Void) {
            tile.forEach(first) { body(OneBlock($0), $1) }
        }
    }

    @inline(__always)
    func multiplyMatrices(_ sums: Words, _ rows: Rows, _ weights: Words) -> Words {
        thaw_multiply_integers(sums, rows, weights)
    }

    /// The byte of a block's packed weights that begins a quad of a channel.
    @inline(__always)
    func packedOffset(quad: Int, channel: Int, _ steps: IntegerSteps) -> Int {
        let long = (steps.tapCount - steps.shortTaps) * steps.quads
        let (start, count) = quad < long ? (0, steps.quads) : (long, steps.shortQuads)
        return packedOffset(word: quad, index: (quad - start) % count, of: count, channel: channel)
    }
#endif
