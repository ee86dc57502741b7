import Kernels
import KernelsBFloat16

/// The kernels for bfloat16 whose convolutions multiply tiles (AMX-BF16). Call them only if the machine has AVX512_BF16.
/// Everything else works as it does without tiles, including convolutions that read floats.
public enum TileKernels: KernelTable {
    public static var plain: any (KernelTable & PlainKernels).Type { BFloat16Kernels.plain }
    public static var blockWidth: Int { @inline(__always) get { 16 } }
    public static var valueType: BlockedValueType { @inline(__always) get { .bfloat16 } }
    public static var groupBlocks: Int { @inline(__always) get { 2 } }
    public static var tilePixels: Int { @inline(__always) get { 32 } }
    // Multiplying two tiles, which are 512 vectors, takes 16 cycles. Gathering words and storing results take time too.
    public static var cyclesPerVector: Double { 0.06 }
    public static var winograd: (any WinogradKernels.Type)? { BFloat16Kernels.winograd }

    public static func packedDepthwiseBytes(_ steps: ConvolutionSteps) -> Int {
        BFloat16Kernels.packedDepthwiseBytes(steps)
    }
    public static func packDepthwise(_ work: borrowing WeightPackingWork) { BFloat16Kernels.packDepthwise(work) }
    public static func convolveDepthwise(_ work: borrowing DepthwiseWork) { BFloat16Kernels.convolveDepthwise(work) }

    public static func copyRows(_ work: borrowing RowWork) { BFloat16Kernels.copyRows(work) }
    public static func block(_ work: borrowing RelayoutWork) { BFloat16Kernels.block(work) }
    public static func unblock(_ work: borrowing RelayoutWork) { BFloat16Kernels.unblock(work) }
    public static func pool(_ work: borrowing PoolingWork) { BFloat16Kernels.pool(work) }
    public static func sumPixels(_ work: borrowing PixelSumWork) { BFloat16Kernels.sumPixels(work) }
    public static func resize(_ work: borrowing ResizeWork) { BFloat16Kernels.resize(work) }
    public static func planeMoments(_ work: borrowing RowWork) { BFloat16Kernels.planeMoments(work) }

    public static func unary(_ function: UnaryFunction, _ work: borrowing RowWork) {
        BFloat16Kernels.unary(function, work)
    }
    public static func binary(_ function: BinaryFunction, _ work: borrowing RowWork) {
        BFloat16Kernels.binary(function, work)
    }
    public static func scale(_ work: borrowing RowWork) { BFloat16Kernels.scale(work) }
}

typealias Table = TileKernels
