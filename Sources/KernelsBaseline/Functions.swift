import CMachine
import Kernels

// The functions that need more than an instruction or two. Relative errors stay below 1e-6, except for powers and the
// complementary error function (below 1e-5), and for differences of nearby values. The polynomials are Chebyshev fits
// made with NumPy.

// MARK: Named single instructions

@inline(__always) func sum(_ x: Lanes, _ y: Lanes) -> Lanes { x + y }
@inline(__always) func difference(_ x: Lanes, _ y: Lanes) -> Lanes { x - y }
@inline(__always) func product(_ x: Lanes, _ y: Lanes) -> Lanes { x * y }
@inline(__always) func quotient(_ x: Lanes, _ y: Lanes) -> Lanes { x / y }
@inline(__always) func squaredDifference(_ x: Lanes, _ y: Lanes) -> Lanes { (x - y) * (x - y) }
@inline(__always) func identity(_ x: Lanes) -> Lanes { x }
@inline(__always) func squared(_ x: Lanes) -> Lanes { x * x }
/// The larger of each pair; NaN if one of the two is.
@inline(__always)
func larger(_ x: Lanes, _ y: Lanes) -> Lanes { maximum(x, y).replacing(with: y, where: y .!= y) }
/// The smaller of each pair; NaN if one of the two is.
@inline(__always)
func smaller(_ x: Lanes, _ y: Lanes) -> Lanes { minimum(x, y).replacing(with: y, where: y .!= y) }
@inline(__always) func reciprocal(_ x: Lanes) -> Lanes { 1 / x }
@inline(__always) func reciprocalSquareRoot(_ x: Lanes) -> Lanes { 1 / squareRoot(x) }

// MARK: Exponentials

/// (eˣ − 1) / x for |x| ≤ 0.35.
@inline(__always)
private func growth(_ x: Lanes) -> Lanes {
    var y = Lanes(repeating: 0.0013942150)
    y = multiplyAdd(Lanes(repeating: 0.0083698641), y, x)
    y = multiplyAdd(Lanes(repeating: 0.0416663402), y, x)
    y = multiplyAdd(Lanes(repeating: 0.1666649874), y, x)
    y = multiplyAdd(Lanes(repeating: 0.5000000050), y, x)
    return multiplyAdd(Lanes(repeating: 1.0000000114), y, x)
}

/// eˣ = 2ⁿ · eʳ with |r| ≤ ln 2 / 2. Below −86.6 the result is 0.
@inline(__always)
func exponential(_ x: Lanes) -> Lanes {
    let clamped = minimum(maximum(x, Lanes(repeating: -87)), Lanes(repeating: 88.72283))
    // Adding 1.5 · 2²³ leaves the nearest integer in the low bits.
    let magic = Lanes(repeating: 12_582_912)
    let shifted = clamped * 1.442695041 + magic
    let n = shifted - magic
    // ln 2 is split into two parts, so that r is exact.
    var r = clamped - n * 0.693359375
    r -= n * Lanes(repeating: -2.12194440e-4)
    let mantissa = multiplyAdd(Lanes(repeating: 1), growth(r), r)
    // 2ⁿ⁻¹, and the last factor of 2 separately: 2¹²⁸ is not a float.
    let bits = (unsafeBitCast(shifted, to: WordLanes.self) &+ 126) &<< 23
    let power = unsafeBitCast(bits, to: Lanes.self)
    var y = mantissa * power * 2
    y.replace(with: 0, where: x .< -86.6)
    y.replace(with: .infinity, where: x .> 88.72283)
    return y
}

/// eˣ for x ≤ 0, which needs fewer instructions. Below −86.6 the result is 0.
@inline(__always)
func exponentialOfNegative(_ x: Lanes) -> Lanes {
    let clamped = maximum(x, Lanes(repeating: -87))
    // Adding 1.5 · 2²³ leaves the nearest integer in the low bits.
    let magic = Lanes(repeating: 12_582_912)
    let shifted = multiplyAdd(magic, clamped, Lanes(repeating: 1.442695041))
    let n = shifted - magic
    var r = multiplyAdd(clamped, n, Lanes(repeating: -0.693359375))
    r = multiplyAdd(r, n, Lanes(repeating: 2.12194440e-4))
    let mantissa = multiplyAdd(Lanes(repeating: 1), growth(r), r)
    let bits = (unsafeBitCast(shifted, to: WordLanes.self) &+ 127) &<< 23
    return (mantissa * unsafeBitCast(bits, to: Lanes.self)).replacing(with: 0, where: x .< -86.6)
}

/// eˣ − 1, accurate near 0.
@inline(__always)
func exponentialMinusOne(_ x: Lanes) -> Lanes {
    (exponential(x) - 1).replacing(with: x * growth(x), where: absolute(x) .< 0.34)
}

/// 2ˣ for |x| ≤ ½.
@inline(__always)
private func smallPowerOfTwo(_ x: Lanes) -> Lanes {
    var y = Lanes(repeating: 0.00133813021)
    y = multiplyAdd(Lanes(repeating: 0.00966636837), y, x)
    y = multiplyAdd(Lanes(repeating: 0.0555038117), y, x)
    y = multiplyAdd(Lanes(repeating: 0.240223497), y, x)
    y = multiplyAdd(Lanes(repeating: 0.693147182), y, x)
    return multiplyAdd(Lanes(repeating: 1), y, x)
}

/// x · sigmoid(alpha · x) = x / (1 + 2ⁿ · 2ʳ) with |r| ≤ ½ and −126 ≤ n ≤ 128. Below that, the power is negligible; 2¹²⁸ is
/// infinite, and the result 0, or NaN if x is infinite.
@inline(__always)
func swish(_ x: Lanes, _ alpha: Lanes) -> Lanes {
    let factor = alpha * -1.442695041
    let (first, last) = (-126 / factor, 128 / factor)
    let clamped = minimum(maximum(x, minimum(first, last)), maximum(first, last))
    // Adding 1.5 · 2²³ leaves n in the low bits, and 127 makes it the exponent of 2ⁿ.
    let magic = Lanes(repeating: 12_582_912 + 127)
    let shifted = multiplyAdd(magic, clamped, factor)
    let power = unsafeBitCast(unsafeBitCast(shifted, to: WordLanes.self) &<< 23, to: Lanes.self)
    let r = multiplyAdd(magic - shifted, clamped, factor)
    return x / multiplyAdd(Lanes(repeating: 1), smallPowerOfTwo(r), power)
}

@inline(__always)
func sigmoid(_ x: Lanes) -> Lanes {
    1 / (1 + exponential(-x))
}

@inline(__always)
func hyperbolicTangent(_ x: Lanes) -> Lanes {
    let square = x * x
    var y = Lanes(repeating: -0.0056647753)
    y = multiplyAdd(Lanes(repeating: 0.0205956799), y, square)
    y = multiplyAdd(Lanes(repeating: -0.0537226793), y, square)
    y = multiplyAdd(Lanes(repeating: 0.1333115014), y, square)
    y = multiplyAdd(Lanes(repeating: -0.3333326164), y, square)
    y = multiplyAdd(Lanes(repeating: 0.9999999961), y, square)
    let magnitude = absolute(x)
    let far = 1 - 2 / (exponential(magnitude + magnitude) + 1)
    return (x * y).replacing(with: far.replacing(with: -far, where: x .< 0), where: magnitude .>= 0.625)
}

@inline(__always)
func sign(_ x: Lanes) -> Lanes {
    x.replacing(with: Lanes(repeating: 1), where: x .> 0).replacing(with: Lanes(repeating: -1), where: x .< 0)
}

@inline(__always)
func absolute(_ x: Lanes) -> Lanes {
    unsafeBitCast(unsafeBitCast(x, to: BitLanes.self) & 0x7fff_ffff, to: Lanes.self)
}

// MARK: Logarithms and powers

/// For 2ⁿ · m with m between √½ and √2: n · log 2 + log m.
@inline(__always)
func logarithm(_ x: Lanes) -> Lanes {
    // Subnormal values are scaled up first.
    let isSmall = x .< Lanes(repeating: Float.leastNormalMagnitude)
    let normal = x.replacing(with: x * 33_554_432, where: isSmall)
    let bits = unsafeBitCast(normal, to: WordLanes.self)
    // Subtracting the bits of √½ leaves the exponent in the upper bits.
    let shifted = bits &- 0x3f35_04f3
    let exponent = shifted &>> 23
    let t = unsafeBitCast((shifted & 0x7f_ffff) &+ 0x3f35_04f3, to: Lanes.self) - 1
    // Converts the integer to a float: adds it to 1.5 · 2²³ and subtracts that.
    var n = unsafeBitCast(exponent &+ 0x4b40_0000, to: Lanes.self) - 12_582_912
    n.replace(with: n - 25, where: isSmall)
    var y = Lanes(repeating: 0.0686234257)
    y = multiplyAdd(Lanes(repeating: -0.114214975), y, t)
    y = multiplyAdd(Lanes(repeating: 0.116990745), y, t)
    y = multiplyAdd(Lanes(repeating: -0.124349246), y, t)
    y = multiplyAdd(Lanes(repeating: 0.142486559), y, t)
    y = multiplyAdd(Lanes(repeating: -0.166673782), y, t)
    y = multiplyAdd(Lanes(repeating: 0.200007161), y, t)
    y = multiplyAdd(Lanes(repeating: -0.250000019), y, t)
    y = multiplyAdd(Lanes(repeating: 0.333333312), y, t)
    let square = t * t
    let tail = multiplyAdd(n * -2.12194440e-4, y * square, t) - square * 0.5
    var result = n * 0.693359375 + (t + tail)
    result.replace(with: x, where: x .== .infinity)
    result.replace(with: -.infinity, where: x .== 0)
    result.replace(with: .nan, where: .!(x .>= 0))
    return result
}

/// log(1 + x), corrected for the rounding error of 1 + x.
@inline(__always)
func logarithmOfOnePlus(_ x: Lanes) -> Lanes {
    let sum = 1 + x
    let lost = ((sum - 1) - x) / sum
    return (logarithm(sum) - lost).replacing(with: logarithm(sum), where: .!(absolute(lost) .< 1))
}

/// xʸ. If x is negative, y must be an integer.
@inline(__always)
func power(_ x: Lanes, _ y: Lanes) -> Lanes {
    let magnitude = exponential(y * logarithm(absolute(x)))
    let isInteger = rounded(y) .== y
    let isEven = rounded(y * 0.5) .== y * 0.5
    let ofNegative = (-magnitude).replacing(with: magnitude, where: isEven).replacing(with: .nan, where: .!isInteger)
    // 1 to any power is 1, even if y is infinite or NaN.
    return magnitude.replacing(with: ofNegative, where: x .< 0).replacing(with: 1, where: y .== 0)
        .replacing(with: 1, where: x .== 1)
}

// MARK: Rounding

/// To the nearest integer, ties to even. From 2²³ on, all floats are integers.
@inline(__always)
func rounded(_ x: Lanes) -> Lanes {
    let magnitude = absolute(x)
    let whole = (magnitude + 8_388_608) - 8_388_608
    return x.replacing(with: whole.replacing(with: -whole, where: x .< 0), where: magnitude .< 8_388_608)
}

@inline(__always)
func roundedUp(_ x: Lanes) -> Lanes { -roundedDown(-x) }

@inline(__always)
func roundedDown(_ x: Lanes) -> Lanes {
    let nearest = rounded(x)
    return nearest.replacing(with: nearest - 1, where: nearest .> x)
}

// MARK: The error function, and activations

/// 1 − erf x: e^(−x²) times a polynomial in 1 / (1 + |x| / 2).
@inline(__always)
func complementaryErrorFunction(_ x: Lanes) -> Lanes {
    let magnitude = minimum(absolute(x), Lanes(repeating: 10.2))
    let t = 1 / (1 + magnitude * 0.5)
    var y = Lanes(repeating: 0.0129315483)
    y = multiplyAdd(Lanes(repeating: -0.12639498), y, t)
    y = multiplyAdd(Lanes(repeating: 0.435397487), y, t)
    y = multiplyAdd(Lanes(repeating: -0.677403537), y, t)
    y = multiplyAdd(Lanes(repeating: 0.426370466), y, t)
    y = multiplyAdd(Lanes(repeating: -0.10050053), y, t)
    y = multiplyAdd(Lanes(repeating: 0.226112457), y, t)
    y = multiplyAdd(Lanes(repeating: 0.238559381), y, t)
    y = multiplyAdd(Lanes(repeating: 0.282863341), y, t)
    y = multiplyAdd(Lanes(repeating: 0.28206435), y, t)
    let above = y * t * exponential(-magnitude * magnitude)
    return above.replacing(with: 2 - above, where: x .< 0).replacing(with: x, where: x .!= x)
}

@inline(__always)
func errorFunction(_ x: Lanes) -> Lanes {
    let square = x * x
    var y = Lanes(repeating: -0.00056253957)
    y = multiplyAdd(Lanes(repeating: 0.00491602339), y, square)
    y = multiplyAdd(Lanes(repeating: -0.0267099495), y, square)
    y = multiplyAdd(Lanes(repeating: 0.112801303), y, square)
    y = multiplyAdd(Lanes(repeating: -0.376123197), y, square)
    y = multiplyAdd(Lanes(repeating: 1.12837912), y, square)
    return (1 - complementaryErrorFunction(x)).replacing(with: x * y, where: absolute(x) .< 1)
}

@inline(__always)
func softsign(_ x: Lanes) -> Lanes { x / (1 + absolute(x)) }

@inline(__always)
func softplus(_ x: Lanes) -> Lanes {
    maximum(x, .zero) + logarithmOfOnePlus(exponential(-absolute(x)))
}

/// With w = eˣ, tanh(log(1 + w)) = (w² + 2w) / (w² + 2w + 2). For x ≥ 20 that is 1.
@inline(__always)
func mish(_ x: Lanes) -> Lanes {
    let w = exponential(minimum(x, Lanes(repeating: 20)))
    let n = w * (w + 2)
    return x * (n / (n + 2))
}

/// max(x, 0) − |x| · P(|x|), where P(a) = (1 − erf(a / √2)) / 2 is a polynomial in the distance of a from the middle of
/// 0…5.5. Beyond that, the product is less than 1e-6.
@inline(__always)
func gelu(_ x: Lanes) -> Lanes {
    let magnitude = minimum(absolute(x), Lanes(repeating: 5.5))
    let t = multiplyAdd(Lanes(repeating: -1), magnitude, Lanes(repeating: 2 / 5.5))
    var y = Lanes(repeating: 0.000607859052)
    y = multiplyAdd(Lanes(repeating: -0.00692431256), y, t)
    y = multiplyAdd(Lanes(repeating: 0.00415107608), y, t)
    y = multiplyAdd(Lanes(repeating: 0.0342553519), y, t)
    y = multiplyAdd(Lanes(repeating: -0.0433563665), y, t)
    y = multiplyAdd(Lanes(repeating: -0.0540192127), y, t)
    y = multiplyAdd(Lanes(repeating: 0.134331033), y, t)
    y = multiplyAdd(Lanes(repeating: -0.0319980048), y, t)
    y = multiplyAdd(Lanes(repeating: -0.164064214), y, t)
    y = multiplyAdd(Lanes(repeating: 0.217544153), y, t)
    y = multiplyAdd(Lanes(repeating: -0.0510475114), y, t)
    y = multiplyAdd(Lanes(repeating: -0.177034229), y, t)
    y = multiplyAdd(Lanes(repeating: 0.271837741), y, t)
    y = multiplyAdd(Lanes(repeating: -0.206815809), y, t)
    y = multiplyAdd(Lanes(repeating: 0.0945606455), y, t)
    y = multiplyAdd(Lanes(repeating: -0.025007952), y, t)
    y = multiplyAdd(Lanes(repeating: 0.00297975237), y, t)
    return multiplyAdd(maximum(x, .zero), -magnitude, y)
}

@inline(__always)
func geluByTanh(_ x: Lanes) -> Lanes {
    let inner = (x + x * x * x * 0.044715) * 0.797884561
    return x * 0.5 * (1 + hyperbolicTangent(inner))
}

// MARK: Half precision

/// The nearest half-precision value, ties to even.
@inline(__always)
func nearestHalf(_ x: Lanes) -> Lanes {
    #if AVX512
        return thaw_nearest_half(x)
    #else
        // The last digit is the 13th bit, and at least 2⁻²⁴.
        let bits = unsafeBitCast(x, to: BitLanes.self)
        let rounded = (bits &+ 0xFFF &+ ((bits &>> 13) & 1)) & 0xFFFF_E000
        var y = unsafeBitCast(rounded & 0x7FFF_FFFF, to: Lanes.self)
        let magnitude = absolute(x)
        // The last digit of a value between 0.5 and 1 is 2⁻²⁴.
        y.replace(with: (magnitude + 0.5) - 0.5, where: magnitude .< 0x1p-14)
        y.replace(with: .infinity, where: magnitude .>= 65520)
        let sign = bits & 0x8000_0000
        return unsafeBitCast(unsafeBitCast(y, to: BitLanes.self) | sign, to: Lanes.self)
            .replacing(with: x, where: x .!= x)
    #endif
}

// MARK: Whole vectors

#if arch(arm64)
    @inline(__always) func exponential(_ x: Vector) -> Vector { eachQuarter(x, exponential) }
    @inline(__always) func logarithm(_ x: Vector) -> Vector { eachQuarter(x, logarithm) }
#endif
