import IntegerKernelsAVX512VNNI
import Kernels

/// The 8-bit integer kernels whose convolutions multiply tiles (AMX-INT8). Call them only if the machine has AVX512_VNNI.
/// Everything else works as it does without tiles.
public enum Int8TileKernels: IntegerKernels {
    public static var groupBlocks: Int { @inline(__always) get { 2 } }
    public static var tilePixels: Int { @inline(__always) get { 32 } }

    public static var winograd: (any IntegerWinogradKernels.Type)? { nil }

    public static func packedDepthwiseBytes(window: Int) -> Int { Int8Kernels.packedDepthwiseBytes(window: window) }
    public static func packDepthwise(_ work: borrowing IntegerPackingWork) { Int8Kernels.packDepthwise(work) }
    public static func convolveDepthwise(_ work: borrowing IntegerDepthwiseWork) { Int8Kernels.convolveDepthwise(work) }

    public static func add(_ work: borrowing IntegerAdditionWork) { Int8Kernels.add(work) }
    public static func multiply(_ work: borrowing IntegerMultiplicationWork) { Int8Kernels.multiply(work) }
    public static func scale(_ work: borrowing IntegerScaleWork) { Int8Kernels.scale(work) }
    public static func pool(_ work: borrowing IntegerPoolingWork) { Int8Kernels.pool(work) }
    public static func averagePixels(_ work: borrowing IntegerMeanWork) { Int8Kernels.averagePixels(work) }
    public static func lookUp(_ work: borrowing LookupWork) { Int8Kernels.lookUp(work) }
    public static func quantize(_ work: borrowing QuantizationWork) { Int8Kernels.quantize(work) }
    public static func dequantize(_ work: borrowing QuantizationWork) { Int8Kernels.dequantize(work) }
    public static func block(_ work: borrowing RelayoutWork) { Int8Kernels.block(work) }
    public static func unblock(_ work: borrowing RelayoutWork) { Int8Kernels.unblock(work) }
}

typealias Table = Int8TileKernels
