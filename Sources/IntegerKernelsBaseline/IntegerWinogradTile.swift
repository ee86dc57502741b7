import CMachine
import Kernels

// The products of a Winograd convolution's transforms, point by point, in tiles of registers like those of direct
// convolutions: some transformed tiles of the image, a run, times some blocks of output channels.

#if AVX2 || AVX512
    extension Int8Kernels {
        public static var longestRun: Int { OneBlock.longestRun }
    }

    extension Blocks {
        /// The maximum number of tiles that are multiplied together. Runs are of this length, or one shorter.
        @inline(__always) fileprivate static var longestRun: Int {
            #if AVX512
                count > 2 ? 6 : 8
            #elseif VNNI
                6
            #else
                count == 2 ? 3 : 6
            #endif
        }
    }

    /// The operands of one run of tiles and one point.
    private struct Run {
        var transformed: UnsafeRawPointer
        var products: UnsafeMutableRawPointer
        var weights: UnsafeRawPointer
        /// This run's share of the next point's weights, which it prefetches: so many lines for every four pairs.
        var next: UnsafeRawPointer
        let nextLines: Int
        let blockStride: Int
        let blocks: Int
    }

    /// If the last tiles do not fill a run, it computes the products of whatever is in memory after them.
    func multiplyPoints<B: Blocks>(_: B.Type, _ work: borrowing IntegerWinogradWork) {
        let tiles = work.tiles
        // A block of input channels is eight pairs.
        let weightBytes = tiles.blockCount * 8 * 64 * B.count
        let runs = (tiles.tileCount + B.longestRun - 1) / B.longestRun
        let longer = max(0, tiles.tileCount - runs * (B.longestRun - 1))
        let nextLines = (4 * B.count + runs - 1) / runs
        for point in 0..<WinogradForm.quantized.points {
            let weights = work.weights + point * weightBytes
            var run = Run(
                transformed: work.transformed + point * tiles.pointStride,
                products: work.products + point * work.productStride, weights: weights, next: weights + weightBytes,
                nextLines: nextLines, blockStride: tiles.transformedBlockStride, blocks: tiles.blockCount)
            for index in 0..<runs {
                let count = index < longer ? B.longestRun : B.longestRun - 1
                multiply(Pixel<B>.self, count, run)
                run.transformed += count * 2 * blockWidth
                run.products += count * 64 * B.count
                run.next += nextLines * 64 * 2 * tiles.blockCount
            }
        }
    }

    @inline(__always)
    private func multiply<P: Tile>(_: P.Type, _ count: Int, _ run: Run) {
        let longest = P.Sums.longestRun
        if longest == 8, count == 8 { return multiply(Eight<P>.self, run) }
        if longest == 8, count == 7 { return multiply(Seven<P>.self, run) }
        if longest == 6, count == 6 { return multiply(Six<P>.self, run) }
        if longest == 6, count == 5 { return multiply(Five<P>.self, run) }
        if longest == 3, count == 3 { return multiply(Three<P>.self, run) }
        if longest == 3, count == 2 { return multiply(Two<P>.self, run) }
        fatalError("unsupported number of tiles")
    }

    @inline(never)
    private func multiply<T: Tile>(_: T.Type, _ run: Run) {
        var tile = T(offset: 0, stride: 2 * blockWidth)
        let stepBytes = 64 * T.Sums.count
        var (plane, weights, next) = (run.transformed, PackedWeights(run.weights), run.next)
        var remaining = run.blocks
        while remaining != 0 {
            var input = plane
            for _ in 0..<2 {
                tile.accumulatePairs(input, at: weights.loaded)
                tile.accumulatePairs(input + 4, at: (weights + stepBytes).loaded)
                tile.accumulatePairs(input + 8, at: (weights + 2 * stepBytes).loaded)
                tile.accumulatePairs(input + 12, at: (weights + 3 * stepBytes).loaded)
                input = thaw_opaque(input + 16)
                weights += 4 * stepBytes
                var lines = run.nextLines
                while lines != 0 {
                    thaw_prefetch_later(next)
                    next += 64
                    lines &-= 1
                }
            }
            plane += run.blockStride
            remaining &-= 1
        }
        tile.stored(in: run.products)
    }
#endif
