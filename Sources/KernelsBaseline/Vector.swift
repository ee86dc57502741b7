import CMachine
import Kernels

/// The lanes of a vector, which are also the channels of a block.
var blockWidth: Int { @inline(__always) get { Table.blockWidth } }

// Works count in bytes, these kernels in values.

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

/// Loads the first `count` lanes, zeros after them, with one instruction for all.
@inline(__always)
func load(_ pointer: UnsafePointer<Float>, count: Int) -> Vector {
    if count == blockWidth { return load(pointer) }
    #if AVX512
        return thaw_load_first(pointer, count)
    #elseif arch(arm64)
        // By quarters: a call to copy memory would have all vectors saved and restored around it.
        @inline(__always) func quarter(_ first: Int) -> Lanes {
            count > first ? loadLanes(pointer + first, count: min(count - first, laneCount)) : .zero
        }
        return Vector(
            lowHalf: SIMD8(lowHalf: quarter(0), highHalf: quarter(4)),
            highHalf: SIMD8(lowHalf: quarter(8), highHalf: quarter(12)))
    #else
        var vector = Vector.zero
        withUnsafeMutableBytes(of: &vector) { $0.baseAddress!.copyMemory(from: pointer, byteCount: count * 4) }
        return vector
    #endif
}

@inline(__always)
func write(_ vector: Vector, _ pointer: UnsafeMutablePointer<Float>) {
    UnsafeMutableRawPointer(pointer).storeBytes(of: vector, as: Vector.self)
}

/// Stores only the first `count` lanes, with one instruction for all. (If lanes were extracted here one by one, the
/// compiler would also compute the vector lane by lane.)
@inline(__always)
func write(_ vector: Vector, _ pointer: UnsafeMutablePointer<Float>, count: Int) {
    if count == blockWidth { return write(vector, pointer) }
    #if AVX512
        thaw_store_first(pointer, vector, count)
    #elseif arch(arm64)
        @inline(__always) func put(_ lanes: Lanes, _ first: Int) {
            if count > first { writeLanes(lanes, pointer + first, count: min(count - first, laneCount)) }
        }
        put(vector.lowHalf.lowHalf, 0)
        put(vector.lowHalf.highHalf, 4)
        put(vector.highHalf.lowHalf, 8)
        put(vector.highHalf.highHalf, 12)
    #else
        withUnsafeBytes(of: vector) {
            UnsafeMutableRawPointer(pointer).copyMemory(from: $0.baseAddress!, byteCount: count * 4)
        }
    #endif
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
