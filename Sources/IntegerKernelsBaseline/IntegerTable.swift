import CMachine
import Kernels

/// The 8-bit integer kernels as compiled for this module's instruction set. Call them only if the machine has the
/// instructions. Each is in the file of its family.
///
/// With VNNI, a word of packed weights is a quad of bytes: the weights of four adjacent inputs for one output channel.
/// Without, a quad takes two steps, and a word is a pair of 16-bit weights.
///
/// With AMX, only convolutions differ from those with VNNI: `TileProduct.swift`.
///
/// arm64's dotprod (DOTPROD, with VNNI's form of the weights) multiplies signed bytes: 128 is subtracted from the input, and
/// sums start with 128 times the weights. Its i8mm (MATRICES) multiplies unsigned bytes, as VNNI does, for two pixels at a
/// time (`MatrixTile`).
public enum Int8Kernels: IntegerKernels {
    #if AMX
        public static var groupBlocks: Int { @inline(__always) get { 2 } }
        public static var tilePixels: Int { @inline(__always) get { 32 } }
    #elseif AVX512
        public static var groupBlocks: Int { @inline(__always) get { 4 } }
        // With 14 pixels, too few registers remain for their offsets, unless they are adjacent (`AdjacentPixels`).
        public static var tilePixels: Int { @inline(__always) get { 12 } }
    #elseif DOTPROD
        // Twenty accumulators, four quads of each pixel and the weights: six pixels would not stay in 32 registers.
        public static var groupBlocks: Int { @inline(__always) get { 1 } }
        public static var tilePixels: Int { @inline(__always) get { 5 } }
    #elseif MATRICES
        // Twenty-four sums, three pairs of pixels and four vectors of weights.
        public static var groupBlocks: Int { @inline(__always) get { 1 } }
        public static var tilePixels: Int { @inline(__always) get { 6 } }
    #elseif VNNI
        public static var groupBlocks: Int { @inline(__always) get { 1 } }
        public static var tilePixels: Int { @inline(__always) get { 6 } }
    #elseif AVX2
        public static var groupBlocks: Int { @inline(__always) get { 2 } }
        public static var tilePixels: Int { @inline(__always) get { 4 } }
    #elseif arch(arm64)
        public static var groupBlocks: Int { @inline(__always) get { 1 } }
        public static var tilePixels: Int { @inline(__always) get { 3 } }
    #else
        public static var groupBlocks: Int { @inline(__always) get { 1 } }
        public static var tilePixels: Int { @inline(__always) get { 2 } }
    #endif

    /// The steps of a quad.
    static var halves: Int {
        @inline(__always) get {
            #if VNNI
                1
            #else
                2
            #endif
        }
    }

    /// The bytes of a quad's packed weights for one block of output channels.
    static var quadBytes: Int { @inline(__always) get { 64 * halves } }

    #if !AMX
        public static func packedBytes(_ steps: IntegerSteps) -> Int { quadBytes * steps.count }
        public static func scratchBytes(_: IntegerSteps) -> Int { 0 }
    #endif
}

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
    #if AVX512
        private let lowest: UInt8
        private let highest: UInt8
    #endif
    /// Whether clamping is what conversions to smaller integers do anyway.
    let saturates: Bool

    @inline(__always) init(_ rounding: QuantizedRounding) {
        lower = Floats(repeating: rounding.lower)
        upper = Floats(repeating: rounding.upper)
        zeroPoint = Words(repeating: rounding.zeroPoint)
        #if AVX512
            lowest = UInt8(truncatingIfNeeded: Int32(rounding.lower) &+ rounding.zeroPoint)
            highest = UInt8(truncatingIfNeeded: Int32(rounding.upper) &+ rounding.zeroPoint)
            saturates =
                rounding.zeroPoint == 0 && rounding.lower == 0 && rounding.upper == 255 && rounding.bound <= 0x1p31
        #else
            saturates = false
        #endif
    }

    /// The value clamped. (A NaN becomes the lower bound.)
    @inline(__always) func clamped(_ value: Floats) -> Floats { thaw_minimum(upper, thaw_maximum(lower, value)) }

    /// The quantized value minus the zero point, as floats.
    @inline(__always) func level(_ value: Floats) -> Floats { thaw_rounded(clamped(value)) }

    /// The quantized value.
    @inline(__always) func quantized(_ value: Floats) -> Bytes {
        thaw_low_bytes(thaw_rounded_words(clamped(value)) &+ zeroPoint)
    }

    #if AVX512
        /// The quantized values of four vectors, one after the other, in fewer instructions than four separate vectors
        /// take.
        /// - Parameter saturates: May be true only if the property is. A literal: with a branch for each call, both ways
        ///   would take registers.
        @inline(__always) func quantized(
            _ a: Floats, _ b: Floats, _ c: Floats, _ d: Floats, saturates: Bool = false
        ) -> SIMD64<UInt8> {
            saturates
                ? thaw_saturated_bytes(a, b, c, d)
                : thaw_rounded_bytes(
                    a, b, c, d, upper, Int16(truncatingIfNeeded: zeroPoint[0]), lowest, highest)
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

extension Int8Kernels {
    /// Independent accumulators, enough to hide the latency of an addition.
    public static func peak(_ rounds: Int) -> Int {
        #if AMX
            if hasTiles { return tilePeak(rounds) }
        #endif
        var sums = (Words.zero, Words.zero, Words.zero, Words.zero, Words.zero, Words.zero)
        #if AVX512
            var more = sums
        #endif
        var a = Words(repeating: Int32(truncatingIfNeeded: rounds) & 0x7f7f)
        let b = Words(repeating: 0x0102_0304)
        for _ in 0..<rounds {
            // Otherwise the products would be computed only once. Several of each, as this addition takes time, too.
            a = a &+ b
            for _ in 0..<4 {
                sums.0 = addProducts(sums.0, a, b)
                sums.1 = addProducts(sums.1, a, b)
                sums.2 = addProducts(sums.2, a, b)
                sums.3 = addProducts(sums.3, a, b)
                sums.4 = addProducts(sums.4, a, b)
                sums.5 = addProducts(sums.5, a, b)
                #if AVX512
                    more.0 = addProducts(more.0, a, b)
                    more.1 = addProducts(more.1, a, b)
                    more.2 = addProducts(more.2, a, b)
                    more.3 = addProducts(more.3, a, b)
                    more.4 = addProducts(more.4, a, b)
                    more.5 = addProducts(more.5, a, b)
                #endif
            }
        }
        var all = sums.0 &+ sums.1 &+ sums.2 &+ sums.3 &+ sums.4 &+ sums.5
        var accumulators = 6
        #if AVX512
            all = all &+ more.0 &+ more.1 &+ more.2 &+ more.3 &+ more.4 &+ more.5
            accumulators = 12
        #endif
        // The accumulators must be used, or nothing would be computed.
        var total: Int32 = 0
        for lane in 0..<blockWidth { total &+= all[lane] }
        return total == -1 ? 0 : 4 * 2 * 4 / halves * blockWidth * accumulators * rounds
    }
}

/// One step: adds the products of a word of quantized values, in the form that `spread` returns, and a word of weights.
@inline(__always)
func addProducts(_ sum: Words, _ values: Words, _ weights: Words) -> Words {
    #if VNNI
        return thaw_add_quads(sum, values, weights)
    #else
        return thaw_add_pairs(sum, values, weights)
    #endif
}

/// The quantized values of a quad that a step multiplies.
@inline(__always)
func spread(_ quad: Words, half: Int) -> Words {
    #if DOTPROD
        return quad ^ Words(repeating: Int32(bitPattern: 0x8080_8080))
    #elseif VNNI
        return quad
    #else
        return half == 0 ? thaw_first_pairs(quad) : thaw_last_pairs(quad)
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
