import CMachine
import Kernels

/// The lanes of a vector, which are also the channels of a block.
var blockWidth: Int { @inline(__always) get { 16 } }

typealias Words = SIMD16<Int32>
typealias Floats = SIMD16<Float>
typealias Bytes = SIMD16<UInt8>

@inline(__always)
func loadWords(_ pointer: UnsafeRawPointer) -> Words { pointer.loadUnaligned(as: Words.self) }

@inline(__always)
func loadFloats(_ pointer: UnsafeRawPointer) -> Floats { pointer.loadUnaligned(as: Floats.self) }

@inline(__always)
func loadQuantized(_ pointer: UnsafeRawPointer) -> Bytes { pointer.loadUnaligned(as: Bytes.self) }

@inline(__always)
func loadBytes(_ pointer: UnsafeRawPointer) -> SIMD64<UInt8> { pointer.loadUnaligned(as: SIMD64<UInt8>.self) }

/// Stores the first `count` lanes.
@inline(__always)
func write(_ bytes: Bytes, _ pointer: UnsafeMutableRawPointer, count: Int) {
    if count == blockWidth { return pointer.storeBytes(of: bytes, as: Bytes.self) }
    thaw_store_first_bytes(pointer, bytes, count)
}

/// Stores the first `count` lanes.
@inline(__always)
func write(_ floats: Floats, _ pointer: UnsafeMutableRawPointer, count: Int) {
    if count == blockWidth { return pointer.storeBytes(of: floats, as: Floats.self) }
    withUnsafeBytes(of: floats) { pointer.copyMemory(from: $0.baseAddress!, byteCount: 4 * count) }
}

/// `QuantizedRounding` in vectors.
struct VectorRounding {
    private let lower: Floats
    private let upper: Floats
    private let zeroPoint: Words
    /// Whether conversions to smaller integers clamp to these bounds anyway.
    let saturates: Bool

    @inline(__always) init(_ rounding: QuantizedRounding) {
        lower = Floats(repeating: rounding.lower)
        upper = Floats(repeating: rounding.upper)
        zeroPoint = Words(repeating: rounding.zeroPoint)
        saturates = Self.saturates(rounding)
    }

    @inline(__always) static func saturates(_ rounding: QuantizedRounding) -> Bool {
        #if AVX2 || AVX512
            rounding.zeroPoint == 0 && rounding.lower == 0 && rounding.upper == 255 && rounding.bound <= 0x1p31
        #else
            false
        #endif
    }

    /// The value clamped. (A NaN becomes the lower bound.)
    @inline(__always) func clamped(_ value: Floats) -> Floats { thaw_minimum(upper, thaw_maximum(lower, value)) }

    /// The quantized value minus the zero point, as floats.
    @inline(__always) func level(_ value: Floats) -> Floats { thaw_rounded(clamped(value)) }

    /// The quantized value.
    /// - Parameter saturates: May be true only if the property is. A literal: with a branch for each call, both ways would
    ///   take registers.
    @inline(__always) func quantized(_ value: Floats, saturates: Bool = false) -> Bytes {
        #if AVX2
            if saturates { return thaw_saturated_bytes(value) }
            return thaw_rounded_bytes(
                value, upper, Int16(truncatingIfNeeded: zeroPoint[0]), byte(lower), byte(upper))
        #else
            return thaw_low_bytes(thaw_rounded_words(clamped(value)) &+ zeroPoint)
        #endif
    }

    #if AVX512
        /// The quantized values of four vectors, one after the other, in fewer instructions than four separate vectors
        /// take.
        @inline(__always) func quantized(
            _ a: Floats, _ b: Floats, _ c: Floats, _ d: Floats, saturates: Bool = false
        ) -> SIMD64<UInt8> {
            if saturates { return thaw_saturated_bytes(a, b, c, d) }
            return thaw_rounded_bytes(
                a, b, c, d, upper, Int16(truncatingIfNeeded: zeroPoint[0]), byte(lower), byte(upper))
        }
    #endif

    #if AVX2 || AVX512
        /// A bound as a quantized value.
        @inline(__always) private func byte(_ bound: Floats) -> UInt8 {
            UInt8(truncatingIfNeeded: Int32(bound[0]) &+ zeroPoint[0])
        }
    #endif
}

/// `QuantizedAddition` in vectors.
struct VectorAddition {
    private let leftFactor: Floats
    private let rightFactor: Floats
    private let leftZero: Words
    private let rightZero: Words
    let rounding: VectorRounding

    @inline(__always) init(_ addition: QuantizedAddition) {
        leftFactor = Floats(repeating: addition.leftFactor)
        rightFactor = Floats(repeating: addition.rightFactor)
        leftZero = Words(repeating: addition.leftZeroPoint)
        rightZero = Words(repeating: addition.rightZeroPoint)
        rounding = VectorRounding(addition.rounding)
    }

    @inline(__always) func quantized(_ left: Bytes, _ right: Bytes) -> Bytes { quantized(level: level(left), right) }

    @inline(__always) func level(_ left: Bytes) -> Floats { thaw_floats(thaw_words(left) &- leftZero) }

    /// - Parameter level: The left quantized value minus its zero point.
    @inline(__always) func quantized(level: Floats, _ right: Bytes) -> Bytes {
        rounding.quantized(sum(level: level, right))
    }

    /// The sum before it is rounded.
    @inline(__always) func sum(level: Floats, _ right: Bytes) -> Floats {
        let other = thaw_floats(thaw_words(right) &- rightZero)
        return thaw_sum_of_products(level, leftFactor, other, rightFactor)
    }
}

/// `QuantizedMultiplication` in vectors.
struct VectorMultiplication {
    private let factor: Floats
    private let leftZero: Words
    private let rightZero: Words
    let rounding: VectorRounding

    @inline(__always) init(_ multiplication: QuantizedMultiplication) {
        factor = Floats(repeating: multiplication.factor)
        leftZero = Words(repeating: multiplication.leftZeroPoint)
        rightZero = Words(repeating: multiplication.rightZeroPoint)
        rounding = VectorRounding(multiplication.rounding)
    }

    /// The right quantized values minus their zero point, for `product`.
    @inline(__always) func levels(_ right: Bytes) -> Floats { thaw_floats(thaw_words(right) &- rightZero) }

    /// The product before it is rounded. (Products of quantized values are exact as floats.)
    @inline(__always) func product(_ left: Bytes, _ levels: Floats) -> Floats {
        thaw_floats(thaw_words(left) &- leftZero) * levels * factor
    }
}

/// One step: adds the products of a word of quantized values and a word of weights.
@inline(__always)
func addProducts(_ sum: Words, _ values: Words, _ weights: Words) -> Words {
    #if VNNI
        return thaw_add_quads(sum, values, weights)
    #else
        return thaw_add_pairs(sum, values, weights)
    #endif
}

/// One step of a convolution: adds the products of the values that `spread` returns and packed weights.
@inline(__always)
func addProducts(_ sum: Words, _ values: Words, at weights: PackedWeights) -> Words {
    #if COMPLEMENTS
        guard let first = weights.first else {
            return thaw_add_quads_at(sum, values, weights.start, weights.complements)
        }
        return thaw_add_first_quads_at(sum, values, weights.start, weights.complements, first)
    #else
        return addProducts(sum, values, loadWords(weights))
    #endif
}

/// Adds the products of a pair of 16-bit values, the same in each word, and packed 16-bit weights.
@inline(__always)
func addPairs(_ sum: Words, _ pair: Words, at weights: PackedWeights) -> Words {
    #if COMPLEMENTS
        guard let first = weights.first else { return thaw_add_pairs_at(sum, pair, weights.start) }
        return thaw_add_first_pairs_at(sum, pair, weights.start, first)
    #else
        return thaw_add_pairs(sum, pair, loadWords(weights))
    #endif
}

/// The quantized values of a quad that a step of a convolution multiplies.
@inline(__always)
func spread(_ quad: Words, step: Int) -> Words {
    #if DOTPROD
        return quad ^ Words(repeating: Int32(bitPattern: 0x8080_8080))
    #elseif VNNI || COMPLEMENTS
        return quad
    #else
        return step == 0 ? thaw_first_pairs(quad) : thaw_last_pairs(quad)
    #endif
}

/// Quantized values as `addProducts` multiplies them: minus 128, if it multiplies signed bytes.
@inline(__always)
func signed(_ bytes: Bytes) -> Bytes {
    #if DOTPROD
        return bytes ^ Bytes(repeating: 0x80)
    #else
        return bytes
    #endif
}

/// An accumulator that makes up for `signed`: 128 times the weights. (A signed byte is at most 127.)
@inline(__always)
func balanced(_ sum: Words, _ weights: Words) -> Words {
    #if DOTPROD
        let half = Words(repeating: 0x4040_4040)
        return addProducts(addProducts(sum, half, weights), half, weights)
    #else
        return sum
    #endif
}
