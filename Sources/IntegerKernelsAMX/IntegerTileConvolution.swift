import CMachine
import IntegerKernelsAVX512VNNI
import Kernels

// 8-bit integers in AMX's tiles: a word is a quad.

typealias TileWork = IntegerConvolutionWork
typealias TileSteps = IntegerSteps
typealias TileSum = Int32
/// The values of a block of a pixel.
typealias BlockValues = Bytes

var valuesPerWord: Int { @inline(__always) get { 4 } }
@inline(__always) func wordCount(_ steps: IntegerSteps) -> Int { steps.count }

extension IntegerConvolutionWork {
    var channels: Int { @inline(__always) get { results.channels } }
    var bias: UnsafePointer<Int32> { @inline(__always) get { results.bias } }
    var firstBlock: Int { @inline(__always) get { results.firstBlock } }
    var blockCount: Int { @inline(__always) get { results.blockCount } }
}

extension Int8TileKernels {
    static var supportsTiles: Bool { thaw_has_amx_int8() }

    @inline(__always)
    static func tapWords(_ steps: IntegerSteps, isShort: Bool) -> Int { isShort ? steps.shortQuads : steps.quads }

    public static func packedBytes(_ steps: IntegerSteps) -> Int { tileWeightBytes(steps) }
    public static func scratchBytes(_ steps: IntegerSteps) -> Int { tileScratchBytes(steps) }
    public static func packWeights(_ work: borrowing IntegerPackingWork) { Int8Kernels.packWeights(work) }
    public static func convolve(_ work: borrowing IntegerConvolutionWork) { multiplyTiles(work, work.scratch) }

    public static func peak(_ rounds: Int) -> Int { hasTiles ? tilePeak(rounds) : Int8Kernels.peak(rounds) }

    @inline(__always)
    static func finishTiles<B: Blocks>(
        _: B.Type, _ sums: UnsafeRawPointer, _ work: borrowing IntegerConvolutionWork, _ pixels: Range<Int>,
        _ block: Int
    ) {
        finishStored(StoredSums<B>(sums: sums, count: pixels.count), work.results, pixels.lowerBound, block)
    }

    /// What the processor does with a word, in plain code.
    @inline(__always)
    static func addWord(_ sum: inout Int32, _ values: UnsafeRawPointer, _ weights: UnsafeRawPointer) {
        for byte in 0..<4 {
            let weight = weights.load(fromByteOffset: byte, as: Int8.self)
            sum &+= Int32(values.load(fromByteOffset: byte, as: UInt8.self)) * Int32(weight)
        }
    }

    static func setTestValues(_ values: UnsafeMutableRawPointer, tiles: Int, bias: UnsafeMutableRawPointer) {
        let bytes = values.assumingMemoryBound(to: UInt8.self)
        for index in 0..<tiles * tileBytes { bytes[index] = UInt8(truncatingIfNeeded: index &* 37 &+ index >> 6) }
        for channel in 0..<2 * blockWidth {
            bias.storeBytes(of: Int32(channel) &* 0x0357_1B25, toByteOffset: channel * 4, as: Int32.self)
        }
    }
}
