/// The kernels for Winograd convolutions of quantized images, F(4×4, 3×3), whose results are exact: those of the direct
/// convolution, bit by bit.
///
/// Transformed values and weights are 16-bit integers, and a step multiplies pairs of them: two instead of four products
/// per word, but a quarter of the products. Weights are transformed by 24·G, the last row by 6·G, so that they are integers
/// of 16 bits. The sums then have to be divided by 24² = 9 · 2⁶. All computations are modulo 2³², where 9 has an inverse,
/// so overflows on the way do not matter: results below 2²⁵ come out right.
public protocol IntegerWinogradKernels: Sendable {
    /// The maximum number of tiles that are multiplied together.
    static var longestRun: Int { get }
    /// Transforms and packs the weights of a group, `[point][pair][channels of the group]`.
    static func packTransforms(_ work: borrowing IntegerPackingWork)
    /// Transforms an image: `[point][block][tile][channel]`.
    static func transformInput(_ work: borrowing WinogradInputWork)
    /// Multiplies the transforms and transforms the products back.
    static func convolve(_ work: borrowing IntegerWinogradWork)
}

extension WinogradForm {
    /// The form of quantized convolutions.
    public static let quantized = WinogradForm(height: .four3, width: .four3)
    /// Results of quantized convolutions must be below this.
    public static let quantizedBound = 1 << 25
}

/// The transforms of some tiles times those of one group's weights.
public struct IntegerWinogradWork {
    /// The strides are those of the transformed image, and its blocks are the input channels.
    public var tiles: WinogradTiles
    public var transformed: UnsafeRawPointer
    public var weights: UnsafeRawPointer
    /// `[point][tile][channels of the group]`. Tiles are multiplied in runs, the last of which may be longer than needed.
    public var products: UnsafeMutableRawPointer
    public var productStride: Int
    /// Their blocks are those of the group.
    public var results: IntegerResults
    public var height: Int
    public var width: Int

    public init(
        tiles: WinogradTiles, transformed: UnsafeRawPointer, weights: UnsafeRawPointer,
        products: UnsafeMutableRawPointer, productStride: Int, results: IntegerResults, height: Int, width: Int
    ) {
        self.tiles = tiles
        self.transformed = transformed
        self.weights = weights
        self.products = products
        self.productStride = productStride
        self.results = results
        self.height = height
        self.width = width
    }

    /// The adjacent tiles of a row whose results are written together.
    @inline(__always)
    public static var tilesPerRun: Int { 4 }

    /// Bytes of scratch memory that the transforms need, for a group of this many blocks.
    public static func scratchBytes(blocks: Int) -> Int {
        let form = WinogradForm.quantized
        let sums = form.height.outputs * form.width.outputs * tilesPerRun * blocks
        return (form.points + max(form.points, sums)) * integerBlockWidth * 4
    }
}
