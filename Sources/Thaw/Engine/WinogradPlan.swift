import Kernels

/// How a convolution is split into tiles.
struct WinogradPlan {
    var form: WinogradForm
    var tilesDown: Int
    var tilesAcross: Int
    /// The multiply-adds for a point of one tile and one output channel.
    var steps: ConvolutionSteps
    var outputBlocks: Int
    /// The bytes of one block of a transformed tile.
    var pixelBytes: Int
    /// The number of tiles that are multiplied together.
    var tilesPerChunk: Int
    /// Whether the image is transformed in a separate step.
    var isSplit: Bool
    /// The maximum number of output channel blocks that are multiplied at once.
    var groupBlocks: Int

    var inputBlocks: Int { steps.tapCount }
    var tiles: Int { tilesDown * tilesAcross }

    /// If the transform of the whole image takes fewer bytes than this, and than the weights, it is computed in a
    /// separate step.
    private static let splitBudget = 4 << 20
    /// If it takes fewer bytes than this, it stays in a core's cache, and two threads make a copy each.
    static let copyBudget = 1 << 20
    /// The bytes of transformed tiles in a chunk that transforms its own tiles.
    private static let chunkBudget = 448 << 10
    /// The maximum number of tiles in a chunk.
    private static let largestChunk = 64
    /// With fewer tiles in a chunk, or fewer chunks, multiplication waits for the weights.
    private static let manyTiles = 24
    private static let manyChunks = 4
    /// With fewer tiles, two threads would both wait for the same weights.
    private static let sharedTiles = 32

    init(_ form: WinogradForm, from: Location, to: Location, _ kernels: any KernelTable.Type) {
        self.form = form
        tilesDown = to.height.dividedRoundingUp(by: form.height.outputs)
        tilesAcross = to.width.dividedRoundingUp(by: form.width.outputs)
        steps = ConvolutionSteps(tapCount: from.blocks, depth: from.blockWidth)
        pixelBytes = kernels.pixelBytes
        outputBlocks = to.blocks
        let tiles = tilesDown * tilesAcross
        let bytesPerTile = form.points * from.blocks * pixelBytes
        let weightBytes = form.points * outputBlocks * kernels.packedBytes(steps)
        isSplit = tiles * bytesPerTile <= min(WinogradPlan.splitBudget, weightBytes)
        var perChunk = min(WinogradPlan.largestChunk, tiles)
        if !isSplit {
            perChunk = min(perChunk, max(2 * kernels.tilePixels, WinogradPlan.chunkBudget / bytesPerTile))
        }
        // An even number of chunks of nearly equal size, so that two threads finish together.
        var chunks = tiles.dividedRoundingUp(by: perChunk)
        chunks = chunks == 1 ? 1 : chunks.rounded(upToMultipleOf: 2)
        // Many tiles are multiplied fastest with the widest groups. Few tiles wait for the weights, and those of a
        // narrow group are all prefetched in time.
        groupBlocks = min(kernels.groupBlocks, 2)
        let wideGroups = outputBlocks.dividedRoundingUp(by: kernels.groupBlocks)
        if tiles / chunks >= WinogradPlan.manyTiles, wideGroups * chunks >= WinogradPlan.manyChunks {
            groupBlocks = kernels.groupBlocks
        }
        // Make work for a second thread.
        if chunks == 1, outputBlocks <= groupBlocks, tiles >= WinogradPlan.sharedTiles { chunks = 2 }
        tilesPerChunk = tiles.dividedRoundingUp(by: chunks)
    }

    /// One of the parts of the tiles that have this many each, except the last.
    func tiles(ofPart part: Int, per count: Int) -> Range<Int> { part * count..<min((part + 1) * count, tiles) }

    /// Bytes between the transforms of one point and those of the next, for a number of tiles. (Not a power of two:
    /// the points of a tile would compete for one cache set.)
    static func pointStride(tiles: Int, blocks: Int, pixelBytes: Int) -> Int { (blocks * tiles + 1) * pixelBytes }
}

extension WinogradForm {
    /// The notation of the literature: outputs, then window.
    var name: String {
        "Winograd F(\(height.outputs)×\(width.outputs), \(height.window)×\(width.window))"
    }

    func supports(_ window: Window) -> Bool {
        height.window == window.height.size && width.window == window.width.size
            && [window.height, window.width].allSatisfy { $0.stride == 1 && $0.dilation == 1 }
    }

    /// The forms that have kernels. F(6, 3), F(4, 5) and F(4, 7) would be faster, but layer after layer their errors
    /// add up to more than 1e-4 of the range in ResNet50, VGG16 and InceptionV3.
    static let all: [WinogradForm] =
        [.two3, .four3, .two5].map { WinogradForm(height: $0, width: $0) }
        + [.four3, .two7].flatMap {
            [WinogradForm(height: $0, width: .none), WinogradForm(height: .none, width: $0)]
        }
}
