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
/// Operations that gain nothing from bfloat16 products are computed in float32, with bfloat16 images as input and
/// output: depthwise convolutions, the products of Winograd convolutions, and everything that reads plain tensors.
public enum BFloat16Kernels: KernelTable, WinogradKernels {
    public static var plain: any PlainKernels.Type { Float32Kernels.self }
    public static var blockWidth: Int { @inline(__always) get { 16 } }
    public static var valueType: BlockedValueType { @inline(__always) get { .bfloat16 } }
    #if MATRICES
        // Twenty-four accumulators, three pairs of pixels and four vectors of weights.
        public static var groupBlocks: Int { @inline(__always) get { 1 } }
        public static var tilePixels: Int { @inline(__always) get { 6 } }
    #else
        public static var groupBlocks: Int { @inline(__always) get { 4 } }
        public static var tilePixels: Int { @inline(__always) get { 14 } }
    #endif
    public static var cyclesPerVector: Double { 0.25 }
    public static var winograd: (any WinogradKernels.Type)? { BFloat16Kernels.self }
    public static var products: any KernelTable.Type { Float32Kernels.self }

    public static func gatherWeights(_ work: borrowing WeightPackingWork) { Float32Kernels.gatherWeights(work) }
    public static func transformFilters(_ work: borrowing WinogradFilterWork) { Float32Kernels.transformFilters(work) }

    #if !MATRICES
        /// Only multiplies and adds, `rounds` times. Returns the number of floating-point operations.
        public static func peak(_ rounds: Int) -> Int {
            var sums = (Vector.zero, Vector.zero, Vector.zero, Vector.zero, Vector.zero, Vector.zero)
            var more = sums
            let a = Vector(repeating: Float(rounds) * 1e-9)
            let b = Vector(repeating: 0.5)
            for _ in 0..<rounds {
                sums.0 = addProducts(sums.0, a, b)
                sums.1 = addProducts(sums.1, a, b)
                sums.2 = addProducts(sums.2, a, b)
                sums.3 = addProducts(sums.3, a, b)
                sums.4 = addProducts(sums.4, a, b)
                sums.5 = addProducts(sums.5, a, b)
                more.0 = addProducts(more.0, a, b)
                more.1 = addProducts(more.1, a, b)
                more.2 = addProducts(more.2, a, b)
                more.3 = addProducts(more.3, a, b)
                more.4 = addProducts(more.4, a, b)
                more.5 = addProducts(more.5, a, b)
            }
            let all = sums.0 + sums.1 + sums.2 + sums.3 + sums.4 + sums.5
            let others = more.0 + more.1 + more.2 + more.3 + more.4 + more.5
            // The accumulators must be used, or nothing would be computed.
            return (all + others)[0] == -1 ? 0 : 2 * 2 * blockWidth * 12 * rounds
        }
    #endif
}

typealias Table = BFloat16Kernels
