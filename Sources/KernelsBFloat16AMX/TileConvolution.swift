import CMachine
import Kernels
import KernelsBFloat16

// bfloat16 values in AMX's tiles: a word is a pair.

typealias TileWork = ConvolutionWork
typealias TileSteps = ConvolutionSteps
typealias TileSum = Float
/// The values of a block of a pixel.
typealias BlockValues = SIMD16<Value>

extension TileKernels {
    static var supportsTiles: Bool { thaw_has_amx_bf16() }

    @inline(__always)
    static func tapWords(_ steps: ConvolutionSteps, isShort: Bool) -> Int {
        wordCount(isShort ? steps.shortDepth : steps.depth)
    }

    public static func packedBytes(_ steps: ConvolutionSteps) -> Int { tileWeightBytes(steps) }
    public static func scratchBytes(_ steps: ConvolutionSteps) -> Int { tileScratchBytes(steps) }

    public static func packWeights(_ work: borrowing WeightPackingWork) { BFloat16Kernels.packWeights(work) }

    public static func scaleWeights(_ work: borrowing WeightScalingWork) {
        BFloat16Kernels.scaleWeights(work)
        // Past the last word, up to a whole tile.
        var offset = wordCount(work.steps) * work.blockCount * 64
        while offset < work.blockCount * packedBytes(work.steps) {
            (work.output + offset).storeBytes(of: .zero, as: Vector.self)
            offset += 64
        }
    }

    public static func convolve(_ work: borrowing ConvolutionWork) { multiplyTiles(work, work.scratch!) }

    public static func peak(_ rounds: Int) -> Int { hasTiles ? tilePeak(rounds) : BFloat16Kernels.peak(rounds) }

    @inline(__always)
    static func finishTiles<B: Blocks>(
        _: B.Type, _ sums: UnsafeRawPointer, _ work: borrowing ConvolutionWork, _ pixels: Range<Int>, _ block: Int
    ) {
        for index in 0..<pixels.count {
            var pixel = Pixel(B(floats(sums) + index * B.count * blockWidth, stride: blockWidth))
            finish(&pixel, work, pixels.lowerBound + index, block)
        }
        if let activation = work.activation { activate(activation, work, pixels, block..<block + B.count) }
    }

    /// What the processor does with a word, in plain code.
    @inline(__always)
    static func addWord(_ sum: inout Float, _ values: UnsafeRawPointer, _ weights: UnsafeRawPointer) {
        for half in 0..<2 {
            let value = values.load(fromByteOffset: half * 2, as: Value.self)
            let weight = weights.load(fromByteOffset: half * 2, as: Value.self)
            sum += Float(bitPattern: UInt32(value) << 16) * Float(bitPattern: UInt32(weight) << 16)
        }
    }

    /// Small integers, whose sums of products are exact.
    static func setTestValues(_ values: UnsafeMutableRawPointer, tiles: Int, bias: UnsafeMutableRawPointer) {
        func integer(_ index: Int) -> Float { Float((index &* 37 &+ index >> 5) & 15 - 8) }
        for index in 0..<tiles * tileBytes / 2 {
            let bits = UInt16(truncatingIfNeeded: integer(index).bitPattern >> 16)
            values.storeBytes(of: bits, toByteOffset: index * 2, as: UInt16.self)
        }
        for channel in 0..<2 * blockWidth {
            bias.storeBytes(of: integer(channel), toByteOffset: channel * 4, as: Float.self)
        }
    }
}
