import CMachine
import Kernels

// The registers of a convolution's inner loop: some output pixels times some blocks of 16 output channels.
//
// Both dimensions are trees of pairs, which the compiler resolves completely: every accumulator becomes a register. (An
// array of accumulators with loops over it would be kept in memory.)

/// A vector for each of the blocks that are computed together, in order: the weights of a step, or the accumulators of
/// a pixel. Strides are in bytes, except for weights, which are consecutive floats.
protocol Blocks {
    static var count: Int { get }
    /// Loads blocks that are `stride` floats apart.
    init(_ pointer: UnsafePointer<Float>, stride: Int)
    static func prefetch(_ memory: UnsafeRawPointer, stride: Int, toWrite: Bool)
    mutating func accumulate(_ value: Vector, _ weights: Self)
    mutating func add(_ memory: UnsafeRawPointer, stride: Int)
    mutating func clamp(lower: Vector)
    mutating func clamp(upper: Vector)
    /// Stores all blocks, but only `lanes` lanes of the last one.
    func store(_ output: UnsafeMutableRawPointer, stride: Int, lanes: Int)
    #if BFLOAT16
        /// The same with floats in memory.
        mutating func addPlain(_ memory: UnsafeRawPointer, stride: Int)
        func storePlain(_ output: UnsafeMutableRawPointer, stride: Int, lanes: Int)
    #endif
}

struct OneBlock: Blocks {
    private var vector: Vector
    static var count: Int { 1 }

    @inline(__always) init(_ pointer: UnsafePointer<Float>, stride: Int) { vector = load(pointer) }
    @inline(__always) init(_ vector: Vector) { self.vector = vector }
    @inline(__always) static func prefetch(_ memory: UnsafeRawPointer, stride: Int, toWrite: Bool) {
        if toWrite { thaw_prefetch_write(memory) } else { thaw_prefetch(memory) }
    }
    @inline(__always) mutating func accumulate(_ value: Vector, _ weights: OneBlock) {
        vector = addProducts(vector, value, weights.vector)
    }
    @inline(__always) mutating func add(_ memory: UnsafeRawPointer, stride: Int) {
        vector += load(values(memory))
    }
    @inline(__always) mutating func clamp(lower: Vector) { vector = maximum(vector, lower) }
    @inline(__always) mutating func clamp(upper: Vector) { vector = minimum(vector, upper) }
    @inline(__always) func store(_ output: UnsafeMutableRawPointer, stride: Int, lanes: Int) {
        write(vector, values(output), count: lanes)
    }
    #if BFLOAT16
        @inline(__always) mutating func addPlain(_ memory: UnsafeRawPointer, stride: Int) {
            vector += load(floats(memory))
        }
        @inline(__always) func storePlain(_ output: UnsafeMutableRawPointer, stride: Int, lanes: Int) {
            write(vector, floats(output), count: lanes)
        }
    #endif
}

/// Some blocks, then some more.
struct BlockPair<A: Blocks, B: Blocks>: Blocks {
    private var a: A
    private var b: B
    static var count: Int { A.count + B.count }

    @inline(__always) init(_ pointer: UnsafePointer<Float>, stride: Int) {
        a = A(pointer, stride: stride)
        b = B(pointer + A.count * stride, stride: stride)
    }
    @inline(__always) static func prefetch(_ memory: UnsafeRawPointer, stride: Int, toWrite: Bool) {
        A.prefetch(memory, stride: stride, toWrite: toWrite)
        B.prefetch(memory + A.count * stride, stride: stride, toWrite: toWrite)
    }
    @inline(__always) mutating func accumulate(_ value: Vector, _ weights: BlockPair) {
        a.accumulate(value, weights.a)
        b.accumulate(value, weights.b)
    }
    @inline(__always) mutating func add(_ memory: UnsafeRawPointer, stride: Int) {
        a.add(memory, stride: stride)
        b.add(memory + A.count * stride, stride: stride)
    }
    @inline(__always) mutating func clamp(lower: Vector) {
        a.clamp(lower: lower)
        b.clamp(lower: lower)
    }
    @inline(__always) mutating func clamp(upper: Vector) {
        a.clamp(upper: upper)
        b.clamp(upper: upper)
    }
    @inline(__always) func store(_ output: UnsafeMutableRawPointer, stride: Int, lanes: Int) {
        a.store(output, stride: stride, lanes: blockWidth)
        b.store(output + A.count * stride, stride: stride, lanes: lanes)
    }
    #if BFLOAT16
        @inline(__always) mutating func addPlain(_ memory: UnsafeRawPointer, stride: Int) {
            a.addPlain(memory, stride: stride)
            b.addPlain(memory + A.count * stride, stride: stride)
        }
        @inline(__always) func storePlain(_ output: UnsafeMutableRawPointer, stride: Int, lanes: Int) {
            a.storePlain(output, stride: stride, lanes: blockWidth)
            b.storePlain(output + A.count * stride, stride: stride, lanes: lanes)
        }
    #endif
}

typealias TwoBlocks = BlockPair<OneBlock, OneBlock>
typealias ThreeBlocks = BlockPair<TwoBlocks, OneBlock>
typealias FourBlocks = BlockPair<TwoBlocks, TwoBlocks>

/// Some pixels, in the order of the offset lists. An entry of a list is the offset of a pixel in bytes.
protocol Tile {
    associatedtype Sums: Blocks
    static var pixels: Int { get }
    /// Starts with the bias. `offsets` holds the offsets of this tile's pixels in the input.
    init(offsets: UnsafePointer<Int32>, bias: Sums)
    /// Prefetches the memory of each pixel.
    static func prefetch(
        _ memory: UnsafeRawPointer, _ offsets: UnsafePointer<Int32>, blockStride: Int, toWrite: Bool)
    /// Prefetches the memory of each pixel of an input for a later tile.
    func prefetchLater(_ input: UnsafeRawPointer)
    #if AVX2
        /// The same for the next steps of this tile, into the L1 cache.
        func prefetchSoon(_ input: UnsafeRawPointer)
    #endif
    /// Adds each pixel's value times the weights.
    mutating func accumulate(_ input: UnsafeRawPointer, _ weights: Sums)
    #if arch(arm64)
        /// Four adjacent values of each pixel.
        associatedtype Values
        func values(_ input: UnsafeRawPointer) -> Values
        /// Adds one of each pixel's values times the weights: NEON multiplies by an element of a register.
        mutating func accumulate(_ values: Values, element: Int, _ weights: Sums)
    #endif
    mutating func add(_ residual: UnsafeRawPointer, _ offsets: UnsafePointer<Int32>, blockStride: Int)
    mutating func clamp(lower: Vector)
    mutating func clamp(upper: Vector)
    /// Stores all blocks, but only `lanes` lanes of the last one.
    func store(
        _ output: UnsafeMutableRawPointer, _ offsets: UnsafePointer<Int32>, blockStride: Int, lanes: Int)
    #if BFLOAT16
        mutating func addPlain(_ residual: UnsafeRawPointer, _ offsets: UnsafePointer<Int32>, blockStride: Int)
        func storePlain(
            _ output: UnsafeMutableRawPointer, _ offsets: UnsafePointer<Int32>, blockStride: Int, lanes: Int)
    #endif
}

struct Pixel<Sums: Blocks>: Tile {
    private let offset: Int
    private var sums: Sums
    static var pixels: Int { 1 }

    @inline(__always) init(offsets: UnsafePointer<Int32>, bias: Sums) {
        offset = Int(offsets[0])
        sums = bias
    }
    /// A pixel whose accumulators are complete.
    @inline(__always) init(_ sums: Sums) {
        offset = 0
        self.sums = sums
    }
    @inline(__always) static func prefetch(
        _ memory: UnsafeRawPointer, _ offsets: UnsafePointer<Int32>, blockStride: Int, toWrite: Bool
    ) {
        Sums.prefetch(memory + Int(offsets[0]), stride: blockStride, toWrite: toWrite)
    }
    @inline(__always) func prefetchLater(_ input: UnsafeRawPointer) { thaw_prefetch_later(input + offset) }
    #if AVX2
        @inline(__always) func prefetchSoon(_ input: UnsafeRawPointer) { thaw_prefetch(input + offset) }
    #endif
    @inline(__always) mutating func accumulate(_ input: UnsafeRawPointer, _ weights: Sums) {
        sums.accumulate(Vector(repeating: input.loadUnaligned(fromByteOffset: offset, as: Float.self)), weights)
    }
    #if arch(arm64)
        @inline(__always) func values(_ input: UnsafeRawPointer) -> SIMD4<Float> {
            input.loadUnaligned(fromByteOffset: offset, as: SIMD4<Float>.self)
        }
        @inline(__always) mutating func accumulate(_ values: SIMD4<Float>, element: Int, _ weights: Sums) {
            sums.accumulate(Vector(repeating: values[element]), weights)
        }
    #endif
    @inline(__always) mutating func add(
        _ residual: UnsafeRawPointer, _ offsets: UnsafePointer<Int32>, blockStride: Int
    ) {
        sums.add(residual + Int(offsets[0]), stride: blockStride)
    }
    @inline(__always) mutating func clamp(lower: Vector) { sums.clamp(lower: lower) }
    @inline(__always) mutating func clamp(upper: Vector) { sums.clamp(upper: upper) }
    @inline(__always) func store(
        _ output: UnsafeMutableRawPointer, _ offsets: UnsafePointer<Int32>, blockStride: Int, lanes: Int
    ) {
        sums.store(output + Int(offsets[0]), stride: blockStride, lanes: lanes)
    }
    #if BFLOAT16
        @inline(__always) mutating func addPlain(
            _ residual: UnsafeRawPointer, _ offsets: UnsafePointer<Int32>, blockStride: Int
        ) {
            sums.addPlain(residual + Int(offsets[0]), stride: blockStride)
        }
        @inline(__always) func storePlain(
            _ output: UnsafeMutableRawPointer, _ offsets: UnsafePointer<Int32>, blockStride: Int, lanes: Int
        ) {
            sums.storePlain(output + Int(offsets[0]), stride: blockStride, lanes: lanes)
        }
    #endif
}

/// The pixels of one tile, then those of another.
struct Pair<A: Tile, B: Tile>: Tile where A.Sums == B.Sums {
    private var a: A
    private var b: B
    static var pixels: Int { A.pixels + B.pixels }

    @inline(__always) init(offsets: UnsafePointer<Int32>, bias: A.Sums) {
        a = A(offsets: offsets, bias: bias)
        b = B(offsets: offsets + A.pixels, bias: bias)
    }
    @inline(__always) static func prefetch(
        _ memory: UnsafeRawPointer, _ offsets: UnsafePointer<Int32>, blockStride: Int, toWrite: Bool
    ) {
        A.prefetch(memory, offsets, blockStride: blockStride, toWrite: toWrite)
        B.prefetch(memory, offsets + A.pixels, blockStride: blockStride, toWrite: toWrite)
    }
    @inline(__always) func prefetchLater(_ input: UnsafeRawPointer) {
        a.prefetchLater(input)
        b.prefetchLater(input)
    }
    #if AVX2
        @inline(__always) func prefetchSoon(_ input: UnsafeRawPointer) {
            a.prefetchSoon(input)
            b.prefetchSoon(input)
        }
    #endif
    @inline(__always) mutating func accumulate(_ input: UnsafeRawPointer, _ weights: A.Sums) {
        a.accumulate(input, weights)
        b.accumulate(input, weights)
    }
    #if arch(arm64)
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
    @inline(__always) mutating func add(
        _ residual: UnsafeRawPointer, _ offsets: UnsafePointer<Int32>, blockStride: Int
    ) {
        a.add(residual, offsets, blockStride: blockStride)
        b.add(residual, offsets + A.pixels, blockStride: blockStride)
    }
    @inline(__always) mutating func clamp(lower: Vector) {
        a.clamp(lower: lower)
        b.clamp(lower: lower)
    }
    @inline(__always) mutating func clamp(upper: Vector) {
        a.clamp(upper: upper)
        b.clamp(upper: upper)
    }
    @inline(__always) func store(
        _ output: UnsafeMutableRawPointer, _ offsets: UnsafePointer<Int32>, blockStride: Int, lanes: Int
    ) {
        a.store(output, offsets, blockStride: blockStride, lanes: lanes)
        b.store(output, offsets + A.pixels, blockStride: blockStride, lanes: lanes)
    }
    #if BFLOAT16
        @inline(__always) mutating func addPlain(
            _ residual: UnsafeRawPointer, _ offsets: UnsafePointer<Int32>, blockStride: Int
        ) {
            a.addPlain(residual, offsets, blockStride: blockStride)
            b.addPlain(residual, offsets + A.pixels, blockStride: blockStride)
        }
        @inline(__always) func storePlain(
            _ output: UnsafeMutableRawPointer, _ offsets: UnsafePointer<Int32>, blockStride: Int, lanes: Int
        ) {
            a.storePlain(output, offsets, blockStride: blockStride, lanes: lanes)
            b.storePlain(output, offsets + A.pixels, blockStride: blockStride, lanes: lanes)
        }
    #endif
}
