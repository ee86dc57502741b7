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
    /// The same vector for each block.
    init(repeating words: Words)
    /// One step: adds the products of the values that `spread` returns and each block's packed weights.
    mutating func accumulate(_ values: Words, at weights: PackedWeights)
    /// The same for 16-bit values and weights.
    mutating func accumulatePairs(_ pair: Words, at weights: PackedWeights)
    #if DOTPROD
        mutating func balance(_ weights: Self)
    #endif
    #if COMPLEMENTS
        /// Adds consecutive blocks.
        mutating func add(_ words: UnsafeRawPointer)
    #endif
    /// The vector of a block. The index is known to the compiler.
    func vector(_ block: Int) -> Words
    /// Calls the function with each block's vector and its index.
    func forEach(_ first: Int, _ body: (Words, Int) -> Void)
}

extension Blocks {
    /// The bytes of a step's packed weights.
    static var stepBytes: Int { @inline(__always) get { 64 * count } }
}

struct OneBlock: Blocks {
    private var words: Words
    static var count: Int { 1 }

    @inline(__always) init(_ words: UnsafeRawPointer) { self.words = loadWords(words) }
    @inline(__always) init(_ words: Words) { self.words = words }
    @inline(__always) init(repeating words: Words) { self.words = words }
    @inline(__always) mutating func accumulate(_ values: Words, at weights: PackedWeights) {
        words = addProducts(words, values, at: weights)
    }
    @inline(__always) mutating func accumulatePairs(_ pair: Words, at weights: PackedWeights) {
        words = addPairs(words, pair, at: weights)
    }
    #if DOTPROD
        @inline(__always) mutating func balance(_ weights: OneBlock) { words = balanced(words, weights.words) }
    #endif
    #if COMPLEMENTS
        @inline(__always) mutating func add(_ other: UnsafeRawPointer) { words = words &+ loadWords(other) }
    #endif
    @inline(__always) func vector(_ block: Int) -> Words { words }
    @inline(__always) func forEach(_ first: Int, _ body: (Words, Int) -> Void) { body(words, first) }
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
    @inline(__always) init(repeating words: Words) {
        a = A(repeating: words)
        b = B(repeating: words)
    }
    @inline(__always) mutating func accumulate(_ values: Words, at weights: PackedWeights) {
        a.accumulate(values, at: weights)
        b.accumulate(values, at: weights + A.stepBytes)
    }
    @inline(__always) mutating func accumulatePairs(_ pair: Words, at weights: PackedWeights) {
        a.accumulatePairs(pair, at: weights)
        b.accumulatePairs(pair, at: weights + A.count * 64)
    }
    #if DOTPROD
        @inline(__always) mutating func balance(_ weights: BlockPair) {
            a.balance(weights.a)
            b.balance(weights.b)
        }
    #endif
    #if COMPLEMENTS
        @inline(__always) mutating func add(_ words: UnsafeRawPointer) {
            a.add(words)
            b.add(words + A.count * 64)
        }
    #endif
    @inline(__always) func vector(_ block: Int) -> Words {
        block < A.count ? a.vector(block) : b.vector(block - A.count)
    }
    @inline(__always) func forEach(_ first: Int, _ body: (Words, Int) -> Void) {
        a.forEach(first, body)
        b.forEach(first + A.count, body)
    }
}

typealias TwoBlocks = BlockPair<OneBlock, OneBlock>
typealias ThreeBlocks = BlockPair<TwoBlocks, OneBlock>
typealias FourBlocks = BlockPair<TwoBlocks, TwoBlocks>

/// The sums of some pixels, in the order of the offset lists.
protocol PixelSums {
    associatedtype Sums: Blocks
    /// Calls the function with each pixel's sums and its index in the list, which begins with `first`.
    func forEach(_ first: Int, _ body: (Sums, Int) -> Void)
    var count: Int { get }
}

/// Those in memory, a row for each pixel.
struct StoredSums<Sums: Blocks>: PixelSums {
    let sums: UnsafeRawPointer
    let count: Int

    @inline(__always) func forEach(_ first: Int, _ body: (Sums, Int) -> Void) {
        for pixel in 0..<count { body(Sums(sums + pixel * Sums.count * 64), first + pixel) }
    }
}

extension PixelSums {
    @discardableResult
    @inline(__always) func stored(in memory: UnsafeMutableRawPointer) -> StoredSums<Sums> {
        forEach(0) { sums, pixel in
            sums.forEach(pixel * Sums.count) { memory.storeBytes(of: $0, toByteOffset: $1 * 64, as: Words.self) }
        }
        return StoredSums(sums: memory, count: count)
    }
}

/// Those in registers.
protocol Tile: PixelSums {
    static var pixels: Int { get }
    /// The sums of a pixel. The index is known to the compiler.
    func sums(_ pixel: Int) -> Sums
    /// Starts with the bias. `offsets` holds the offsets of this tile's pixels in the input.
    init(offsets: UnsafePointer<Int32>, bias: Sums)
    /// Starts with zeros. The first pixel is at `offset`, each of the others `stride` bytes after the one before.
    init(offset: Int, stride: Int)
    /// One step: adds each pixel's quad, or half of it, times the weights.
    mutating func accumulate(_ input: UnsafeRawPointer, step: Int, at weights: PackedWeights)
    /// Adds each pixel's pair of 16-bit values times the weights.
    mutating func accumulatePairs(_ input: UnsafeRawPointer, at weights: PackedWeights)
    #if DOTPROD
        /// Four adjacent quads of each pixel.
        associatedtype Values
        func values(_ input: UnsafeRawPointer) -> Values
        /// Adds one of each pixel's quads times the weights: NEON multiplies by an element of a register.
        mutating func accumulate(_ values: Values, element: Int, at weights: PackedWeights)
    #endif
}

extension Tile {
    @inline(__always) var count: Int { Self.pixels }

    /// Prefetches the memory of each pixel. Only every fourth one needs a line of its own.
    @inline(__always) static func prefetch(
        _ memory: UnsafeRawPointer, _ offsets: UnsafePointer<Int32>, blockStride: Int, toWrite: Bool
    ) {
        for pixel in stride(from: 0, to: pixels, by: 4) {
            let start = memory + Int(offsets[pixel])
            for block in 0..<Sums.count {
                let line = start + block &* blockStride
                if toWrite { thaw_prefetch_write(line) } else { thaw_prefetch(line) }
            }
        }
    }
}

struct Pixel<Sums: Blocks>: Tile {
    private let offset: Int
    private var sums: Sums
    static var pixels: Int { 1 }

    @inline(__always) init(offsets: UnsafePointer<Int32>, bias: Sums) {
        offset = Int(offsets[0])
        sums = bias
    }
    @inline(__always) init(offset: Int, stride: Int) {
        self.offset = offset
        sums = Sums(repeating: Words.zero)
    }
    @inline(__always) mutating func accumulate(_ input: UnsafeRawPointer, step: Int, at weights: PackedWeights) {
        let quad = Words(repeating: input.loadUnaligned(fromByteOffset: offset, as: Int32.self))
        sums.accumulate(spread(quad, step: step), at: weights)
    }
    @inline(__always) mutating func accumulatePairs(_ input: UnsafeRawPointer, at weights: PackedWeights) {
        let pair = Words(repeating: input.loadUnaligned(fromByteOffset: offset, as: Int32.self))
        sums.accumulatePairs(pair, at: weights)
    }
    #if DOTPROD
        @inline(__always) func values(_ input: UnsafeRawPointer) -> SIMD4<Int32> {
            unsafeBitCast(signed(loadQuantized(input + offset)), to: SIMD4<Int32>.self)
        }
        @inline(__always)
        mutating func accumulate(_ values: SIMD4<Int32>, element: Int, at weights: PackedWeights) {
            sums.accumulate(Words(repeating: values[element]), at: weights)
        }
    #endif
    @inline(__always) func forEach(_ first: Int, _ body: (Sums, Int) -> Void) { body(sums, first) }
    @inline(__always) func sums(_ pixel: Int) -> Sums { sums }
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
    @inline(__always) init(offset: Int, stride: Int) {
        a = A(offset: offset, stride: stride)
        b = B(offset: offset + A.pixels * stride, stride: stride)
    }
    @inline(__always) mutating func accumulate(_ input: UnsafeRawPointer, step: Int, at weights: PackedWeights) {
        a.accumulate(input, step: step, at: weights)
        b.accumulate(input, step: step, at: weights)
    }
    @inline(__always) mutating func accumulatePairs(_ input: UnsafeRawPointer, at weights: PackedWeights) {
        a.accumulatePairs(input, at: weights)
        b.accumulatePairs(input, at: weights)
    }
    #if DOTPROD
        @inline(__always) func values(_ input: UnsafeRawPointer) -> (A.Values, B.Values) {
            (a.values(input), b.values(input))
        }
        @inline(__always) mutating func accumulate(
            _ values: (A.Values, B.Values), element: Int, at weights: PackedWeights
        ) {
            a.accumulate(values.0, element: element, at: weights)
            b.accumulate(values.1, element: element, at: weights)
        }
    #endif
    @inline(__always) func forEach(_ first: Int, _ body: (Sums, Int) -> Void) {
        a.forEach(first, body)
        b.forEach(first &+ A.pixels, body)
    }
    @inline(__always) func sums(_ pixel: Int) -> Sums {
        pixel < A.pixels ? a.sums(pixel) : b.sums(pixel - A.pixels)
    }
}
