import CMachine
import Kernels

// Long functions compute some lanes of a vector at a time: all of them, or on arm64 a quarter. There, 16 floats are
// four of 32 registers, so that functions with more than a few intermediate values would keep them in memory.

#if arch(arm64)
    typealias Lanes = SIMD4<Float>
    typealias WordLanes = SIMD4<Int32>
    typealias BitLanes = SIMD4<UInt32>
#else
    typealias Lanes = Vector
    typealias WordLanes = SIMD16<Int32>
    typealias BitLanes = SIMD16<UInt32>
#endif

/// How many lanes are computed at a time: a divisor of the width of a block.
var laneCount: Int { @inline(__always) get { Lanes.scalarCount } }

/// Calls `body` with the index and the number of lanes for each part of a row: the full ones, then the rest.
///
/// There is one call, which is inlined: two would double the code of long functions. The branches for a rest cost nothing
/// measurable.
@inline(__always)
func forEachLanes(_ width: Int, _ body: (Int, Int) -> Void) {
    var index = 0
    while index < width {
        body(index, min(laneCount, width - index))
        index += laneCount
    }
}

/// How many parts a block has: one, or four quarters.
var partCount: Int { @inline(__always) get { blockWidth / laneCount } }

#if arch(arm64)
    @inline(__always)
    func loadLanes(_ pointer: UnsafePointer<Float>) -> Lanes { UnsafeRawPointer(pointer).loadUnaligned(as: Lanes.self) }

    /// Loads the first `count` lanes, zeros after them.
    @inline(__always)
    func loadLanes(_ pointer: UnsafePointer<Float>, count: Int) -> Lanes {
        if count == laneCount { return loadLanes(pointer) }
        return Lanes(pointer[0], count > 1 ? pointer[1] : 0, count > 2 ? pointer[2] : 0, 0)
    }

    @inline(__always)
    func writeLanes(_ lanes: Lanes, _ pointer: UnsafeMutablePointer<Float>) {
        UnsafeMutableRawPointer(pointer).storeBytes(of: lanes, as: Lanes.self)
    }

    /// Stores only the first `count` lanes.
    @inline(__always)
    func writeLanes(_ lanes: Lanes, _ pointer: UnsafeMutablePointer<Float>, count: Int) {
        if count == laneCount { return writeLanes(lanes, pointer) }
        pointer[0] = lanes[0]
        if count > 1 { pointer[1] = lanes[1] }
        if count > 2 { pointer[2] = lanes[2] }
    }

    #if BFLOAT16
        @inline(__always)
        func loadLanes(_ pointer: UnsafePointer<Value>) -> Lanes {
            thaw_widen_bfloat16_4(UnsafeRawPointer(pointer).loadUnaligned(as: SIMD4<UInt16>.self))
        }
        @inline(__always)
        func writeLanes(_ lanes: Lanes, _ pointer: UnsafeMutablePointer<Value>) {
            UnsafeMutableRawPointer(pointer).storeBytes(of: thaw_round_bfloat16_4(lanes), as: SIMD4<UInt16>.self)
        }
    #endif

    @inline(__always)
    func multiplyAdd(_ sum: Lanes, _ a: Lanes, _ b: Lanes) -> Lanes { thaw_multiply_add4(sum, a, b) }
    @inline(__always) func maximum(_ x: Lanes, _ bound: Lanes) -> Lanes { thaw_maximum4(x, bound) }
    @inline(__always) func minimum(_ x: Lanes, _ bound: Lanes) -> Lanes { thaw_minimum4(x, bound) }

    @inline(__always) func squareRoot(_ x: Lanes) -> Lanes { thaw_square_root4(x) }

    // Functions that are used on whole vectors too.
    @inline(__always) func sum(_ x: Vector, _ y: Vector) -> Vector { x + y }
    @inline(__always) func product(_ x: Vector, _ y: Vector) -> Vector { x * y }
    @inline(__always)
    func larger(_ x: Vector, _ y: Vector) -> Vector { maximum(x, y).replacing(with: y, where: y .!= y) }
    @inline(__always)
    func smaller(_ x: Vector, _ y: Vector) -> Vector { minimum(x, y).replacing(with: y, where: y .!= y) }
    @inline(__always) func squaredDifference(_ x: Vector, _ y: Vector) -> Vector { (x - y) * (x - y) }
    @inline(__always) func identity(_ x: Vector) -> Vector { x }
    @inline(__always) func squared(_ x: Vector) -> Vector { x * x }
    @inline(__always) func squareRoot(_ x: Vector) -> Vector { eachQuarter(x, squareRoot) }

    @inline(__always)
    func eachQuarter(_ x: Vector, _ function: (Lanes) -> Lanes) -> Vector {
        let (low, high) = (x.lowHalf, x.highHalf)
        return Vector(
            lowHalf: SIMD8(lowHalf: function(low.lowHalf), highHalf: function(low.highHalf)),
            highHalf: SIMD8(lowHalf: function(high.lowHalf), highHalf: function(high.highHalf)))
    }
#else
    @inline(__always) func loadLanes(_ pointer: UnsafePointer<Float>) -> Lanes { load(pointer) }
    @inline(__always)
    func loadLanes(_ pointer: UnsafePointer<Float>, count: Int) -> Lanes { load(pointer, count: count) }
    @inline(__always)
    func writeLanes(_ lanes: Lanes, _ pointer: UnsafeMutablePointer<Float>) { write(lanes, pointer) }
    @inline(__always)
    func writeLanes(_ lanes: Lanes, _ pointer: UnsafeMutablePointer<Float>, count: Int) {
        write(lanes, pointer, count: count)
    }
    #if BFLOAT16
        @inline(__always) func loadLanes(_ pointer: UnsafePointer<Value>) -> Lanes { load(pointer) }
        @inline(__always)
        func writeLanes(_ lanes: Lanes, _ pointer: UnsafeMutablePointer<Value>) { write(lanes, pointer) }
    #endif
    @inline(__always) func squareRoot(_ x: Lanes) -> Lanes { x.squareRoot() }
#endif
