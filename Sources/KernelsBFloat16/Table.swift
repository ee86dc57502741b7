import Kernels

#if arch(arm64)
    import KernelsBaseline

    typealias Float32Kernels = KernelsBaseline.Float32Kernels
#else
    import KernelsAVX512

    typealias Float32Kernels = KernelsAVX512.Float32Kernels
#endif

/// The kernels for bfloat16 images and weights with float32 accumulation. Call them only if the machine has
/// AVX512_BF16, or bf16 of arm64, which multiplies matrices (MATRICES): two pixels at a time (`MatrixTile`).
///
/// Other operations are computed in float32, with bfloat16 images as input and output: the products of most Winograd
/// convolutions, on arm64 depthwise convolutions, and everything elementwise.
public enum BFloat16Kernels: KernelTable, WinogradKernels {
    public static var plain: any (KernelTable & PlainKernels).Type { Float32Kernels.self }
    public static var blockWidth: Int { @inline(__always) get { 16 } }
    public static var valueType: BlockedValueType { @inline(__always) get { .bfloat16 } }
    #if MATRICES
        // Twenty-four accumulators, three pairs of pixels and four vectors of weights.
        public static var groupBlocks: Int { @inline(__always) get { 1 } }
        public static var tilePixels: Int { @inline(__always) get { 6 } }
        public static var cyclesPerVector: Double { Float32Kernels.cyclesPerVector / 4 }
    #else
        public static var groupBlocks: Int { @inline(__always) get { 4 } }
        public static var tilePixels: Int { @inline(__always) get { 8 } }
        public static var cyclesPerVector: Double { Float32Kernels.cyclesPerVector / 2 }
    #endif
    public static var winograd: (any WinogradKernels.Type)? { BFloat16Kernels.self }
    /// Rounding errors grow with the transform. Those of F(2×2, 3×3) are about twice those of a direct convolution.
    public static func products(_ form: WinogradForm) -> any KernelTable.Type {
        form == WinogradForm(height: .two3, width: .two3) ? BFloat16Kernels.self : Float32Kernels.self
    }

    public static func gatherWeights(_ work: borrowing WeightPackingWork) { Float32Kernels.gatherWeights(work) }
    public static func transformFilters(_ work: borrowing WinogradFilterWork) { Float32Kernels.transformFilters(work) }
}

typealias Table = BFloat16Kernels
