import CMachine
import Kernels

/// The registers of a convolution's inner loop: some output pixels times one or two blocks of 16 output channels.
///
/// A tile is a tree of `Pair`s over single pixels, made whole by the compiler: every accumulator becomes a register.
/// (An array of accumulators with loops over it would be kept in memory.) It always holds that pixels stand in the
/// order of the offset lists.
protocol Tile {
    /// One step's weights: a vector for each block.
    associatedtype Weights: TileWeights
    static var pixels: Int { get }
    /// Starts at the bias; `offsets` holds the places of this tile's pixels in the input.
    init(offsets: UnsafePointer<Int32>, bias: Weights)
    /// Asks for the memory of each pixel.
    static func prefetch(_ memory: UnsafePointer<Float>, _ offsets: UnsafePointer<Int32>, blockStride: Int)
    /// Adds each pixel's number, times the weights.
    mutating func accumulate(_ input: UnsafePointer<Float>, _ weights: Weights)
    mutating func add(_ residual: UnsafePointer<Float>, _ offsets: UnsafePointer<Int32>, blockStride: Int)
    mutating func clamp(lower: Vector)
    mutating func clamp(upper: Vector)
    func store(_ output: UnsafeMutablePointer<Float>, _ offsets: UnsafePointer<Int32>, blockStride: Int)
    /// Stores all blocks but of the last one only `lanes` lanes.
    func store(_ output: UnsafeMutablePointer<Float>, _ offsets: UnsafePointer<Int32>, blockStride: Int, lanes: Int)
}

protocol TileWeights {
    static var blocks: Int { get }
    /// Blocks that stand `stride` apart.
    init(_ pointer: UnsafePointer<Float>, stride: Int)
}

struct OneBlock: TileWeights {
    let first: Vector
    static var blocks: Int { 1 }
    @inline(__always) init(_ pointer: UnsafePointer<Float>, stride: Int) { first = load(pointer) }
}

struct TwoBlocks: TileWeights {
    let first: Vector
    let second: Vector
    static var blocks: Int { 2 }
    @inline(__always) init(_ pointer: UnsafePointer<Float>, stride: Int) {
        first = load(pointer)
        second = load(pointer + stride)
    }
}

/// One pixel, one block.
struct Narrow: Tile {
    private let offset: Int
    var sum: Vector
    static var pixels: Int { 1 }

    @inline(__always) init(offsets: UnsafePointer<Int32>, bias: OneBlock) {
        offset = Int(offsets[0])
        sum = bias.first
    }
    @inline(__always) static func prefetch(
        _ memory: UnsafePointer<Float>, _ offsets: UnsafePointer<Int32>, blockStride: Int
    ) {
        thaw_prefetch(memory + Int(offsets[0]))
    }
    @inline(__always) mutating func accumulate(_ input: UnsafePointer<Float>, _ weights: OneBlock) {
        sum = multiplyAdd(sum, Vector(repeating: input[offset]), weights.first)
    }
    @inline(__always) mutating func add(
        _ residual: UnsafePointer<Float>, _ offsets: UnsafePointer<Int32>, blockStride: Int
    ) {
        sum += load(residual + Int(offsets[0]))
    }
    @inline(__always) mutating func clamp(lower: Vector) { sum = maximum(sum, lower) }
    @inline(__always) mutating func clamp(upper: Vector) { sum = minimum(sum, upper) }
    @inline(__always) func store(
        _ output: UnsafeMutablePointer<Float>, _ offsets: UnsafePointer<Int32>, blockStride: Int
    ) {
        write(sum, output + Int(offsets[0]))
    }
    @inline(__always) func store(
        _ output: UnsafeMutablePointer<Float>, _ offsets: UnsafePointer<Int32>, blockStride: Int, lanes: Int
    ) {
        write(sum, output + Int(offsets[0]), count: lanes)
    }
}

/// One pixel, two blocks.
struct Wide: Tile {
    private let offset: Int
    var first: Vector
    var second: Vector
    static var pixels: Int { 1 }

    @inline(__always) init(offsets: UnsafePointer<Int32>, bias: TwoBlocks) {
        offset = Int(offsets[0])
        first = bias.first
        second = bias.second
    }
    @inline(__always) static func prefetch(
        _ memory: UnsafePointer<Float>, _ offsets: UnsafePointer<Int32>, blockStride: Int
    ) {
        thaw_prefetch(memory + Int(offsets[0]))
        thaw_prefetch(memory + (Int(offsets[0]) + blockStride))
    }
    @inline(__always) mutating func accumulate(_ input: UnsafePointer<Float>, _ weights: TwoBlocks) {
        let number = Vector(repeating: input[offset])
        first = multiplyAdd(first, number, weights.first)
        second = multiplyAdd(second, number, weights.second)
    }
    @inline(__always) mutating func add(
        _ residual: UnsafePointer<Float>, _ offsets: UnsafePointer<Int32>, blockStride: Int
    ) {
        first += load(residual + Int(offsets[0]))
        second += load(residual + (Int(offsets[0]) + blockStride))
    }
    @inline(__always) mutating func clamp(lower: Vector) {
        first = maximum(first, lower)
        second = maximum(second, lower)
    }
    @inline(__always) mutating func clamp(upper: Vector) {
        first = minimum(first, upper)
        second = minimum(second, upper)
    }
    @inline(__always) func store(
        _ output: UnsafeMutablePointer<Float>, _ offsets: UnsafePointer<Int32>, blockStride: Int
    ) {
        write(first, output + Int(offsets[0]))
        write(second, output + (Int(offsets[0]) + blockStride))
    }
    @inline(__always) func store(
        _ output: UnsafeMutablePointer<Float>, _ offsets: UnsafePointer<Int32>, blockStride: Int, lanes: Int
    ) {
        write(first, output + Int(offsets[0]))
        write(second, output + (Int(offsets[0]) + blockStride), count: lanes)
    }
}

/// The pixels of one tile, then those of another.
struct Pair<A: Tile, B: Tile>: Tile where A.Weights == B.Weights {
    var a: A
    var b: B
    static var pixels: Int { A.pixels + B.pixels }

    @inline(__always) init(offsets: UnsafePointer<Int32>, bias: A.Weights) {
        a = A(offsets: offsets, bias: bias)
        b = B(offsets: offsets + A.pixels, bias: bias)
    }
    @inline(__always) static func prefetch(
        _ memory: UnsafePointer<Float>, _ offsets: UnsafePointer<Int32>, blockStride: Int
    ) {
        A.prefetch(memory, offsets, blockStride: blockStride)
        B.prefetch(memory, offsets + A.pixels, blockStride: blockStride)
    }
    @inline(__always) mutating func accumulate(_ input: UnsafePointer<Float>, _ weights: A.Weights) {
        a.accumulate(input, weights)
        b.accumulate(input, weights)
    }
    @inline(__always) mutating func add(
        _ residual: UnsafePointer<Float>, _ offsets: UnsafePointer<Int32>, blockStride: Int
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
        _ output: UnsafeMutablePointer<Float>, _ offsets: UnsafePointer<Int32>, blockStride: Int
    ) {
        a.store(output, offsets, blockStride: blockStride)
        b.store(output, offsets + A.pixels, blockStride: blockStride)
    }
    @inline(__always) func store(
        _ output: UnsafeMutablePointer<Float>, _ offsets: UnsafePointer<Int32>, blockStride: Int, lanes: Int
    ) {
        a.store(output, offsets, blockStride: blockStride, lanes: lanes)
        b.store(output, offsets + A.pixels, blockStride: blockStride, lanes: lanes)
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
