import CMachine
import Kernels

// The registers of a convolution's inner loop for processors that multiply matrices (arm64's i8mm and bf16): an instruction
// multiplies rows of eight bytes, eight 8-bit integers or four bfloat16 values, of two pixels by those of two channels. The
// kernels for bfloat16 use this file too: here, accumulators are the bits of integers or floats.
//
// Weights are packed for that. A word is four bytes: a quad of integers, or a pair of bfloat16 values. Two adjacent words of a
// tap are a row, and the row of a channel is followed by that of the next channel. The last of an odd number of words remains
// half a row, beside those of the other channels.

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
        /// Half a row of each pixel. The rest is zero.
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
        /// Adds the products of half a row. The other halves of rows and weights are zeros.
        @inline(__always) mutating func accumulateHalfRow(_ input: UnsafeRawPointer, _ weights: UnsafeRawPointer) {
            let words = loadWords(weights)
            let values = halfRows(input)
            accumulateFirst(values, thaw_first_rows(words))
            accumulateLast(values, thaw_last_rows(words))
        }
        /// Adds the products of a tap's words, and moves past their weights.
        /// - Parameter next: Is called after every four words.
        @inline(__always)
        mutating func accumulate(
            _ start: UnsafeRawPointer, words: Int, _ weights: inout UnsafeRawPointer, next: () -> Void
        ) {
            var input = start
            for _ in 0..<words / 4 {
                accumulateRow(input, weights)
                accumulateRow(input + 8, weights + 128)
                input = thaw_opaque(input + 16)
                weights += 256
                next()
            }
            if words & 2 != 0 {
                accumulateRow(input, weights)
                input = thaw_opaque(input + 8)
                weights += 128
            }
            if words & 1 != 0 {
                accumulateHalfRow(input, weights)
                weights += 64
            }
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
            first = multiplyMatrices(first, values, weights)
        }
        @inline(__always) mutating func accumulateLast(_ values: Rows, _ weights: Words) {
            last = multiplyMatrices(last, values, weights)
        }
        @inline(__always) func forEach(_ index: Int, _ body: (Words, Int) -> Void) {
            body(thaw_first_pixel(first, last), index)
            body(thaw_second_pixel(first, last), index &+ 1)
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
            b.forEach(first &+ A.pixels, body)
        }
    }

    typealias FourPixels = MatrixPair<TwoPixels, TwoPixels>
    typealias SixPixels = MatrixPair<FourPixels, TwoPixels>

    /// Computes a tile, and advances the position.
    /// - Parameter count: Its pixels, at most the table's `tilePixels`.
    @inline(__always)
    func computeMatrixTile(_ work: borrowing MatrixWork, _ count: Int, _ position: inout TilePosition) {
        switch count {
        case 1: convolveTile(LastPixel.self, work, &position)
        case 2: convolveTile(TwoPixels.self, work, &position)
        case 3: convolveTile(MatrixPair<TwoPixels, LastPixel>.self, work, &position)
        case 4: convolveTile(FourPixels.self, work, &position)
        case 5: convolveTile(MatrixPair<FourPixels, LastPixel>.self, work, &position)
        case 6: convolveTile(SixPixels.self, work, &position)
        default: fatalError("unsupported tile size")
        }
    }

    /// The byte of a block's packed weights that begins a word of a channel.
    /// - Parameters:
    ///   - word: Its index among all words of a channel.
    ///   - index: Its index among those of its tap.
    ///   - count: The words of the tap.
    @inline(__always)
    func packedOffset(word: Int, index: Int, of count: Int, channel: Int) -> Int {
        if index & 1 == 0, index == count - 1 { return word * 64 + channel * 4 }
        return (word - index & 1) * 64 + channel * 8 + (index & 1) * 4
    }
#endif
