import CMachine
import Kernels

// The registers of a convolution's inner loop: some output pixels times some blocks of 16 output channels, in trees of
// pairs as in the float32 kernels.

/// A vector for each of the blocks that are computed together, in order: the weights of a step, or the accumulators of
/// a pixel.
protocol Blocks {
    static var count: Int { get }
    /// Loads consecutive blocks.
    init(_ words: UnsafeRawPointer)
    mutating func accumulate(_ codes: Words, _ weights: Self)
    #if DOTPROD
        mutating func balance(_ weights: Self)
    #endif
    /// Stores all blocks, but only `lanes` lanes of the last one.
    /// - Parameters:
    ///   - factors: The factors of the first block's channels.
    ///   - output: The destination of the first block.
    func storeCodes(
        _ rounding: VectorRounding, _ factors: UnsafePointer<Float>, _ output: UnsafeMutableRawPointer, stride: Int,
        lanes: Int)
    func storeSums(
        _ rounding: VectorRounding, _ addition: VectorAddition, _ factors: UnsafePointer<Float>,
        _ residual: UnsafeRawPointer, residualStride: Int, _ output: UnsafeMutableRawPointer, stride: Int, lanes: Int)
    func storeFloats(
        lower: Floats, upper: Floats, _ factors: UnsafePointer<Float>, _ output: UnsafeMutableRawPointer, stride: Int,
        lanes: Int)
}

struct OneBlock: Blocks {
    private var words: Words
    static var count: Int { 1 }

    @inline(__always) init(_ words: UnsafeRawPointer) { self.words = loadWords(words) }
    @inline(__always) mutating func accumulate(_ codes: Words, _ weights: OneBlock) {
        words = addProducts(words, codes, weights.words)
    }
    #if DOTPROD
        @inline(__always) mutating func balance(_ weights: OneBlock) { words = balanced(words, weights.words) }
    #endif
    @inline(__always) private func values(_ factors: UnsafePointer<Float>) -> Floats {
        thaw_floats(words) * loadFloats(factors)
    }
    @inline(__always) func storeCodes(
        _ rounding: VectorRounding, _ factors: UnsafePointer<Float>, _ output: UnsafeMutableRawPointer, stride: Int,
        lanes: Int
    ) {
        write(rounding.code(values(factors)), output, count: lanes)
    }
    @inline(__always) func storeSums(
        _ rounding: VectorRounding, _ addition: VectorAddition, _ factors: UnsafePointer<Float>,
        _ residual: UnsafeRawPointer, residualStride: Int, _ output: UnsafeMutableRawPointer, stride: Int, lanes: Int
    ) {
        write(addition.code(level: rounding.level(values(factors)), loadCodes(residual)), output, count: lanes)
    }
    @inline(__always) func storeFloats(
        lower: Floats, upper: Floats, _ factors: UnsafePointer<Float>, _ output: UnsafeMutableRawPointer, stride: Int,
        lanes: Int
    ) {
        write(thaw_minimum(thaw_maximum(values(factors), lower), upper), output, count: lanes)
    }
}

/// Some blocks, then some more.
struct BlockPair<A: Blocks, B: Blocks>: Blocks {
    private var a: A
    private var b: B
    static var count: Int { A.count + B.count }

    @inline(__always) init(_ words: UnsafeRawPointer) {
        a = A(words)
        b = B(words + A.count * 64)
    }
    @inline(__always) mutating func accumulate(_ codes: Words, _ weights: BlockPair) {
        a.accumulate(codes, weights.a)
        b.accumulate(codes, weights.b)
    }
    #if DOTPROD
        @inline(__always) mutating func balance(_ weights: BlockPair) {
            a.balance(weights.a)
            b.balance(weights.b)
        }
    #endif
    @inline(__always) func storeCodes(
        _ rounding: VectorRounding, _ factors: UnsafePointer<Float>, _ output: UnsafeMutableRawPointer, stride: Int,
        lanes: Int
    ) {
        a.storeCodes(rounding, factors, output, stride: stride, lanes: blockWidth)
        b.storeCodes(
            rounding, factors + A.count * blockWidth, output + A.count * stride, stride: stride, lanes: lanes)
    }
    @inline(__always) func storeSums(
        _ rounding: VectorRounding, _ addition: VectorAddition, _ factors: UnsafePointer<Float>,
        _ residual: UnsafeRawPointer, residualStride: Int, _ output: UnsafeMutableRawPointer, stride: Int, lanes: Int
    ) {
        a.storeSums(
            rounding, addition, factors, residual, residualStride: residualStride, output, stride: stride,
            lanes: blockWidth)
        b.storeSums(
            rounding, addition, factors + A.count * blockWidth, residual + A.count * residualStride,
            residualStride: residualStride, output + A.count * stride, stride: stride, lanes: lanes)
    }
    @inline(__always) func storeFloats(
        lower: Floats, upper: Floats, _ factors: UnsafePointer<Float>, _ output: UnsafeMutableRawPointer, stride: Int,
        lanes: Int
    ) {
        a.storeFloats(lower: lower, upper: upper, factors, output, stride: stride, lanes: blockWidth)
        b.storeFloats(
            lower: lower, upper: upper, factors + A.count * blockWidth, output + A.count * stride, stride: stride,
            lanes: lanes)
    }
}

typealias TwoBlocks = BlockPair<OneBlock, OneBlock>
typealias ThreeBlocks = BlockPair<TwoBlocks, OneBlock>
typealias FourBlocks = BlockPair<TwoBlocks, TwoBlocks>

/// Some pixels, in the order of the offset lists.
protocol Tile {
    associatedtype Sums: Blocks
    static var pixels: Int { get }
    /// Starts with the bias. `offsets` holds the offsets of this tile's pixels in the input.
    init(offsets: UnsafePointer<Int32>, bias: Sums)
    /// Prefetches the memory of each pixel of an input for a later tile.
    func prefetchLater(_ input: UnsafeRawPointer)
    /// Adds each pixel's quad times the weights.
    mutating func accumulate(_ input: UnsafeRawPointer, half: Int, _ weights: Sums)
    #if DOTPROD
        /// Four adjacent quads of each pixel.
        associatedtype Values
        func values(_ input: UnsafeRawPointer) -> Values
        /// Adds one of each pixel's quads times the weights: NEON multiplies by an element of a register.
        mutating func accumulate(_ values: Values, element: Int, _ weights: Sums)
    #endif
    /// Calls the function with each pixel's accumulators and its index in the tile.
    func forEach(_ first: Int, _ body: (Sums, Int) -> Void)
}

struct Pixel<Sums: Blocks>: Tile {
    private let offset: Int
    private var sums: Sums
    static var pixels: Int { 1 }

    @inline(__always) init(offsets: UnsafePointer<Int32>, bias: Sums) {
        offset = Int(offsets[0])
        sums = bias
    }
    @inline(__always) func prefetchLater(_ input: UnsafeRawPointer) { thaw_prefetch_later(input + offset) }
    @inline(__always) mutating func accumulate(_ input: UnsafeRawPointer, half: Int, _ weights: Sums) {
        let quad = Words(repeating: input.loadUnaligned(fromByteOffset: offset, as: Int32.self))
        sums.accumulate(spread(quad, half: half), weights)
    }
    #if DOTPROD
        @inline(__always) func values(_ input: UnsafeRawPointer) -> SIMD4<Int32> {
            unsafeBitCast(signed(loadCodes(input + offset)), to: SIMD4<Int32>.self)
        }
        @inline(__always) mutating func accumulate(_ values: SIMD4<Int32>, element: Int, _ weights: Sums) {
            sums.accumulate(Words(repeating: values[element]), weights)
        }
    #endif
    @inline(__always) func forEach(_ first: Int, _ body: (Sums, Int) -> Void) { body(sums, first) }
}

/// The pixels of one tile, then those of another.
struct Pair<A: Tile, B: Tile>: Tile where A.Sums == B.Sums {
    typealias Sums = A.Sums
    private var a: A
    private var b: B
    static var pixels: Int { A.pixels + B.pixels }

    @inline(__always) init(offsets: UnsafePointer<Int32>, bias: Sums) {
        a = A(offsets: offsets, bias: bias)
        b = B(offsets: offsets + A.pixels, bias: bias)
    }
    @inline(__always) func prefetchLater(_ input: UnsafeRawPointer) {
        a.prefetchLater(input)
        b.prefetchLater(input)
    }
    @inline(__always) mutating func accumulate(_ input: UnsafeRawPointer, half: Int, _ weights: Sums) {
        a.accumulate(input, half: half, weights)
        b.accumulate(input, half: half, weights)
    }
    #if DOTPROD
        @inline(__always) func values(_ input: UnsafeRawPointer) -> (A.Values, B.Values) {
            (a.values(input), b.values(input))
        }
        @inline(__always) mutating func accumulate(
            _ values: (A.Values, B.Values), element: Int, _ weights: A.Sums
        ) {
            a.accumulate(values.0, element: element, weights)
            b.accumulate(values.1, element: element, weights)
        }
    #endif
    @inline(__always) func forEach(_ first: Int, _ body: (Sums, Int) -> Void) {
        a.forEach(first, body)
        b.forEach(first + A.pixels, body)
    }
}

typealias Two<P: Tile> = Pair<P, P>
typealias Three<P: Tile> = Pair<Two<P>, P>
typealias Four<P: Tile> = Pair<Two<P>, Two<P>>
typealias Five<P: Tile> = Pair<Four<P>, P>
typealias Six<P: Tile> = Pair<Four<P>, Two<P>>
typealias Seven<P: Tile> = Pair<Four<P>, Three<P>>
typealias Eight<P: Tile> = Pair<Four<P>, Four<P>>
typealias Nine<P: Tile> = Pair<Eight<P>, P>
typealias Ten<P: Tile> = Pair<Eight<P>, Two<P>>
typealias Eleven<P: Tile> = Pair<Eight<P>, Three<P>>
typealias Twelve<P: Tile> = Pair<Eight<P>, Four<P>>
typealias Thirteen<P: Tile> = Pair<Eight<P>, Five<P>>
typealias Fourteen<P: Tile> = Pair<Eight<P>, Six<P>>
