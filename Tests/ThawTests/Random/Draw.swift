@testable import Thaw

/// Random values that are the same for the same seed (SplitMix64: Steele et al., Fast Splittable Pseudorandom
/// Number Generators, 2014).
struct Draw {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    mutating func int(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    mutating func element<T>(_ elements: [T]) -> T { elements[int(0...elements.count - 1)] }

    /// True with a probability of 1 / `count`.
    mutating func chance(oneIn count: Int) -> Bool { int(1...count) == 1 }

    /// Values between −scale and scale.
    mutating func tensor(_ shape: Shape, scale: Float = 1) -> Tensor {
        tensor(shape) { $0 * scale }
    }

    mutating func tensor(_ shape: Shape, _ function: (Float) -> Float) -> Tensor {
        Tensor(noise(shape.elementCount, seed: next()).map(function), shape: shape)
    }
}
