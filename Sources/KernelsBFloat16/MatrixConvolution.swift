import CMachine
import Kernels

// Convolutions by products of matrices.

#if MATRICES
    typealias MatrixWork = ConvolutionWork

    /// Four quarters of four words. In an accumulator, these are the bits of floats.
    typealias Words = SIMD16<Int32>

    @inline(__always)
    func loadWords(_ pointer: UnsafeRawPointer) -> Words { pointer.loadUnaligned(as: Words.self) }

    @inline(__always)
    func multiplyMatrices(_ sums: Words, _ rows: Rows, _ weights: Words) -> Words {
        thaw_multiply_bfloat16(sums, rows, weights)
    }

    @inline(never)
    func convolveTile<T: MatrixTile>(_: T.Type, _ work: borrowing MatrixWork, _ position: inout TilePosition) {
        var tile = T(
            offsets: work.inputOffsets + position.first, bias: loadWords(work.bias + position.block * blockWidth))
        var weights = UnsafeRawPointer(position.weights)
        var next = position.next.start
        let stride = position.next.stride
        let wholeTaps = work.steps.tapCount - work.steps.shortTaps
        let ahead = position.ahead(work, pixels: T.pixels)
        for tap in 0..<work.steps.tapCount {
            let input = work.input + Int(work.taps[tap])
            tile.prefetchLater(input + ahead)
            let depth = wordCount(tap < wholeTaps ? work.steps.depth : work.steps.shortDepth)
            tile.accumulate(input, words: depth, &weights) {
                thaw_prefetch_later(next)
                next += stride
            }
        }
        // A copy that the closure can read.
        let (copied, block) = (copy work, position.block)
        tile.forEach(position.first) { sums, index in
            var pixel = Pixel(OneBlock(thaw_floats_of_bits(sums)))
            finish(&pixel, copied, index, block)
        }
        position.advance(pixels: T.pixels)
    }

    extension BFloat16Kernels {
        /// Only multiplies and adds, `rounds` times. Returns the number of floating-point operations.
        public static func peak(_ rounds: Int) -> Int {
            var sums = (Words.zero, Words.zero, Words.zero, Words.zero, Words.zero, Words.zero)
            // Pairs of 0.5.
            let halves = Words(repeating: 0x3F00_3F00)
            for _ in 0..<rounds {
                sums.0 = multiplyMatrices(sums.0, halves.lowHalf.lowHalf, halves)
                sums.1 = multiplyMatrices(sums.1, halves.lowHalf.lowHalf, halves)
                sums.2 = multiplyMatrices(sums.2, halves.lowHalf.lowHalf, halves)
                sums.3 = multiplyMatrices(sums.3, halves.lowHalf.lowHalf, halves)
                sums.4 = multiplyMatrices(sums.4, halves.lowHalf.lowHalf, halves)
                sums.5 = multiplyMatrices(sums.5, halves.lowHalf.lowHalf, halves)
            }
            // Each lane of a result is the sum of four products.
            return 2 * 4 * blockWidth * 6 * rounds
        }
    }
#endif
