/// The value of an IEEE half-precision bit pattern.
func float(fromHalf bits: UInt16) -> Float {
    let sign = UInt32(bits & 0x8000) << 16
    let exponent = UInt32(bits >> 10) & 0x1F
    let fraction = UInt32(bits & 0x3FF)
    if exponent == 0x1F { return Float(bitPattern: sign | 0x7F80_0000 | fraction << 13) }
    if exponent > 0 { return Float(bitPattern: sign | (exponent + 112) << 23 | fraction << 13) }
    let magnitude = Float(fraction) * 0x1p-24
    return sign == 0 ? magnitude : -magnitude
}

extension Float {
    /// The largest finite half-precision value.
    static let largestHalf: Float = 65504

    /// Whether half precision represents the number exactly.
    var isHalf: Bool { float(fromHalf: half(from: self)) == self }

    /// The lowest half-precision value that is not below this number, which is positive.
    var roundedUpToHalf: Float {
        let bits = half(from: self)
        return float(fromHalf: float(fromHalf: bits) < self ? bits + 1 : bits)
    }
}

/// The bit pattern of the half-precision value nearest to `value`, ties to even.
func half(from value: Float) -> UInt16 {
    let bits = value.bitPattern
    let sign = UInt16(truncatingIfNeeded: bits >> 16) & 0x8000
    let magnitude = bits & 0x7FFF_FFFF
    if magnitude > 0x7F80_0000 { return sign | 0x7E00 }
    if magnitude >= 0x4780_0000 { return sign | 0x7C00 }
    if magnitude < 0x3880_0000 {
        return sign | UInt16((abs(value) * 0x1p24).rounded(.toNearestOrEven))
    }
    let rounded = magnitude &+ 0xFFF &+ (magnitude >> 13 & 1)
    return sign | UInt16(truncatingIfNeeded: (rounded &- 0x3800_0000) >> 13)
}
