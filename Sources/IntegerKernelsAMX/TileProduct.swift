import CMachine
import Kernels

// Convolutions by AMX, whose tiles are 16 rows of 64 bytes: 16 words of four 8-bit integers or two bfloat16 values. The words of
// up to 32 pixels are gathered in scratch memory, 16 words of each pixel in a row of a tile. They are multiplied by the weights
// of up to two blocks of channels at a time, which are packed `[group][word][channels of the group]`. The kernels for bfloat16
// use this file too.

extension Table {
    static var tileRows: Int { @inline(__always) get { 16 } }
    static var tileBytes: Int { @inline(__always) get { 1024 } }

    /// Whether this processor multiplies tiles, with the results that plain loops have. If it has none, plain loops take
    /// their place here, which is of use for tests only.
    public static let hasTiles = supportsTiles && multipliesTiles()

    @inline(__always) static func tileSteps(_ steps: TileSteps) -> Int {
        (wordCount(steps) + tileRows - 1) / tileRows
    }

    /// The bytes of the weights of a block. Those past the last word are zeros.
    static func tileWeightBytes(_ steps: TileSteps) -> Int { tileSteps(steps) * tileBytes }

    /// The bytes for the words of the pixels, and for the sums of two blocks.
    static func tileScratchBytes(_ steps: TileSteps) -> Int { (2 * tileSteps(steps) + 4) * tileBytes }

    static func multiplyTiles(_ work: borrowing TileWork, _ scratch: UnsafeMutableRawPointer) {
        if hasTiles { thaw_configure_tiles() }
        defer { if hasTiles { thaw_release_tiles() } }
        let blocks = (work.channels + blockWidth - 1) / blockWidth
        let (endPixel, endBlock) = (work.firstPixel + work.pixelCount, work.firstBlock + work.blockCount)
        var pixel = work.firstPixel
        while pixel < endPixel {
            let pixels = pixel..<min(pixel + tilePixels, endPixel)
            gather(work, pixels, to: scratch)
            var block = work.firstBlock
            while block < endBlock {
                let width = BlockGroups.width(remaining: blocks - block, maximum: groupBlocks)
                if width == 2 {
                    computeTiles(TwoBlocks.self, work, pixels, block, scratch)
                } else {
                    computeTiles(OneBlock.self, work, pixels, block, scratch)
                }
                block += width
            }
            pixel = pixels.upperBound
        }
    }

    /// Only multiplies and adds tiles, one in each round. Returns the number of operations.
    static func tilePeak(_ rounds: Int) -> Int {
        thaw_configure_tiles()
        thaw_repeat_tile_products(Int64(rounds / 4))
        thaw_release_tiles()
        return rounds / 4 * 4 * 2 * tileRows * tileRows * valuesPerWord * blockWidth
    }

    /// The tiles that hold as many pixels.
    private static func rowTiles(_ pixels: Range<Int>) -> Int { pixels.count > tileRows ? 2 : 1 }

    /// Copies the words of pixels to the scratch memory. Rows without a pixel keep whatever they hold.
    private static func gather(
        _ work: borrowing TileWork, _ pixels: Range<Int>, to scratch: UnsafeMutableRawPointer
    ) {
        let stepBytes = rowTiles(pixels) * tileBytes
        let blockWords = blockWidth / valuesPerWord
        let wholeTaps = work.steps.tapCount - work.steps.shortTaps
        var word = 0
        for tap in 0..<work.steps.tapCount {
            let input = work.input + Int(work.taps[tap])
            let count = tapWords(work.steps, isShort: tap >= wholeTaps)
            if count == blockWords, word % blockWords == 0 {
                var row = scratch + word / tileRows * stepBytes + word % tileRows * 4
                for pixel in pixels {
                    let values = (input + Int(work.inputOffsets[pixel])).loadUnaligned(as: BlockValues.self)
                    row.storeBytes(of: values, as: BlockValues.self)
                    row += 64
                }
            } else {
                for index in 0..<count {
                    let (step, tileRow) = (word + index).quotientAndRemainder(dividingBy: tileRows)
                    var row = scratch + step * stepBytes + tileRow * 4
                    for pixel in pixels {
                        let value = (input + Int(work.inputOffsets[pixel]))
                            .loadUnaligned(fromByteOffset: 4 * index, as: Int32.self)
                        row.storeBytes(of: value, as: Int32.self)
                        row += 64
                    }
                }
            }
            word += count
        }
        #if BFLOAT16
            // The words past the last are multiplied by zero, but they could be infinite.
            while word % tileRows != 0 {
                var row = scratch + word / tileRows * stepBytes + word % tileRows * 4
                for _ in pixels {
                    row.storeBytes(of: 0, as: Int32.self)
                    row += 64
                }
                word += 1
            }
        #endif
    }

    @inline(__always)
    private static func computeTiles<B: Blocks>(
        _: B.Type, _ work: borrowing TileWork, _ pixels: Range<Int>, _ block: Int,
        _ scratch: UnsafeMutableRawPointer
    ) {
        let steps = tileSteps(work.steps)
        let sums = scratch + 2 * steps * tileBytes
        multiply(
            thaw_tile_work(
                rows: scratch, weights: UnsafeRawPointer(work.weights) + block * steps * tileBytes,
                steps: Int64(steps), bias: work.bias + block * blockWidth, sums: sums),
            rowTiles: rowTiles(pixels), columnTiles: B.count, byProcessor: hasTiles)
        finishTiles(B.self, sums, work, pixels, block)
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
        let channels = columnTiles * blockWidth
        for row in 0..<rowTiles * tileRows {
            for channel in 0..<channels {
                var sum = work.bias.load(fromByteOffset: channel * 4, as: TileSum.self)
                for word in 0..<Int(work.steps) * tileRows {
                    let tile = work.rows + word / tileRows * rowTiles * tileBytes
                    let values = tile + row * 64 + word % tileRows * 4
                    addWord(&sum, values, work.weights + (word * channels + channel) * 4)
                }
                work.sums.storeBytes(of: sum, toByteOffset: (row * channels + channel) * 4, as: TileSum.self)
            }
        }
    }

    /// Whether the processor's products of tiles are those of plain loops, in every form.
    private static func multipliesTiles() -> Bool {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 24 * tileBytes, alignment: 64)
        defer { memory.deallocate() }
        setTestValues(memory, tiles: 12, bias: memory + 12 * tileBytes)
        func product(_ rowTiles: Int, _ columnTiles: Int, byProcessor: Bool) -> UnsafeMutablePointer<TileSum> {
            let sums = memory + (byProcessor ? 16 : 20) * tileBytes
            multiply(
                thaw_tile_work(
                    rows: memory, weights: memory + 6 * tileBytes, steps: 3, bias: memory + 12 * tileBytes,
                    sums: sums),
                rowTiles: rowTiles, columnTiles: columnTiles, byProcessor: byProcessor)
            return sums.assumingMemoryBound(to: TileSum.self)
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
