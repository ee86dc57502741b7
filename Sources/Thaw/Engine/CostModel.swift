import Kernels

/// What a convolution is computed by.
enum ConvolutionAlgorithm: Hashable, Sendable {
    case direct
    case winograd(WinogradForm)
}

/// Which algorithm a layer gets: the cheapest by the cost model, or, to test and to measure one, the one that is named,
/// where it fits.
enum AlgorithmChoice: Sendable {
    case cheapest
    case only(ConvolutionAlgorithm)
}

/// Estimates what a convolution takes in each way of computing it, in processor cycles.
///
/// An estimate is the larger of two times: that of the arithmetic, in vector instructions, and that of the weights' way
/// from memory. The constants are measured.
struct CostModel {
    let kernels: KernelTable
    /// Weights come from memory at so many bytes a cycle.
    private let bytesPerCycle = 5.0

    init(_ kernels: KernelTable) {
        self.kernels = kernels
    }

    private var cyclesPerVector: Double { kernels.cyclesPerVector }

    /// The algorithms that a window allows.
    static func candidates(_ window: Window) -> [ConvolutionAlgorithm] {
        guard [window.height, window.width].allSatisfy({ $0.stride == 1 && $0.dilation == 1 }) else {
            return [.direct]
        }
        let forms = WinogradForm.all.filter {
            $0.height.window == window.height.size && $0.width.window == window.width.size
        }
        return [.direct] + forms.map { .winograd($0) }
    }

    /// - Parameter isDeep: Whether the layer stands in a network of many.
    func cheapest(_ window: Window, from: Location, to: Location, isDeep: Bool) -> ConvolutionAlgorithm {
        CostModel.candidates(window).filter { !isDeep || !CostModel.isRough($0, from) }
            .min { cycles($0, window, from, to) < cycles($1, window, from, to) }!
    }

    /// Convolutions from which a network counts as a deep one.
    static let deep = 40

    /// Four outputs of three taps each way lose some three times as much to rounding as two do. Layers of few channels stand
    /// in front, and what they lose goes through all others: over the 94 of InceptionV3 it made more than a ten-thousandth.
    private static func isRough(_ algorithm: ConvolutionAlgorithm, _ from: Location) -> Bool {
        algorithm == .winograd(WinogradForm(height: .four3, width: .four3)) && from.channels <= 64
    }

    func cycles(_ algorithm: ConvolutionAlgorithm, _ window: Window, _ from: Location, _ to: Location) -> Double {
        let (inputs, outputs) = (Double(from.blocks * blockWidth), Double(to.blocks * blockWidth))
        switch algorithm {
        case .direct:
            let taps = Double(window.height.size * window.width.size)
            let vectors = Double(to.pixels) * taps * inputs * outputs / Double(blockWidth)
            return max(vectors * cyclesPerVector, taps * inputs * outputs * 4 / bytesPerCycle)
        case .winograd(let form):
            let plan = WinogradPlan(form, from: from, to: to, kernels)
            let tiles = Double(plan.tiles)
            let points = Double(form.points)
            // Each point of a tile is written and read in either transform, besides being computed.
            let lines = Double(form.height.points > 1 && form.width.points > 1 ? 2 : 1)
            let pointVectors = lines * Double(max(form.height.points, form.width.points)) / 2 + 3
            let transforms = tiles * points * pointVectors * (inputs + outputs) / Double(blockWidth)
            let products = points * tiles * inputs * outputs / Double(blockWidth)
            let weights = points * inputs * outputs * 4 / bytesPerCycle
            return max(products * cyclesPerVector, weights) + transforms * cyclesPerVector
        }
    }
}

/// How a convolution is done by tiles.
struct WinogradPlan {
    var form: WinogradForm
    var tilesDown: Int
    var tilesAcross: Int
    var inputBlocks: Int
    var outputBlocks: Int
    /// Tiles that are multiplied together.
    var tilesPerChunk: Int
    /// Whether the image is transformed in a step of its own.
    var isSplit: Bool
    /// The most blocks of output channels that are multiplied at once.
    var groupBlocks: Int

    var tiles: Int { tilesDown * tilesAcross }

    /// Bytes of a whole transformed image below which it is made in a step of its own.
    private static let splitBudget = 4 << 20
    /// Bytes of the transformed tiles of a chunk that makes its own.
    private static let chunkBudget = 448 << 10

    init(_ form: WinogradForm, from: Location, to: Location, _ kernels: KernelTable) {
        self.form = form
        tilesDown = (to.height + form.height.outputs - 1) / form.height.outputs
        tilesAcross = (to.width + form.width.outputs - 1) / form.width.outputs
        inputBlocks = from.blocks
        outputBlocks = to.blocks
        let tiles = tilesDown * tilesAcross
        let bytesPerTile = form.points * from.blocks * blockWidth * 4
        isSplit = tiles * bytesPerTile <= WinogradPlan.splitBudget
        var perChunk = isSplit ? 64 : min(64, max(2 * kernels.tilePixels, WinogradPlan.chunkBudget / bytesPerTile))
        perChunk = min(perChunk, tiles)
        // An even number of chunks of nearly one size, so that two threads end together.
        var chunks = (tiles + perChunk - 1) / perChunk
        chunks = chunks == 1 ? 1 : (chunks + 1) / 2 * 2
        // Many tiles are multiplied fastest by the widest groups. Few of them wait for the weights, of which a narrow group's
        // are all asked for in time.
        groupBlocks = min(kernels.groupBlocks, 2)
        let wideGroups = (outputBlocks + kernels.groupBlocks - 1) / kernels.groupBlocks
        if tiles / chunks >= 24, wideGroups * chunks >= 4 { groupBlocks = kernels.groupBlocks }
        // Work for a second thread. (Fewer tiles would wait for the same weights twice.)
        if chunks == 1, outputBlocks <= groupBlocks, tiles >= 32 { chunks = 2 }
        tilesPerChunk = (tiles + chunks - 1) / chunks
    }

    /// Floats between the transforms of one point and those of the next, over so many tiles. (Not a power of two: the
    /// points of a tile would meet in one set of the cache.)
    func pointStride(tiles: Int, blocks: Int) -> Int { (blocks * tiles + 1) * blockWidth }
}

extension WinogradForm {
    /// As the literature writes it: outputs, then window.
    var name: String {
        "Winograd F(\(height.outputs)×\(width.outputs), \(height.window)×\(width.window))"
    }

    /// The forms that kernels exist for. Six outputs of three taps, or four of five and of seven, would be faster, but one
    /// layer after another they leave more than a ten-thousandth of the range wrong in ResNet50, VGG16 and InceptionV3.
    static let all: [WinogradForm] =
        [.two3, .four3, .two5].map { WinogradForm(height: $0, width: $0) }
        + [.four3, .two7].flatMap {
            [WinogradForm(height: $0, width: .none), WinogradForm(height: .none, width: $0)]
        }
}
