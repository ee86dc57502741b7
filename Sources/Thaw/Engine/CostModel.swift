import Kernels

/// The algorithm that computes a convolution.
///
/// Strassen's algorithm is not among them. It would save an eighth of a pointwise convolution's products, but read 1.75
/// times as many weights and add images to each other: on Zen 4, MobileNetV1 took 0.965 of the time with one thread, 0.99
/// with two, and ResNet50 0.985.
enum ConvolutionAlgorithm: Hashable, Sendable {
    case direct
    case winograd(WinogradForm)
}

/// Which algorithm a layer gets: the cheapest one according to the cost model or, for tests and measurements, a given
/// one if it supports the layer.
enum AlgorithmChoice: Sendable {
    case cheapest
    case only(ConvolutionAlgorithm)
}

/// Estimates the processor cycles that a convolution takes with each algorithm.
///
/// An estimate is the larger of two times: that of the arithmetic, in vector instructions, and that of reading the
/// weights from memory. The constants are measured.
struct CostModel {
    let kernels: any KernelTable.Type
    /// The rate at which weights arrive from memory. It depends on the machine's memory more than on its instructions,
    /// so all kernel tables share it.
    private let bytesPerCycle = 5.0

    init(_ kernels: any KernelTable.Type) {
        self.kernels = kernels
    }

    private var cyclesPerVector: Double { kernels.cyclesPerVector }

    /// The algorithms that support a window.
    func candidates(_ window: Window) -> [ConvolutionAlgorithm] {
        guard kernels.winograd != nil else { return [.direct] }
        return [.direct] + WinogradForm.all.filter { $0.supports(window) }.map { .winograd($0) }
    }

    /// - Parameter isDeep: Whether the layer is part of a network with many layers.
    func cheapest(_ window: Window, from: Location, to: Location, isDeep: Bool) -> ConvolutionAlgorithm {
        let isExact = isDeep && !kernels.roundsImages
        return candidates(window).filter { !isExact || !CostModel.isRough($0, from) }
            .min { cycles($0, window, from, to) < cycles($1, window, from, to) }!
    }

    /// The number of convolutions at which a network counts as deep.
    static let deep = 40

    /// Rounding errors of F(4×4, 3×3) are about three times those of F(2×2, 3×3). Layers with few channels come first
    /// in a network, and their errors propagate through all others: over the 94 convolutions of InceptionV3 they added
    /// up to more than 1e-4.
    private static func isRough(_ algorithm: ConvolutionAlgorithm, _ from: Location) -> Bool {
        algorithm == .winograd(WinogradForm(height: .four3, width: .four3)) && from.channels <= 64
    }

    /// The time it takes to read a convolution's weights from memory.
    private func weightCycles(_ steps: ConvolutionSteps, _ to: Location) -> Double {
        Double(to.blocks * kernels.packedBytes(steps)) / bytesPerCycle
    }

    func cycles(_ algorithm: ConvolutionAlgorithm, _ window: Window, _ from: Location, _ to: Location) -> Double {
        let (inputs, outputs) = (Double(from.blocks * from.blockWidth), Double(to.blocks * to.blockWidth))
        let blockWidth = Double(to.blockWidth)
        switch algorithm {
        case .direct:
            let taps = Double(window.height.size * window.width.size)
            let vectors = Double(to.pixels) * taps * inputs * outputs / blockWidth
            let steps = ConvolutionSteps(
                tapCount: window.height.size * window.width.size * from.blocks, depth: from.blockWidth)
            return max(vectors * cyclesPerVector, weightCycles(steps, to))
        case .winograd(let form):
            let multiplier = kernels.winograd!.products(form)
            let plan = WinogradPlan(form, from: from, to: to, multiplier)
            let tiles = Double(plan.tiles)
            let points = Double(form.points)
            // Each point of a tile is not only computed but also written and read in either transform.
            let lines = Double(form.height.points > 1 && form.width.points > 1 ? 2 : 1)
            let pointVectors = lines * Double(max(form.height.points, form.width.points)) / 2 + 3
            let transforms = tiles * points * pointVectors * (inputs + outputs) / blockWidth
            let products = points * tiles * inputs * outputs / blockWidth
            let weightCycles = Double(to.blocks * multiplier.packedBytes(plan.steps)) / bytesPerCycle
            return max(products * multiplier.cyclesPerVector, points * weightCycles)
                + transforms * kernels.plain.cyclesPerVector
        }
    }
}

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
        var perChunk = isSplit ? 64 : min(64, max(2 * kernels.tilePixels, WinogradPlan.chunkBudget / bytesPerTile))
        perChunk = min(perChunk, tiles)
        // An even number of chunks of nearly equal size, so that two threads finish together.
        var chunks = tiles.dividedRoundingUp(by: perChunk)
        chunks = chunks == 1 ? 1 : chunks.rounded(upToMultipleOf: 2)
        // Many tiles are multiplied fastest with the widest groups. Few tiles wait for the weights, and those of a
        // narrow group are all prefetched in time.
        groupBlocks = min(kernels.groupBlocks, 2)
        let wideGroups = outputBlocks.dividedRoundingUp(by: kernels.groupBlocks)
        if tiles / chunks >= 24, wideGroups * chunks >= 4 { groupBlocks = kernels.groupBlocks }
        // Make work for a second thread. (With fewer tiles, both would wait for the same weights.)
        if chunks == 1, outputBlocks <= groupBlocks, tiles >= 32 { chunks = 2 }
        tilesPerChunk = tiles.dividedRoundingUp(by: chunks)
    }

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
