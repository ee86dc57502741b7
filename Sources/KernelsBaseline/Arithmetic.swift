import CMachine

// These replace Swift's own operations on vectors, which compute lane by lane. Nothing is fused.

extension SIMD16<Float> {
    typealias Mask = SIMDMask<SIMD16<Int32>>

    @inline(__always) static func + (a: Self, b: Self) -> Self { thaw_sum(a, b) }
    @inline(__always) static func - (a: Self, b: Self) -> Self { thaw_difference(a, b) }
    @inline(__always) static func * (a: Self, b: Self) -> Self { thaw_product(a, b) }
    @inline(__always) static func / (a: Self, b: Self) -> Self { thaw_quotient(a, b) }
    @inline(__always) static prefix func - (a: Self) -> Self { thaw_negative(a) }

    @inline(__always) static func += (a: inout Self, b: Self) { a = a + b }
    @inline(__always) static func -= (a: inout Self, b: Self) { a = a - b }
    @inline(__always) static func *= (a: inout Self, b: Self) { a = a * b }

    @inline(__always) static func + (a: Self, b: Float) -> Self { a + Self(repeating: b) }
    @inline(__always) static func + (a: Float, b: Self) -> Self { Self(repeating: a) + b }
    @inline(__always) static func - (a: Self, b: Float) -> Self { a - Self(repeating: b) }
    @inline(__always) static func - (a: Float, b: Self) -> Self { Self(repeating: a) - b }
    @inline(__always) static func * (a: Self, b: Float) -> Self { a * Self(repeating: b) }
    @inline(__always) static func / (a: Float, b: Self) -> Self { Self(repeating: a) / b }

    @inline(__always) func replacing(with other: Self, where mask: Mask) -> Self {
        thaw_select(unsafeBitCast(mask, to: SIMD16<Int32>.self), other, self)
    }
    @inline(__always) func replacing(with other: Float, where mask: Mask) -> Self {
        replacing(with: Self(repeating: other), where: mask)
    }
    @inline(__always) mutating func replace(with other: Self, where mask: Mask) {
        self = replacing(with: other, where: mask)
    }
    @inline(__always) mutating func replace(with other: Float, where mask: Mask) {
        self = replacing(with: other, where: mask)
    }
}
