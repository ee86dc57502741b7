import CMachine
import Kernels

#if AMX

    // Convolutions by AMX, whose tiles are 16 rows of 64 bytes. The quads of up to 32 pixels are gathered in scratch memory: 16
    // quads of each pixel are a row of a tile. They are multiplied by the weights of up to two blocks of channels at a time.
    // Weights are packed `[group][16 quads][block][quad][channel]`, a word for each channel.

    extension CodeKernels {
        private static var tileRows: Int { @inline(__always) get { 16 } }
        private static var tileBytes: Int { @inline(__always) get { 1024 } }

        /// Whether this processor multiplies tiles, with the results that plain loops have. If it has none, plain loops take
        /// their place here, which is of use for tests only.
        public static let hasTiles = thaw_has_amx_int8() && multipliesTiles()

        private static func tileSteps(_ steps: IntegerSteps) -> Int { (steps.count + tileRows - 1) / tileRows }

        public static func packedBytes(_ steps: IntegerSteps) -> Int { tileSteps(steps) * tileBytes }

        /// The quads of the pixels, and the sums of two blocks.
        public static func scratchBytes(_ steps: IntegerSteps) -> Int { (2 * tileSteps(steps) + 4) * tileBytes }

        public static func packWeights(_ work: borrowing IntegerPackingWork) {
            let packed = work.packed.assumingMemoryBound(to: Int8.self)
            for row in 0..<work.rowCount where work.rows[row] >= 0 {
                let codes = work.codes + Int(work.rows[row]) * work.rowStride + work.firstColumn
                let (step, quad) = (row / 4).quotientAndRemainder(dividingBy: tileRows)
                let tile = packed + step * work.blockCount * tileBytes + quad * 64 + row % 4
                for column in 0..<work.columnCount {
                    tile[column / blockWidth * tileBytes + column % blockWidth * 4] = codes[column]
                }
            }
        }

        public static func convolve(_ work: borrowing IntegerConvolutionWork) {
            if hasTiles { thaw_configure_tiles() }
            defer { if hasTiles { thaw_release_tiles() } }
            let blocks = (work.channels + blockWidth - 1) / blockWidth
            let (endPixel, endBlock) = (work.firstPixel + work.pixelCount, work.firstBlock + work.blockCount)
            var pixel = work.firstPixel
            while pixel < endPixel {
                let pixels = pixel..<min(pixel + tilePixels, endPixel)
                gather(work, pixels)
                var block = work.firstBlock
                while block < endBlock {
                    let width = BlockGroups.width(remaining: blocks - block, maximum: groupBlocks)
                    if width == 2 {
                        passTiles(TwoBlocks.self, work, pixels, block)
                    } else {
                        passTiles(OneBlock.self, work, pixels, block)
                    }
                    block += width
                }
                pixel = pixels.upperBound
            }
        }

        /// The tiles that hold as many pixels.
        private static func rowTiles(_ pixels: Range<Int>) -> Int { pixels.count > tileRows ? 2 : 1 }

        /// Copies the quads of pixels to the scratch memory. Rows without a pixel, and quads past the last, which are
        /// multiplied by zero, keep whatever they hold.
        private static func gather(_ work: borrowing IntegerConvolutionWork, _ pixels: Range<Int>) {
            let stepBytes = rowTiles(pixels) * tileBytes
            let wholeTaps = work.steps.tapCount - work.steps.shortTaps
            var quad = 0
            for tap in 0..<work.steps.tapCount {
                let input = work.input + Int(work.taps[tap])
                let quads = tap < wholeTaps ? work.steps.quads : work.steps.shortQuads
                if quads == 4, quad % 4 == 0 {
                    var row = work.scratch + quad / tileRows * stepBytes + quad % tileRows * 4
                    for pixel in pixels {
                        row.storeBytes(of: loadCodes(input + Int(work.inputOffsets[pixel])), as: Codes.self)
                        row += 64
                    }
                } else {
                    for index in 0..<quads {
                        let (step, place) = (quad + index).quotientAndRemainder(dividingBy: tileRows)
                        var row = work.scratch + step * stepBytes + place * 4
                        for pixel in pixels {
                            let word = (input + Int(work.inputOffsets[pixel]))
                                .loadUnaligned(fromByteOffset: 4 * index, as: Int32.self)
                            row.storeBytes(of: word, as: Int32.self)
                            row += 64
                        }
                    }
                }
                quad += quads
            }
        }

        @inline(__always)
        private static func passTiles<B: Blocks>(
            _: B.Type, _ work: borrowing IntegerConvolutionWork, _ pixels: Range<Int>, _ block: Int
        ) {
            let steps = tileSteps(work.steps)
            let sums = work.scratch + 2 * steps * tileBytes
            multiply(
                thaw_tile_work(
                    rows: UnsafePointer(work.scratch.assumingMemoryBound(to: UInt8.self)),
                    weights: (work.weights + block * steps * tileBytes).assumingMemoryBound(to: Int8.self),
                    steps: Int64(steps), bias: work.bias + block * blockWidth,
                    sums: sums.assumingMemoryBound(to: Int32.self)),
                rowTiles: rowTiles(pixels), columnTiles: B.count, byProcessor: hasTiles)
            finish(StoredSums<B>(sums: UnsafeRawPointer(sums), count: pixels.count), work, pixels.lowerBound, block)
        }

        @inline(__always)
        private static func multiply(_ work: thaw_tile_work, rowTiles: Int, columnTiles: Int, byProcessor: Bool) {
            guard byProcessor else { return multiplyPlainly(work, rowTiles: rowTiles, columnTiles: columnTiles) }
            switch (rowTiles, columnTiles) {
            case (1, 1): thaw_multiply_tiles_1_1(work)
            case (1, _): thaw_multiply_tiles_1_2(work)
            case (_, 1): thaw_multiply_tiles_2_1(work)
            default: thaw_multiply_tiles_2_2(work)
            }
        }

        private static func multiplyPlainly(_ work: thaw_tile_work, rowTiles: Int, columnTiles: Int) {
            for row in 0..<rowTiles * tileRows {
                for column in 0..<columnTiles * blockWidth {
                    var sum = work.bias[column]
                    for step in 0..<Int(work.steps) {
                        let codes = work.rows + step * rowTiles * tileBytes + row * 64
                        let tile = work.weights + (step * columnTiles + column / blockWidth) * tileBytes
                        for index in 0..<64 {
                            let weight = tile[index / 4 * 64 + column % blockWidth * 4 + index % 4]
                            sum &+= Int32(codes[index]) * Int32(weight)
                        }
                    }
                    work.sums[row * columnTiles * blockWidth + column] = sum
                }
            }
        }

        /// Whether the processor's products of tiles are those of plain loops, in every form.
        private static func multipliesTiles() -> Bool {
            let steps = 3
            let memory = UnsafeMutableRawPointer.allocate(byteCount: 24 * tileBytes, alignment: 64)
            defer { memory.deallocate() }
            let bytes = memory.assumingMemoryBound(to: UInt8.self)
            for index in 0..<24 * tileBytes { bytes[index] = UInt8(truncatingIfNeeded: index &* 37 &+ index >> 6) }
            let results = (memory + 16 * tileBytes).assumingMemoryBound(to: Int32.self)
            func product(_ rowTiles: Int, _ columnTiles: Int, byProcessor: Bool) -> UnsafeMutablePointer<Int32> {
                let sums = byProcessor ? results : results + tileBytes
                multiply(
                    thaw_tile_work(
                        rows: bytes, weights: (memory + 6 * tileBytes).assumingMemoryBound(to: Int8.self),
                        steps: Int64(steps), bias: (memory + 12 * tileBytes).assumingMemoryBound(to: Int32.self),
                        sums: sums),
                    rowTiles: rowTiles, columnTiles: columnTiles, byProcessor: byProcessor)
                return sums
            }
            thaw_configure_tiles()
            defer { thaw_release_tiles() }
            for rowTiles in 1...2 {
                for columnTiles in 1...2 {
                    let ours = product(rowTiles, columnTiles, byProcessor: true)
                    let expected = product(rowTiles, columnTiles, byProcessor: false)
                    for index in 0..<rowTiles * columnTiles * 256 where ours[index] != expected[index] { return false }
                }
            }
            return true
        }
    }

    /// Sums in memory, a row for each pixel.
    private struct StoredSums<Sums: Blocks>: PixelSums {
        let sums: UnsafeRawPointer
        let count: Int

        @inline(__always) func forEach(_ first: Int, _ body: (Sums, Int) -> Void) {
            for pixel in 0..<count { body(Sums(sums + pixel * Sums.count * 64), first + pixel) }
        }
    }

#endif
