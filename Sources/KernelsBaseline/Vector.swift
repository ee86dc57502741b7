import CMachine
import Kernels

/// The lanes of a vector, which are also the channels of a block.
var blockWidth: Int { @inline(__always) get { Table.blockWidth } }

// The work structures count in bytes, these kernels in values.

@inline(__always) func floats(_ bytes: Int) -> Int { bytes >> 2 }

@inline(__always)
func floats(_ memory: UnsafeRawPointer) -> UnsafePointer<Float> { memory.assumingMemoryBound(to: Float.self) }

@inline(__always)
func floats(_ memory: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Float> {
    memory.assumingMemoryBound(to: Float.self)
}

/// 16 floats: one register of AVX-512, two of AVX2, four of SSE and NEON.
typealias Vector = SIMD16<Float>

/// `sum + a · b`, with the fused instruction if there is one. (Without that instruction, `fmaf` would be called for
/// each lane; with it, `a * b + c` would not be fused.)
@inline(__always)
func multiplyAdd(_ sum: Vector, _ a: Vector, _ b: Vector) -> Vector {
    #if AVX2 || AVX512 || arch(arm64)
        return thaw_multiply_add(sum, a, b)
    #else
        return sum + a * b
    #endif
}

@inline(__always)
func load(_ pointer: UnsafePointer<Float>) -> Vector {
    UnsafeRawPointer(pointer).loadUnaligned(as: Vector.self)
}

@inline(__always)
func write(_ vector: Vector, _ pointer: UnsafeMutablePointer<Float>) {
    UnsafeMutableRawPointer(pointer).storeBytes(of: vector, as: Vector.self)
}

/// The larger of each pair. A NaN lane of `x` stays NaN. (One instruction; `pointwiseMax` is not.)
@inline(__always)
func maximum(_ x: Vector, _ bound: Vector) -> Vector { thaw_maximum(x, bound) }

/// The smaller of each pair. A NaN lane of `x` stays NaN.
@inline(__always)
func minimum(_ x: Vector, _ bound: Vector) -> Vector { thaw_minimum(x, bound) }

/// The sum of all lanes. (The standard library's `sum()` becomes a separate function, which the linker may share
/// between instruction sets. The same is true of its conversions between vectors.)
@inline(__always) func total(_ vector: Vector) -> Float { thaw_total(vector) }
