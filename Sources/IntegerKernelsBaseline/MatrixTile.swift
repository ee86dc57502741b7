import CMachine
import Kernels

// The registers of a convolution's inner loop for processors that multiply matrices (arm64's i8mm): an instruction multiplies
// rows of eight bytes of two pixels by those of two channels.
//
// Weights are packed for that: two adjacent quads of a tap are a row, and the row of a channel is followed by that of the next
// channel. The last of an odd number of quads remains half a row, beside those of the other channels.

#if MATRICES
    /// The bytes, two rows, of two pixels or of two channels.
    typealias Rows = SIMD4<Int32>

    /// Some pixels, in the order of the offset lists. All multiply the weights of the first eight channels, then those of the
    /// last: fewer weights are in registers at the same time.
    protocol MatrixTile {
        associatedtype Values
        static var pixels: Int { get }
        /// Starts with the bias. `offsets` holds the offsets of this tile's pixels in the input.
        init(offsets: UnsafePointer<Int32>, bias: Words)
        /// Prefetches the memory of each pixel of an input for a later tile.
        func prefetchLater(_ input: UnsafeRawPointer)
        /// A row of each pixel.
        func rows(_ input: UnsafeRawPointer) -> Values
        /// Half a row of each pixel, twice.
        func halfRows(_ input: UnsafeRawPointer) -> Values
        mutating func accumulateFirst(_ values: Values, _ weights: Words)
        mutating func accumulateLast(_ values: Values, _ weights: Words)
        /// Calls the function with each pixel's accumulators and its index in the tile.
        func forEach(_ first: Int, _ body: (Words, Int) -> Void)
    }

    extension MatrixTile {
        /// Adds the products of a row.
        @inline(__always) mutating func accumulateRow(_ input: UnsafeRawPointer, _ weights: UnsafeRawPointer) {
            let values = rows(input)
            accumulateFirst(values, loadWords(thaw_after_products(weights)))
            accumulateLast(values, loadWords(thaw_after_products(weights + 64)))
        }
        /// Adds the products of half a row: those of a row whose last weights are zeros.
        @inline(__always) mutating func accumulateHalfRow(_ input: UnsafeRawPointer, _ weights: UnsafeRawPointer) {
            let quads = loadWords(weights)
            let values = halfRows(input)
            accumulateFirst(values, thaw_first_rows(quads))
            accumulateLast(values, thaw_last_rows(quads))
        }
    }

    /// Two pixels. A vector holds their accumulators of eight channels.
    struct TwoPixels: MatrixTile {
        private let offsets: (Int, Int)
        private var first: Words
        private var last: Words
        static var pixels: Int { 2 }

        @inline(__always) init(offsets: UnsafePointer<Int32>, bias: Words) {
            self.init((Int(offsets[0]), Int(offsets[1])), bias)
        }
        @inline(__always) fileprivate init(_ offsets: (Int, Int), _ bias: Words) {
            self.offsets = offsets
            first = thaw_first_sums(bias)
            last = thaw_last_sums(bias)
        }
        @inline(__always) func prefetchLater(_ input: UnsafeRawPointer) {
            thaw_prefetch_later(input + offsets.0)
            thaw_prefetch_later(input + offsets.1)
        }
        @inline(__always) func rows(_ input: UnsafeRawPointer) -> Rows {
            thaw_two_rows(input + offsets.0, input + offsets.1)
        }
        @inline(__always) func halfRows(_ input: UnsafeRawPointer) -> Rows {
            thaw_two_half_rows(input + offsets.0, input + offsets.1)
        }
        @inline(__always) mutating func accumulateFirst(_ values: Rows, _ weights: Words) {
            first = thaw_multiply_codes(first, values, weights)
        }
        @inline(__always) mutating func accumulateLast(_ values: Rows, _ weights: Words) {
            last = thaw_multiply_codes(last, values, weights)
        }
        @inline(__always) func forEach(_ index: Int, _ body: (Words, Int) -> Void) {
            body(thaw_first_pixel(first, last), index)
            body(thaw_second_pixel(first, last), index + 1)
        }
    }

    /// The last pixel of an odd number, computed twice.
    struct LastPixel: MatrixTile {
        private var two: TwoPixels
        static var pixels: Int { 1 }

        @inline(__always) init(offsets: UnsafePointer<Int32>, bias: Words) {
            two = TwoPixels((Int(offsets[0]), Int(offsets[0])), bias)
        }
        @inline(__always) func prefetchLater(_ input: UnsafeRawPointer) { two.prefetchLater(input) }
        @inline(__always) func rows(_ input: UnsafeRawPointer) -> Rows { two.rows(input) }
        @inline(__always) func halfRows(_ input: UnsafeRawPointer) -> Rows { two.halfRows(input) }
        @inline(__always) mutating func accumulateFirst(_ values: Rows, _ weights: Words) {
            two.accumulateFirst(values, weights)
        }
        @inline(__always) mutating func accumulateLast(_ values: Rows, _ weights: Words) {
            two.accumulateLast(values, weights)
        }
        @inline(__always) func forEach(_ index: Int, _ body: (Words, Int) -> Void) {
            two.forEach(index) { if $1 == index { body($0, index) } }
        }
    }

    /// The pixels of one tile, then those of another.
    struct MatrixPair<A: MatrixTile, B: MatrixTile>: MatrixTile {
        private var a: A
        private var b: B
        static var pixels: Int { A.pixels + B.pixels }

        @inline(__always) init(offsets: UnsafePointer<Int32>, bias: Words) {
            a = A(offsets: offsets, bias: bias)
            b = B(offsets: offsets + A.pixels, bias: bias)
        }
        @inline(__always) func prefetchLater(_ input: UnsafeRawPointer) {
            a.prefetchLater(input)
            b.prefetchLater(input)
        }
        @inline(__always) func rows(_ input: UnsafeRawPointer) -> (A.Values, B.Values) {
            (a.rows(input), b.rows(input))
        }
        @inline(__always) func halfRows(_ input: UnsafeRawPointer) -> (A.Values, B.Values) {
            (a.halfRows(input), b.halfRows(input))
        }
        @inline(__always) mutating func accumulateFirst(_ values: (A.Values, B.Values), _ weights: Words) {
            a.accumulateFirst(values.0, weights)
            b.accumulateFirst(values.1, weights)
        }
        @inline(__always) mutating func accumulateLast(_ values: (A.Values, B.Values), _ weights: Words) {
            a.accumulateLast(values.0, weights)
            b.accumulateLast(values.1, weights)
        }
        @inline(__always) func forEach(_ first: Int, _ body: (Words, Int) -> Void) {
            a.forEach(first, body)
            b.forEach(first + A.pixels, body)
        }
    }

    typealias FourPixels = MatrixPair<TwoPixels, TwoPixels>
    typealias SixPixels = MatrixPair<FourPixels, TwoPixels>

    /// The byte of a block's packed weights that begins a quad of a channel.
    @inline(__always)
    func packedOffset(quad: Int, channel: Int, _ steps: IntegerSteps) -> Int {
        let long = (steps.tapCount - steps.shortTaps) * steps.quads
        let (start, count) = quad < long ? (0, steps.quads) : (long, steps.shortQuads)
        let index = (quad - start) % count
        if index & 1 == 0, index == count - 1 { return quad * 64 + channel * 4 }
        return (quad - index & 1) * 64 + channel * 8 + (index & 1) * 4
    }
#endif
