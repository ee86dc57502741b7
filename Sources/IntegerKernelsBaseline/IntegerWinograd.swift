import CMachine
import Kernels

// Winograd convolutions of quantized images: see `IntegerWinogradKernels`.

#if AVX2 || AVX512
    extension Int8Kernels: IntegerWinogradKernels {
        public static var winograd: (any IntegerWinogradKernels.Type)? { Int8Kernels.self }

        public static func transformInput(_ work: borrowing WinogradInputWork) {
            let tiles = work.tiles
            let lines = tiles.scratch
            let patch = lines + points * points * pixelBytes
            for block in tiles.firstBlock..<tiles.firstBlock + tiles.blockCount {
                let plane = work.input + block * work.blockStride
                var target = work.transformed + block * tiles.transformedBlockStride
                for tile in tiles.firstTile..<tiles.firstTile + tiles.tileCount {
                    let (row, column) = (tile / tiles.tilesAcross * 4, tile % tiles.tilesAcross * 4)
                    let from = plane + (row * work.rowStride + column * blockWidth)
                    let rows = work.rows - row
                    // Only results that are not needed depend on memory past the image, so any values will do. Past the
                    // end of a row, there is always memory.
                    if rows >= points {
                        transformTile(from, work.rowStride, lines, target, tiles.pointStride)
                    } else {
                        let rowBytes = points * blockWidth
                        for y in 0..<rows {
                            (patch + y * rowBytes).copyMemory(from: from + y * work.rowStride, byteCount: rowBytes)
                        }
                        transformTile(patch, rowBytes, lines, target, tiles.pointStride)
                    }
                    target += pixelBytes
                }
            }
        }

        public static func convolve(_ work: borrowing IntegerWinogradWork) {
            switch work.results.blockCount {
            #if AVX512
                case 4: convolve(FourBlocks.self, work)
                case 3: convolve(ThreeBlocks.self, work)
            #endif
            #if AVX512 || !VNNI
                case 2: convolve(TwoBlocks.self, work)
            #endif
            default: convolve(OneBlock.self, work)
            }
        }

        private static func convolve<B: Blocks>(_: B.Type, _ work: borrowing IntegerWinogradWork) {
            multiplyPoints(B.self, work)
            transformProducts(B.self, work)
        }

        /// - Parameter work: Its rows are the nine taps of each input channel, which are padded to whole blocks.
        public static func packTransforms(_ work: borrowing IntegerPackingWork) {
            let groupBytes = work.blockCount * blockWidth * 4
            let pairs = work.rowCount / 9 / 2
            let pointBytes = pairs * groupBytes
            for pair in 0..<pairs {
                for block in 0..<work.blockCount {
                    let columns = min(blockWidth, work.columnCount - block * blockWidth)
                    let first = work.quantized + (work.firstColumn + block * blockWidth)
                    for y in 0..<points {
                        @inline(__always) func line(_ input: Int, _ x: Int) -> Shorts {
                            @inline(__always) func tap(_ tap: Int) -> Shorts {
                                let row = Int(work.rows[input * 9 + tap])
                                return row < 0 || columns <= 0
                                    ? Shorts.zero : loadWeights(first + row * work.rowStride, count: columns)
                            }
                            return filterSum(tap(x), tap(3 + x), tap(6 + x), point: y)
                        }
                        let (a, b) = (2 * pair, 2 * pair + 1)
                        let (a0, a1, a2) = (line(a, 0), line(a, 1), line(a, 2))
                        let (b0, b1, b2) = (line(b, 0), line(b, 1), line(b, 2))
                        for x in 0..<points {
                            let words = thaw_joined(
                                filterSum(a0, a1, a2, point: x), filterSum(b0, b1, b2, point: x))
                            let offset = (y * points + x) * pointBytes + pair * groupBytes + block * blockWidth * 4
                            work.packed.storeBytes(of: words, toByteOffset: offset, as: Words.self)
                        }
                    }
                }
            }
        }
    }

    extension WinogradTiles {
        /// The number of adjacent tiles from this one on that are transformed together.
        @inline(__always)
        fileprivate func run(from tile: Int) -> Int {
            min(IntegerWinogradWork.tilesPerRun, firstTile + tileCount - tile, tilesAcross - tile % tilesAcross)
        }
    }

    private typealias Shorts = SIMD16<Int16>

    private var points: Int { @inline(__always) get { 6 } }
    /// The bytes of one block of a transformed tile.
    private var pixelBytes: Int { @inline(__always) get { blockWidth * 2 } }

    @inline(__always)
    private func loadWeights(_ pointer: UnsafePointer<Int8>, count: Int) -> Shorts {
        if count == blockWidth {
            return thaw_signed_shorts(UnsafeRawPointer(pointer).loadUnaligned(as: SIMD16<Int8>.self))
        }
        var weights = Shorts.zero
        for lane in 0..<count { weights[lane] = Int16(pointer[lane]) }
        return weights
    }

    /// A row of 24·G, or of 6·G for the last point, times a line of a filter.
    @inline(__always)
    private func filterSum(_ a: Shorts, _ b: Shorts, _ c: Shorts, point: Int) -> Shorts {
        switch point {
        case 0: (a &+ a &+ a) &<< 1
        case 1: Shorts.zero &- ((a &+ c &+ b) &<< 2)
        case 2: Shorts.zero &- ((a &+ c &- b) &<< 2)
        case 3: a &+ (b &<< 1) &+ (c &<< 2)
        case 4: a &- (b &<< 1) &+ (c &<< 2)
        default: (c &+ c &+ c) &<< 1
        }
    }

    @inline(__always)
    private func transformTile(
        _ from: UnsafeRawPointer, _ rowStride: Int, _ lines: UnsafeMutableRawPointer,
        _ target: UnsafeMutableRawPointer, _ pointStride: Int
    ) {
        for x in 0..<points {
            let (column, line) = (from + x * blockWidth, lines + x * pixelBytes)
            transform(
                { thaw_shorts(loadQuantized(column + $0 * rowStride)) },
                { line.storeBytes(of: $1, toByteOffset: $0 * points * pixelBytes, as: Shorts.self) })
        }
        for y in 0..<points {
            let (line, row) = (lines + y * points * pixelBytes, target + y * points * pointStride)
            transform(
                { line.loadUnaligned(fromByteOffset: $0 * pixelBytes, as: Shorts.self) },
                { row.storeBytes(of: $1, toByteOffset: $0 * pointStride, as: Shorts.self) })
        }
    }

    /// Bᵀ for the points 0, 1, −1, 2, −2, ∞.
    @inline(__always)
    private func transform(_ x: (Int) -> Shorts, _ put: (Int, Shorts) -> Void) {
        let (x0, x1, x2, x3, x4, x5) = (x(0), x(1), x(2), x(3), x(4), x(5))
        let (even, odd) = (x4 &- (x2 &<< 2), x3 &- (x1 &<< 2))
        let (far, farOdd) = (x4 &- x2, (x3 &- x1) &<< 1)
        put(0, ((x0 &- x2) &<< 2) &+ far)
        put(1, even &+ odd)
        put(2, even &- odd)
        put(3, far &+ farOdd)
        put(4, far &- farOdd)
        put(5, x5 &- x3 &- (farOdd &<< 1))
    }

    /// 24·Aᵀ, for products with weights transformed by 24·G and, for the last point, 6·G.
    @inline(__always)
    private func transformBack(_ x: (Int) -> Words, _ put: (Int, Words) -> Void) {
        let (x1, x2, x3, x4) = (x(1), x(2), x(3), x(4))
        let (even, odd) = (x1 &+ x2, x1 &- x2)
        let (far, farOdd) = (x3 &+ x4, (x3 &- x4) &<< 1)
        put(0, x(0) &+ even &+ far)
        put(1, odd &+ farOdd)
        put(2, even &+ (far &<< 2))
        put(3, odd &+ ((farOdd &+ x(5)) &<< 2))
    }

    private func transformProducts<B: Blocks>(_: B.Type, _ work: borrowing IntegerWinogradWork) {
        let tiles = work.tiles
        let lines = tiles.scratch
        let sums = lines + points * points * 64
        let pixelBytes = B.count * 64
        let rowBytes = 4 * IntegerWinogradWork.tilesPerRun * pixelBytes
        let block = work.results.firstBlock
        let bias = work.results.bias + block * blockWidth
        var tile = tiles.firstTile
        while tile < tiles.firstTile + tiles.tileCount {
            let count = tiles.run(from: tile)
            let (row, column) = (tile / tiles.tilesAcross, tile % tiles.tilesAcross)
            for index in 0..<count {
                let products = work.products + (tile - tiles.firstTile + index) * pixelBytes
                for block in 0..<B.count {
                    transformTileBack(
                        products + block * 64, work.productStride, lines, loadWords(bias + block * blockWidth),
                        sums + (4 * index * pixelBytes + block * 64), pixelBytes, rowBytes)
                }
            }
            for y in 0..<min(4, work.height - 4 * row) {
                finishStored(
                    StoredSums<B>(sums: sums + y * rowBytes, count: min(4 * count, work.width - 4 * column)),
                    work.results, (4 * row + y) * work.width + 4 * column, block)
            }
            tile += count
        }
    }

    @inline(__always)
    private func transformTileBack(
        _ products: UnsafeRawPointer, _ pointStride: Int, _ lines: UnsafeMutableRawPointer, _ bias: Words,
        _ sums: UnsafeMutableRawPointer, _ pixelBytes: Int, _ rowBytes: Int
    ) {
        for x in 0..<points {
            let line = lines + x * 64
            transformBack(
                { loadWords(products + ($0 * points + x) * pointStride) },
                { line.storeBytes(of: $1, toByteOffset: $0 * points * 64, as: Words.self) })
        }
        // 9 times this is 1 modulo 2³².
        let inverse = Words(repeating: 0x38E3_8E39)
        for y in 0..<4 {
            let (line, row) = (lines + y * points * 64, sums + y * rowBytes)
            transformBack(
                { loadWords(line + $0 * 64) },
                {
                    let sum = (($1 &* inverse) &>> 6) &+ bias
                    row.storeBytes(of: sum, toByteOffset: $0 * pixelBytes, as: Words.self)
                })
        }
    }
#else
    extension Int8Kernels {
        public static var winograd: (any IntegerWinogradKernels.Type)? { nil }
    }
#endif
