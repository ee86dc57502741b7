import Kernels

/// The transforms of one line of a Winograd convolution, defined by the points at which polynomials are multiplied: 0,
/// pairs ±a, and infinity. The order is 0, +a, −a, +b, −b, …, ∞.
///
/// Of the magnitudes that floats represent exactly, these are the ones with which single precision loses the least.
protocol WinogradLine {
    static var pairs: Int { get }
    static var points: Int { get }
    static func magnitude(_ pair: Int) -> Float
    /// Transforms `2 · pairs + 2` inputs. (Bᵀ; row by row, the polynomial that is zero at all other points.)
    static func transform(_ x: (Int) -> Lanes, _ put: (Int, Lanes) -> Void)
    /// Computes `outputs` outputs from the products. (Aᵀ; row i holds the i-th powers of the points.)
    static func transformBack(_ outputs: Int, _ x: (Int) -> Lanes, _ put: (Int, Lanes) -> Void)
    /// Gᵀ: the coefficient of the filter's tap `tap` at `point`.
    static func filterFactor(_ point: Int, tap: Int, window: Int) -> Float
    /// Transforms a line of a filter.
    static func transformFilter<Count>(_ taps: WinogradTaps<Count>, _ put: (Int, Lanes) -> Void)
}

/// The number of taps of a filter along one axis, as a type: generic code becomes a loop-free kernel for each number.
protocol WinogradTapCount {
    static var count: Int { get }
}

enum OneTap: WinogradTapCount { static var count: Int { 1 } }
enum ThreeTaps: WinogradTapCount { static var count: Int { 3 } }
enum FiveTaps: WinogradTapCount { static var count: Int { 5 } }
enum SevenTaps: WinogradTapCount { static var count: Int { 7 } }

/// A vector for each tap of a line, or its coefficients, in registers.
struct WinogradTaps<Count: WinogradTapCount> {
    private var (a, b, c, d, e, f, g) = (
        Lanes.zero, Lanes.zero, Lanes.zero, Lanes.zero, Lanes.zero, Lanes.zero, Lanes.zero
    )

    @inline(__always) init(_ tap: (Int) -> Lanes) {
        a = tap(0)
        if Count.count > 1 { b = tap(1) }
        if Count.count > 2 { c = tap(2) }
        if Count.count > 3 { d = tap(3) }
        if Count.count > 4 { e = tap(4) }
        if Count.count > 5 { f = tap(5) }
        if Count.count > 6 { g = tap(6) }
    }

    @inline(__always) var first: Lanes { a }
    @inline(__always) var last: Lanes { Count.count == 1 ? a : Count.count == 3 ? c : Count.count == 5 ? e : g }

    /// Σ of all taps times their coefficients.
    @inline(__always) func sum(_ factor: (Int) -> Lanes) -> Lanes {
        let even = evenSum(factor)
        return Count.count > 1 ? even + oddSum(factor) : even
    }

    /// The same for the taps 0, 2, 4, 6.
    @inline(__always) func evenSum(_ factor: (Int) -> Lanes) -> Lanes {
        var sum = a * factor(0)
        if Count.count > 2 { sum = multiplyAdd(sum, c, factor(2)) }
        if Count.count > 4 { sum = multiplyAdd(sum, e, factor(4)) }
        if Count.count > 6 { sum = multiplyAdd(sum, g, factor(6)) }
        return sum
    }

    /// The same for the taps 1, 3, 5.
    @inline(__always) func oddSum(_ factor: (Int) -> Lanes) -> Lanes {
        var sum = b * factor(1)
        if Count.count > 3 { sum = multiplyAdd(sum, d, factor(3)) }
        if Count.count > 5 { sum = multiplyAdd(sum, f, factor(5)) }
        return sum
    }
}

extension WinogradLine {
    static var points: Int { 2 * pairs + 2 }

    @inline(__always) static func filterFactor(_ point: Int, tap: Int, window: Int) -> Float {
        guard point < points - 1 else { return tap == window - 1 ? 1 : 0 }
        let value = point == 0 ? 0 : magnitude((point - 1) / 2) * (point % 2 == 1 ? 1 : -1)
        // The product of the distances to all other finite points.
        var distance: Float = point == 0 ? 1 : value
        for pair in 0..<pairs {
            let other = magnitude(pair)
            distance *= value == other || value == -other ? 2 * value : value * value - other * other
        }
        var power: Float = 1
        for _ in 0..<tap { power *= value }
        return power / distance
    }

    @inline(__always)
    static func transformFilter<Count>(_ taps: WinogradTaps<Count>, _ put: (Int, Lanes) -> Void) {
        put(0, taps.first * Lanes(repeating: filterFactor(0, tap: 0, window: Count.count)))
        if pairs > 0 { transformFilter(taps, pair: 0, put) }
        if pairs > 1 { transformFilter(taps, pair: 1, put) }
        if pairs > 2 { transformFilter(taps, pair: 2, put) }
        put(points - 1, taps.last)
    }

    /// At +a and −a, even taps have the same coefficients and odd taps opposite ones.
    @inline(__always)
    private static func transformFilter<Count>(
        _ taps: WinogradTaps<Count>, pair: Int, _ put: (Int, Lanes) -> Void
    ) {
        let point = 1 + 2 * pair
        func factor(_ tap: Int) -> Lanes { Lanes(repeating: filterFactor(point, tap: tap, window: Count.count)) }
        let (even, odd) = (taps.evenSum(factor), taps.oddSum(factor))
        put(point, even + odd)
        put(point + 1, even - odd)
    }
}

/// A line of a single value, which is not transformed.
enum OnePoint: WinogradLine {
    static var pairs: Int { 0 }
    static var points: Int { 1 }
    static func magnitude(_ pair: Int) -> Float { 0 }
    static func filterFactor(_ point: Int, tap: Int, window: Int) -> Float { 1 }
    @inline(__always)
    static func transformFilter<Count>(_ taps: WinogradTaps<Count>, _ put: (Int, Lanes) -> Void) { put(0, taps.first) }
    @inline(__always) static func transform(_ x: (Int) -> Lanes, _ put: (Int, Lanes) -> Void) { put(0, x(0)) }
    @inline(__always)
    static func transformBack(_ outputs: Int, _ x: (Int) -> Lanes, _ put: (Int, Lanes) -> Void) { put(0, x(0)) }
}

enum FourPoints: WinogradLine {
    static var pairs: Int { 1 }
    @inline(__always) static func magnitude(_ pair: Int) -> Float { 1 }

    @inline(__always) static func transform(_ x: (Int) -> Lanes, _ put: (Int, Lanes) -> Void) {
        put(0, x(2) - x(0))
        put(1, x(2) + x(1))
        put(2, x(2) - x(1))
        put(3, x(3) - x(1))
    }

    @inline(__always)
    static func transformBack(_ outputs: Int, _ x: (Int) -> Lanes, _ put: (Int, Lanes) -> Void) {
        let (a, b) = (x(1), x(2))
        put(0, x(0) + (a + b))
        put(1, (a - b) + x(3))
    }
}

enum SixPoints: WinogradLine {
    static var pairs: Int { 2 }
    @inline(__always) static func magnitude(_ pair: Int) -> Float { pair == 0 ? 0.75 : 1.5 }

    @inline(__always) static func transform(_ x: (Int) -> Lanes, _ put: (Int, Lanes) -> Void) {
        let (a, b) = (magnitude(0), magnitude(1))
        put(0, polynomial(x, 0, a * a, b * b))
        putPair(put, 1, polynomial(x, 2, b * b), polynomial(x, 1, b * b), a)
        putPair(put, 3, polynomial(x, 2, a * a), polynomial(x, 1, a * a), b)
        put(5, polynomial(x, 1, a * a, b * b))
    }

    @inline(__always)
    static func transformBack(_ outputs: Int, _ x: (Int) -> Lanes, _ put: (Int, Lanes) -> Void) {
        let (a, b) = (EvenAndOdd(x(1), x(2)), EvenAndOdd(x(3), x(4)))
        for i in 0..<outputs {
            var y = a.times(magnitude(0), i, plus: b.times(magnitude(1), i))
            if i == 0 { y += x(0) }
            if i == outputs - 1 { y += x(5) }
            put(i, y)
        }
    }
}

enum EightPoints: WinogradLine {
    static var pairs: Int { 3 }
    @inline(__always) static func magnitude(_ pair: Int) -> Float { pair == 0 ? 0.5 : pair == 1 ? 1 : 2 }

    @inline(__always) static func transform(_ x: (Int) -> Lanes, _ put: (Int, Lanes) -> Void) {
        let (a, b, c) = (magnitude(0), magnitude(1), magnitude(2))
        put(0, polynomial(x, 0, a * a, b * b, c * c))
        putPair(put, 1, polynomial(x, 2, b * b, c * c), polynomial(x, 1, b * b, c * c), a)
        putPair(put, 3, polynomial(x, 2, a * a, c * c), polynomial(x, 1, a * a, c * c), b)
        putPair(put, 5, polynomial(x, 2, a * a, b * b), polynomial(x, 1, a * a, b * b), c)
        put(7, polynomial(x, 1, a * a, b * b, c * c))
    }

    @inline(__always)
    static func transformBack(_ outputs: Int, _ x: (Int) -> Lanes, _ put: (Int, Lanes) -> Void) {
        let (a, b, c) = (EvenAndOdd(x(1), x(2)), EvenAndOdd(x(3), x(4)), EvenAndOdd(x(5), x(6)))
        for i in 0..<outputs {
            var y = a.times(magnitude(0), i, plus: b.times(magnitude(1), i, plus: c.times(magnitude(2), i)))
            if i == 0 { y += x(0) }
            if i == outputs - 1 { y += x(7) }
            put(i, y)
        }
    }
}

/// The contributions of the products at +a and −a to even and odd powers.
private struct EvenAndOdd {
    let even: Lanes
    let odd: Lanes

    @inline(__always) init(_ plus: Lanes, _ minus: Lanes) {
        even = plus + minus
        odd = plus - minus
    }

    @inline(__always) func times(_ magnitude: Float, _ power: Int) -> Lanes {
        (power % 2 == 0 ? even : odd) * raised(magnitude, power)
    }

    @inline(__always) func times(_ magnitude: Float, _ power: Int, plus sum: Lanes) -> Lanes {
        multiplyAdd(sum, power % 2 == 0 ? even : odd, Lanes(repeating: raised(magnitude, power)))
    }

    @inline(__always) private func raised(_ x: Float, _ power: Int) -> Float {
        switch power {
        case 0: 1
        case 1: x
        case 2: x * x
        default: x * x * x
        }
    }
}

/// The values at +magnitude and −magnitude of a polynomial, from its even and odd halves.
@inline(__always)
private func putPair(_ put: (Int, Lanes) -> Void, _ point: Int, _ even: Lanes, _ odd: Lanes, _ magnitude: Float) {
    put(point, multiplyAdd(even, odd, Lanes(repeating: magnitude)))
    put(point + 1, multiplyAdd(even, odd, Lanes(repeating: -magnitude)))
}

// Σ cᵢ · x(first + 2i) with the coefficients of (z − a)(z − b)…

@inline(__always) private func polynomial(_ x: (Int) -> Lanes, _ first: Int, _ a: Float) -> Lanes {
    multiplyAdd(x(first + 2), x(first), Lanes(repeating: -a))
}

@inline(__always) private func polynomial(_ x: (Int) -> Lanes, _ first: Int, _ a: Float, _ b: Float) -> Lanes {
    multiplyAdd(
        multiplyAdd(x(first + 4), x(first + 2), Lanes(repeating: -(a + b))), x(first), Lanes(repeating: a * b))
}

@inline(__always)
private func polynomial(_ x: (Int) -> Lanes, _ first: Int, _ a: Float, _ b: Float, _ c: Float) -> Lanes {
    let high = multiplyAdd(x(first + 6), x(first + 4), Lanes(repeating: -(a + b + c)))
    let low = multiplyAdd(high, x(first + 2), Lanes(repeating: a * b + a * c + b * c))
    return multiplyAdd(low, x(first), Lanes(repeating: -(a * b * c)))
}
