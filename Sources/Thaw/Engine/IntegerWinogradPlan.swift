import Kernels

/// How a quantized 3×3 convolution is split: into runs of tiles times runs of groups of output channels.
struct IntegerWinogradPlan: Sendable {
    let winograd: any IntegerWinogradKernels.Type
    let inputBlocks: Int
    let outputBlocks: Int
    private let tilesAcross: Int
    private let tileCount: Int
    private let tilesPerChunk: Int
    let groups: BlockGroups
    private let groupsPerChunk: Int

    /// The bytes of transformed tiles and their products in a chunk.
    private static let chunkBudget = 448 << 10
    /// With fewer tiles, reading the weights takes longer than multiplying them.
    private static let fewTiles = 24
    private static let points = WinogradForm.quantized.points
    private static let taps = WinogradForm.quantized.height.window * WinogradForm.quantized.width.window
    /// The bytes of a vector of the kernels.
    private static let vectorBytes = 4 * integerBlockWidth
    /// The bytes of one block of a transformed tile.
    private static let tileBytes = 2 * integerBlockWidth
    /// The bytes of one block of a tile's products.
    private static let productTileBytes = 4 * integerBlockWidth

    /// - Returns: `nil` if the direct convolution is faster, or if results might exceed what the kernels can compute.
    init?(_ compiler: Compiler, _ layer: IntegerLayer, _ window: Window, from: Location, to: Location) {
        guard let winograd = compiler.integers.winograd, from.kind == .blocked,
            WinogradForm.quantized.supports(window)
        else { return nil }
        self.winograd = winograd
        (inputBlocks, outputBlocks) = (from.blocks, to.blocks)
        groups = BlockGroups(blocks: to.blocks, maximumWidth: compiler.integers.groupBlocks)
        tilesAcross = to.width.dividedRoundingUp(by: WinogradForm.quantized.width.outputs)
        tileCount = to.height.dividedRoundingUp(by: WinogradForm.quantized.height.outputs) * tilesAcross
        let bytesPerTile =
            IntegerWinogradPlan.points
            * (inputBlocks * IntegerWinogradPlan.tileBytes + groups.widest * IntegerWinogradPlan.productTileBytes)
        let most = max(IntegerWinogradPlan.fewTiles, IntegerWinogradPlan.chunkBudget / bytesPerTile)
        var (chunks, perChunk) = (tileCount.dividedRoundingUp(by: most), groups.ranges.count)
        let threads = compiler.threads
        if threads > to.images {
            if tileCount < threads * IntegerWinogradPlan.fewTiles, perChunk >= threads {
                // Each thread transforms all tiles, and reads only its share of the weights.
                perChunk = perChunk.dividedRoundingUp(by: threads)
            } else {
                chunks = chunks.rounded(upToMultipleOf: threads)
            }
        }
        tilesPerChunk = tileCount.dividedRoundingUp(by: chunks)
        groupsPerChunk = perChunk
        switch compiler.choice {
        case .cheapest: guard cycles < directCycles(compiler.integers, pixels: to.pixels) else { return nil }
        case .only(let algorithm): guard algorithm == .winograd(.quantized) else { return nil }
        }
        guard layer.largestSum < WinogradForm.quantizedBound else { return nil }
    }

    private var tileChunks: Int { tileCount.dividedRoundingUp(by: tilesPerChunk) }
    var groupChunks: Int { groups.ranges.count.dividedRoundingUp(by: groupsPerChunk) }
    var chunks: Int { tileChunks * groupChunks }

    /// The tiles for which a chunk has memory, including those that fill up its last run.
    private var tilesInMemory: Int { tilesPerChunk + winograd.longestRun }
    // Not multiples of a power of two: the points of a tile would compete for one cache set.
    private var pointStride: Int { (inputBlocks * tilesInMemory + 1) * IntegerWinogradPlan.tileBytes }
    var productStride: Int { (groups.widest * tilesInMemory + 1) * IntegerWinogradPlan.productTileBytes }
    var transformedBytes: Int { IntegerWinogradPlan.points * pointStride }
    var productBytes: Int { IntegerWinogradPlan.points * productStride }
    var scratchBytes: Int { transformedBytes + productBytes + IntegerWinogradWork.scratchBytes(blocks: groups.widest) }

    /// The bytes of the packed weights of one block of output channels.
    var bytesPerBlock: Int {
        IntegerWinogradPlan.points * inputBlocks * integerBlockWidth / 2 * IntegerWinogradPlan.vectorBytes
    }

    /// The rows of the filters that each input channel, padded to whole blocks, is multiplied by; −1 for none.
    func rows(inputs: Int) -> [Int32] {
        var rows: [Int32] = []
        for input in 0..<inputBlocks * integerBlockWidth {
            for tap in 0..<IntegerWinogradPlan.taps {
                rows.append(input < inputs ? Int32(tap * inputs + input) : -1)
            }
        }
        return rows
    }

    func tiles(ofChunk chunk: Int, scratch: UnsafeMutableRawPointer) -> WinogradTiles {
        let first = chunk * tilesPerChunk
        var tiles = WinogradTiles(
            form: .quantized, tilesAcross: tilesAcross, tileCount: min(tilesPerChunk, tileCount - first),
            blockCount: inputBlocks, pointStride: pointStride,
            transformedBlockStride: tilesInMemory * IntegerWinogradPlan.tileBytes, scratch: scratch)
        tiles.firstTile = first
        return tiles
    }

    func groups(ofChunk chunk: Int) -> ArraySlice<Range<Int>> {
        groups.ranges.dropFirst(chunk * groupsPerChunk).prefix(groupsPerChunk)
    }

    // An estimate in processor cycles, if each step of an inner loop takes one. (With other instruction sets, both
    // algorithms take longer by about the same factor.) The constants were measured.

    private var cycles: Double {
        let (tiles, inputs, outputs) = (Double(tileCount), Double(inputBlocks), Double(outputBlocks))
        let products = tiles * Double(IntegerWinogradPlan.points * integerBlockWidth / 2) * inputs * outputs
        let weights = outputs * Double(bytesPerBlock) / CostModel.bytesPerCycle
        return max(products, weights) + tiles * (140 * inputs + 200 * outputs)
    }

    private func directCycles(_ integers: any IntegerKernels.Type, pixels: Int) -> Double {
        let (one, two) = (IntegerSteps(tapCount: 1, quads: 1), IntegerSteps(tapCount: 1, quads: 2))
        let stepsPerQuad = (integers.packedBytes(two) - integers.packedBytes(one)) / IntegerWinogradPlan.vectorBytes
        let quads = inputBlocks * integerBlockWidth / 4
        return Double(pixels * IntegerWinogradPlan.taps * quads * stepsPerQuad * outputBlocks)
    }
}

extension IntegerLayer {
    /// The magnitude that no sum of products of quantized values and weights exceeds.
    fileprivate var largestSum: Int {
        var positive = [Int](repeating: 0, count: outputs)
        var negative = positive
        withExtendedLifetime(weights) {
            let quantized = weights.bytes.bindMemory(to: Int8.self)
            for first in stride(from: 0, to: quantized.count, by: outputs) {
                for channel in 0..<outputs {
                    let weight = Int(quantized[first + channel])
                    positive[channel] += max(weight, 0)
                    negative[channel] -= min(weight, 0)
                }
            }
        }
        return 255 * max(positive.max() ?? 0, negative.max() ?? 0)
    }
}
