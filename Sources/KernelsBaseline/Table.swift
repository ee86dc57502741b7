import CMachine
import Kernels

// Some files of this folder are also compiled for images of bfloat16. They call the table of their module `Table`, and
// the values of images, which they count in `values`, `Value`.

/// The kernels for float32 as compiled for this module's instruction set. Call them only if the machine has the
/// instructions. Each is in the file of its family.
public enum Float32Kernels: KernelTable, PlainKernels, WinogradKernels {
    public static var plain: any (KernelTable & PlainKernels).Type { Float32Kernels.self }
    public static var blockWidth: Int { @inline(__always) get { 16 } }
    public static var valueType: BlockedValueType { @inline(__always) get { .float32 } }
    public static var winograd: (any WinogradKernels.Type)? { Float32Kernels.self }
    public static func products(_: WinogradForm) -> any KernelTable.Type { Float32Kernels.self }

    // A step of the convolution's inner loop reads one value of each pixel and one vector of each block, and multiplies
    // each with each. AVX-512 has registers for about 28 accumulators: of the tiles that fill them, those closest to a
    // square read the least. While another program shared the core's caches, 6 pixels by 4 blocks were 5 to 10% faster
    // than 14 by 2; otherwise they were equally fast. More than 8 pixels by 1 or 2 blocks are not faster, and take long to
    // compile.
    #if AVX512
        public static var groupBlocks: Int { @inline(__always) get { 4 } }
        public static var tilePixels: Int { @inline(__always) get { 8 } }
        public static var cyclesPerVector: Double { thaw_has_avx512_in_halves() ? 1 : 0.5 }
    #elseif AVX2
        public static var groupBlocks: Int { @inline(__always) get { 1 } }
        public static var tilePixels: Int { @inline(__always) get { 6 } }
        public static var cyclesPerVector: Double { 1 }
    #elseif arch(arm64)
        // Twenty accumulators, four values of each pixel and the weights: six pixels would not stay in 32 registers.
        public static var groupBlocks: Int { @inline(__always) get { 1 } }
        public static var tilePixels: Int { @inline(__always) get { 5 } }
        public static var cyclesPerVector: Double { 1 }
    #else
        public static var groupBlocks: Int { @inline(__always) get { 1 } }
        public static var tilePixels: Int { @inline(__always) get { 3 } }
        public static var cyclesPerVector: Double { 4 }
    #endif
}

typealias Table = Float32Kernels
