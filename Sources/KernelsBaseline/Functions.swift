import Kernels

// The functions that need more than an instruction or two. Relative errors stay below 1e-6; the polynomials are
// Chebyshev fits made with NumPy.

/// (eˣ − 1) / x for |x| ≤ 0.35.
@inline(__always)
private func growth(_ x: Vector) -> Vector {
    var y = Vector(repeating: 0.0013942150)
    y = multiplyAdd(Vector(repeating: 0.0083698641), y, x)
    y = multiplyAdd(Vector(repeating: 0.0416663402), y, x)
    y = multiplyAdd(Vector(repeating: 0.1666649874), y, x)
    y = multiplyAdd(Vector(repeating: 0.5000000050), y, x)
    return multiplyAdd(Vector(repeating: 1.0000000114), y, x)
}

/// eˣ = 2ⁿ · eʳ with |r| ≤ ln 2 / 2. Below −86.6 the answer is 0.
@inline(__always)
func exponential(_ x: Vector) -> Vector {
    let clamped = minimum(maximum(x, Vector(repeating: -87)), Vector(repeating: 88.72283))
    // Adding 1.5 · 2²³ leaves the nearest whole number in the low bits.
    let magic = Vector(repeating: 12_582_912)
    let shifted = clamped * 1.442695041 + magic
    let n = shifted - magic
    // ln 2 in two parts, so that r is exact.
    var r = clamped - n * 0.693359375
    r -= n * Vector(repeating: -2.12194440e-4)
    let mantissa = multiplyAdd(Vector(repeating: 1), growth(r), r)
    // 2ⁿ⁻¹, and the last factor of 2 by itself: 2¹²⁸ is no float.
    let bits = (unsafeBitCast(shifted, to: SIMD16<Int32>.self) &+ 126) &<< 23
    let power = unsafeBitCast(bits, to: Vector.self)
    var y = mantissa * power * 2
    y.replace(with: 0, where: x .< -86.6)
    y.replace(with: .infinity, where: x .> 88.72283)
    return y
}

/// eˣ − 1, close to 0 too.
@inline(__always)
func exponentialLessOne(_ x: Vector) -> Vector {
    (exponential(x) - 1).replacing(with: x * growth(x), where: absolute(x) .< 0.34)
}

/// eˣ for |x| ≤ 87, where 2ⁿ can be added to the exponent.
@inline(__always)
private func exponentialWithinRange(_ x: Vector) -> Vector {
    let magic = Vector(repeating: 12_582_912)
    let shifted = multiplyAdd(magic, x, Vector(repeating: 1.442695041))
    let n = shifted - magic
    var r = multiplyAdd(x, n, Vector(repeating: -0.693359375))
    r = multiplyAdd(r, n, Vector(repeating: 2.12194440e-4))
    let mantissa = multiplyAdd(Vector(repeating: 1), growth(r), r)
    let bits =
        unsafeBitCast(mantissa, to: SIMD16<Int32>.self) &+ (unsafeBitCast(shifted, to: SIMD16<Int32>.self) &<< 23)
    return unsafeBitCast(bits, to: Vector.self)
}

/// 1 + e⁻ˣ, what a sigmoid divides by.
@inline(__always)
func sigmoidDivisor(_ x: Vector) -> Vector {
    let clamped = minimum(maximum(x, Vector(repeating: -87)), Vector(repeating: 87))
    return 1 + exponentialWithinRange(Vector.zero - clamped)
}

@inline(__always)
func sigmoid(_ x: Vector) -> Vector {
    (1 / sigmoidDivisor(x)).replacing(with: 0, where: x .< -87)
}

@inline(__always)
func hyperbolicTangent(_ x: Vector) -> Vector {
    let square = x * x
    var y = Vector(repeating: -0.0056647753)
    y = multiplyAdd(Vector(repeating: 0.0205956799), y, square)
    y = multiplyAdd(Vector(repeating: -0.0537226793), y, square)
    y = multiplyAdd(Vector(repeating: 0.1333115014), y, square)
    y = multiplyAdd(Vector(repeating: -0.3333326164), y, square)
    y = multiplyAdd(Vector(repeating: 0.9999999961), y, square)
    let magnitude = absolute(x)
    let far = 1 - 2 / (exponential(magnitude + magnitude) + 1)
    return (x * y).replacing(with: far.replacing(with: -far, where: x .< 0), where: magnitude .>= 0.625)
}

@inline(__always)
func absolute(_ x: Vector) -> Vector {
    unsafeBitCast(unsafeBitCast(x, to: SIMD16<UInt32>.self) & 0x7fff_ffff, to: Vector.self)
}
