import Kernels

// The module-specific part of the shared sources: floats in memory and in registers. A word of input is one value.

typealias Value = Float

@inline(__always) func values(_ bytes: Int) -> Int { floats(bytes) }
@inline(__always) func values(_ memory: UnsafeRawPointer) -> UnsafePointer<Value> { floats(memory) }
@inline(__always) func values(_ memory: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Value> { floats(memory) }

var valuesPerWord: Int { @inline(__always) get { 1 } }

/// The words of `depth` values, and of all steps of a convolution.
@inline(__always) func wordCount(_ depth: Int) -> Int { depth }
@inline(__always) func wordCount(_ steps: ConvolutionSteps) -> Int { steps.count }

/// Adds the products of a word's values and their weights.
@inline(__always)
func addProducts(_ sum: Vector, _ word: Vector, _ weights: Vector) -> Vector { multiplyAdd(sum, word, weights) }
