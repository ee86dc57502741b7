import CMachine
import Kernels

// The module-specific part of the shared sources: bfloat16 values in memory, vectors of floats in registers. A word of
// input is a pair of values, and a word of weights is the pair to multiply it by.

/// The bits of a bfloat16.
typealias Value = UInt16

@inline(__always) func values(_ bytes: Int) -> Int { bytes >> 1 }
@inline(__always)
func values(_ memory: UnsafeRawPointer) -> UnsafePointer<Value> { memory.assumingMemoryBound(to: Value.self) }
@inline(__always)
func values(_ memory: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Value> {
    memory.assumingMemoryBound(to: Value.self)
}

var valuesPerWord: Int { @inline(__always) get { 2 } }

/// The pairs of `depth` values, and of all steps of a convolution.
@inline(__always) func wordCount(_ depth: Int) -> Int { (depth + 1) >> 1 }
@inline(__always)
func wordCount(_ steps: ConvolutionSteps) -> Int {
    (steps.tapCount - steps.shortTaps) * wordCount(steps.depth) + steps.shortTaps * wordCount(steps.shortDepth)
}

/// Adds the products of a pair of values and their weights.
@inline(__always)
func addProducts(_ sum: Vector, _ word: Vector, _ weights: Vector) -> Vector {
    thaw_add_products_bfloat16(sum, word, weights)
}

@inline(__always) func squaredDifference(_ x: Lanes, _ y: Lanes) -> Lanes { (x - y) * (x - y) }
@inline(__always) func identity(_ x: Lanes) -> Lanes { x }

// MARK: Memory

@inline(__always)
func load(_ pointer: UnsafePointer<Value>) -> Vector {
    thaw_widen_bfloat16(UnsafeRawPointer(pointer).loadUnaligned(as: SIMD16<UInt16>.self))
}

/// Stores the nearest values, ties to even.
@inline(__always)
func write(_ vector: Vector, _ pointer: UnsafeMutablePointer<Value>) {
    UnsafeMutableRawPointer(pointer).storeBytes(of: thaw_round_bfloat16(vector), as: SIMD16<UInt16>.self)
}

/// Images are written in whole blocks.
@inline(__always)
func write(_ vector: Vector, _ pointer: UnsafeMutablePointer<Value>, count: Int) { write(vector, pointer) }
