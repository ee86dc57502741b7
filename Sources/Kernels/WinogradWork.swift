/// One axis of a Winograd convolution F(m, r): m outputs of a window of size r from m + r − 1 products. Source: Lavin
/// and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015.
public enum WinogradAxis: UInt8, CaseIterable, Sendable {
    /// F(1, 1): no transform along this axis.
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

    /// The inputs of one tile, which is also the number of its products.
    public var points: Int { outputs + window - 1 }
}

/// The two axes of a Winograd convolution. There are kernels for the same form along both axes, and for a form along a
/// single axis.
public struct WinogradForm: Hashable, Sendable {
    public var height: WinogradAxis
    public var width: WinogradAxis

    public init(height: WinogradAxis, width: WinogradAxis) {
        self.height = height
        self.width = width
    }

    public var points: Int { height.points * width.points }
    /// Vectors of scratch memory that the image transforms need, each as large as a pixel of a plane.
    public var scratchVectors: Int { 2 * points }
}

/// Tiles of an image, row by row, and the blocks of channels to transform. The transformed side is
/// `[points][blocks][tiles][blockWidth]`, with the strides given here.
public struct WinogradTiles {
    public var form: WinogradForm
    public var tilesAcross: Int
    public var firstTile = 0
    public var tileCount: Int
    public var firstBlock = 0
    public var blockCount: Int
    public var pointStride: Int
    public var transformedBlockStride: Int
    /// Memory for `form.scratchVectors` vectors.
    public var scratch: UnsafeMutableRawPointer

    public init(
        form: WinogradForm, tilesAcross: Int, tileCount: Int, blockCount: Int, pointStride: Int,
        transformedBlockStride: Int, scratch: UnsafeMutableRawPointer
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

/// Transforms an image in the blocked layout.
public struct WinogradInputWork {
    public var tiles: WinogradTiles
    /// The input of the first output's first tap. Pixels past `rows` and `columns` count as zeros.
    public var input: UnsafeRawPointer
    public var rowStride: Int
    public var blockStride: Int
    public var rows: Int
    public var columns: Int
    /// The destination of the first of these tiles and the first of all blocks.
    public var transformed: UnsafeMutableRawPointer

    public init(
        tiles: WinogradTiles, input: UnsafeRawPointer, rowStride: Int, blockStride: Int, rows: Int, columns: Int,
        transformed: UnsafeMutableRawPointer
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

/// Transforms products back to an image in the blocked layout: `activation(bias + transform + residual)`.
public struct WinogradOutputWork {
    public var tiles: WinogradTiles
    /// The products of the first of these tiles and the first of these blocks.
    public var products: UnsafeRawPointer
    public var bias: UnsafePointer<Float>
    /// The first pixel of the first plane.
    public var output: UnsafeMutableRawPointer
    public var rowStride: Int
    public var blockStride: Int
    public var height: Int
    public var width: Int
    public var residual: UnsafeRawPointer?
    public var residualRowStride = 0
    public var residualBlockStride = 0
    public var lower = -Float.infinity
    public var upper = Float.infinity
    public var activation: UnaryFunction?

    public init(
        tiles: WinogradTiles, products: UnsafeRawPointer, bias: UnsafePointer<Float>,
        output: UnsafeMutableRawPointer, rowStride: Int, blockStride: Int, height: Int, width: Int
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

/// Transforms filters `[input][tap][outputs]`, where the outputs are those of one group in whole blocks, to
/// `[point][input][outputs]`, which are also the packed weights of a pointwise convolution for each point. Inputs are padded
/// with zeros to whole blocks.
public struct WinogradFilterWork {
    public var form: WinogradForm
    public var filters: UnsafePointer<Float>
    public var inputs: Int
    public var blockCount: Int
    public var transformed: UnsafeMutableRawPointer

    public init(
        form: WinogradForm, filters: UnsafePointer<Float>, inputs: Int, blockCount: Int,
        transformed: UnsafeMutableRawPointer
    ) {
        self.form = form
        self.filters = filters
        self.inputs = inputs
        self.blockCount = blockCount
        self.transformed = transformed
    }
}
