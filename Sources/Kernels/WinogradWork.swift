/// One axis of a Winograd convolution F(m, r): m outputs by a window of r from m + r − 1 products.
/// Source: Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015.
public enum WinogradAxis: UInt8, CaseIterable, Sendable {
    /// F(1, 1): an axis along which nothing is transformed.
    case none
    case two3, four3, two5, two7

    /// The outputs of one tile.
    public var outputs: Int {
        switch self {
        case .none: 1
        case .two3, .two5, .two7: 2
        case .four3: 4
        }
    }

    public var window: Int {
        switch self {
        case .none: 1
        case .two3, .four3: 3
        case .two5: 5
        case .two7: 7
        }
    }

    /// The inputs of one tile, and its products.
    public var points: Int { outputs + window - 1 }
}

/// The two axes of a Winograd convolution. Kernels exist for the same form along both, and for one along a single axis.
public struct WinogradForm: Hashable, Sendable {
    public var height: WinogradAxis
    public var width: WinogradAxis

    public init(height: WinogradAxis, width: WinogradAxis) {
        self.height = height
        self.width = width
    }

    public var points: Int { height.points * width.points }
    /// Floats of working memory that the transforms of images need.
    public var scratchCount: Int { 2 * points * blockWidth }
}

/// Tiles of an image, in order of rows, and the blocks of channels that are transformed. The transformed side is
/// `[points][blocks][tiles][16]`, with strides that the work names.
public struct WinogradTiles {
    public var form: WinogradForm
    public var tilesAcross: Int
    public var firstTile = 0
    public var tileCount: Int
    public var firstBlock = 0
    public var blockCount: Int
    public var pointStride: Int
    public var transformedBlockStride: Int
    /// As many floats as `form.scratchCount` says.
    public var scratch: UnsafeMutablePointer<Float>

    public init(
        form: WinogradForm, tilesAcross: Int, tileCount: Int, blockCount: Int, pointStride: Int,
        transformedBlockStride: Int, scratch: UnsafeMutablePointer<Float>
    ) {
        self.form = form
        self.tilesAcross = tilesAcross
        self.tileCount = tileCount
        self.blockCount = blockCount
        self.pointStride = pointStride
        self.transformedBlockStride = transformedBlockStride
        self.scratch = scratch
    }
}

/// From an image in the blocked layout to its transform.
public struct WinogradInputWork {
    public var tiles: WinogradTiles
    /// What the first tap of the first output reads. Pixels past `rows` and `columns` count as zeros.
    public var input: UnsafePointer<Float>
    public var rowStride: Int
    public var blockStride: Int
    public var rows: Int
    public var columns: Int
    /// Where the first of the tiles and the first of all blocks goes.
    public var transformed: UnsafeMutablePointer<Float>

    public init(
        tiles: WinogradTiles, input: UnsafePointer<Float>, rowStride: Int, blockStride: Int, rows: Int, columns: Int,
        transformed: UnsafeMutablePointer<Float>
    ) {
        self.tiles = tiles
        self.input = input
        self.rowStride = rowStride
        self.blockStride = blockStride
        self.rows = rows
        self.columns = columns
        self.transformed = transformed
    }
}

/// From products to an image in the blocked layout: `activation(bias + transform + residual)`.
public struct WinogradOutputWork {
    public var tiles: WinogradTiles
    /// The products of the first of the tiles and of the first block that is worked on.
    public var products: UnsafePointer<Float>
    public var bias: UnsafePointer<Float>
    /// The first pixel of the first plane.
    public var output: UnsafeMutablePointer<Float>
    public var rowStride: Int
    public var blockStride: Int
    public var height: Int
    public var width: Int
    public var residual: UnsafePointer<Float>?
    public var residualRowStride = 0
    public var residualBlockStride = 0
    public var lower = -Float.infinity
    public var upper = Float.infinity
    public var activation: UnaryFunction?

    public init(
        tiles: WinogradTiles, products: UnsafePointer<Float>, bias: UnsafePointer<Float>,
        output: UnsafeMutablePointer<Float>, rowStride: Int, blockStride: Int, height: Int, width: Int
    ) {
        self.tiles = tiles
        self.products = products
        self.bias = bias
        self.output = output
        self.rowStride = rowStride
        self.blockStride = blockStride
        self.height = height
        self.width = width
    }
}

/// Filters `[input][tap][outputs]`, the outputs of one group in whole blocks, into `[point][input][outputs]`. Inputs are filled
/// up to whole blocks by zeros.
public struct WinogradFilterWork {
    public var form: WinogradForm
    public var filters: UnsafePointer<Float>
    public var inputs: Int
    public var blockCount: Int
    public var transformed: UnsafeMutablePointer<Float>

    public init(
        form: WinogradForm, filters: UnsafePointer<Float>, inputs: Int, blockCount: Int,
        transformed: UnsafeMutablePointer<Float>
    ) {
        self.form = form
        self.filters = filters
        self.inputs = inputs
        self.blockCount = blockCount
        self.transformed = transformed
    }
}
