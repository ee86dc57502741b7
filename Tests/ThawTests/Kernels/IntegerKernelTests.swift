import Kernels
import Testing

@testable import Thaw

/// An 8-bit integer convolution, small enough for plain loops.
struct IntegerConvolutionCase: CustomTestStringConvertible, Sendable {
    var inputs = 16
    var outputs = 16
    var size = 5
    var window = 1
    var stride = 1
    var hasFloats = false
    /// Whether results may be any byte, with 0 as the zero point. Then they need no clamping if they are `bounded`.
    var usesAllBytes = false
    var bounded = true
    /// Pixels at the end of each row of the output that are not written.
    var border = 0
    /// Whether values are 0 or 255, and weights −127 or 127, or −128 in every other row.
    var isExtreme = false

    var testDescription: String {
        "\(window)×\(window) stride \(stride), \(inputs)→\(outputs) at \(size)²" + (hasFloats ? ", floats" : "")
            + (usesAllBytes ? bounded ? ", all bytes" : ", all bytes and beyond" : "")
            + (border > 0 ? ", border" : "") + (isExtreme ? ", extreme" : "")
    }
    var outputSize: Int { (size - window) / stride + 1 }
    /// The index of each pixel in a plane of the output.
    var outputPixels: [Int] {
        (0..<outputSize).flatMap { y in (0..<outputSize).map { x in y * (outputSize + border) + x } }
    }
    var outputPlane: Int { outputSize * (outputSize + border) }
    var plane: Int { size * size * integerBlockWidth }
    var inputBlocks: Int { (inputs + integerBlockWidth - 1) / integerBlockWidth }
    var outputBlocks: Int { (outputs + integerBlockWidth - 1) / integerBlockWidth }

    static let full: [IntegerConvolutionCase] =
        [
            IntegerConvolutionCase(window: 3),
            IntegerConvolutionCase(inputs: 40, outputs: 48, size: 7, window: 3, stride: 2),
            IntegerConvolutionCase(inputs: 3, outputs: 7, window: 3), IntegerConvolutionCase(inputs: 20, outputs: 70),
            IntegerConvolutionCase(inputs: 36, outputs: 33, hasFloats: true),
            // Every number of quads at a tap.
            IntegerConvolutionCase(inputs: 7, window: 3), IntegerConvolutionCase(inputs: 12, outputs: 33, window: 3),
            IntegerConvolutionCase(inputs: 28, outputs: 20),
            IntegerConvolutionCase(inputs: 48, outputs: 64, isExtreme: true),
        ]
        + [16, 32, 48, 64].flatMap { outputs in
            [true, false].map {
                IntegerConvolutionCase(outputs: outputs, size: 6, usesAllBytes: true, bounded: $0)
            }
        }
        // Many different numbers of pixels in a tile.
        + (1...8).map { IntegerConvolutionCase(outputs: 80, size: $0) }
        // The same if results of adjacent pixels are stored at once, as far as they are adjacent.
        + [32, 48, 64].flatMap { outputs in
            (1...8).flatMap { size in
                [0, 3].map { IntegerConvolutionCase(outputs: outputs, size: size, usesAllBytes: true, border: $0) }
            }
        }

    static let depthwise: [IntegerConvolutionCase] =
        [2, 3, 5].flatMap { window in
            [1, 2, 3].flatMap { stride in
                [false, true].map {
                    IntegerConvolutionCase(size: 14, window: window, stride: stride, usesAllBytes: $0)
                }
            }
        }
        // Every number of outputs in a row that are left after four at a time.
        + [3, 5].flatMap { window in
            (window...window + 8).flatMap { size in
                [1, 2].map {
                    IntegerConvolutionCase(size: size, window: window, stride: $0, usesAllBytes: size % 2 == 0)
                }
            }
        }

    var rounding: QuantizedRounding {
        guard usesAllBytes else { return QuantizedRounding(zeroPoint: 11, lower: 5, upper: 250) }
        var rounding = QuantizedRounding(zeroPoint: 0, lower: 0, upper: 255)
        if bounded { rounding.bound = 0x1p31 }
        return rounding
    }

    /// The factor of each output channel. Unless they are `bounded`, some products exceed the range of words.
    func factors(_ count: Int) -> [Float] {
        noise(count, seed: 4).map { bounded ? 0.004 + $0 * 0.001 : $0 * 0x1p20 }
    }

    func quantized(_ product: Float) -> Float {
        min(max(product, rounding.lower), rounding.upper).rounded(.toNearestOrEven) + Float(rounding.zeroPoint)
    }

    /// Where each pixel of the output begins in a plane of the input.
    var inputOffsets: [Int32] {
        (0..<outputSize).flatMap { y in
            (0..<outputSize).map { x in Int32((y * size + x) * stride * integerBlockWidth) }
        }
    }

    /// The offset of a tap in a plane of the input.
    private func offset(ofTap tap: Int) -> Int { (tap / window * size + tap % window) * integerBlockWidth }

    /// For each block of the input, the offset of each tap.
    var taps: [Int32] {
        (0..<inputBlocks).flatMap { block in
            (0..<window * window).map { Int32(block * plane + offset(ofTap: $0)) }
        }
    }

    /// The rows of the weights by which the values at the taps are multiplied. Each tap has whole quads; −1 is no row.
    private var rows: [Int32] {
        (0..<inputBlocks).flatMap { block in
            let depth = min(integerBlockWidth, inputs - block * integerBlockWidth)
            return (0..<window * window).flatMap { tap in
                let first = tap * inputs + block * integerBlockWidth
                return (0..<(depth + 3) / 4 * 4).map { $0 < depth ? Int32(first + $0) : -1 }
            }
        }
    }

    var steps: IntegerSteps {
        var steps = IntegerSteps(tapCount: inputBlocks * window * window, quads: integerBlockWidth / 4)
        steps.shortTaps = inputs % integerBlockWidth == 0 ? 0 : window * window
        steps.shortQuads = (inputs % integerBlockWidth + 3) / 4
        return steps
    }

    /// The weights in the kernels' order.
    func packed(_ weights: [Int8], in kernels: any IntegerKernels.Type) -> UnsafeMutablePointer<UInt8> {
        let (weights, rows, steps) = (pointer(weights), rows, steps)
        let packed = pointer([UInt8](repeating: 0, count: outputBlocks * kernels.packedBytes(steps)))
        for group in BlockGroups(blocks: outputBlocks, maximumWidth: kernels.groupBlocks).ranges {
            let first = group.lowerBound * integerBlockWidth
            kernels.packWeights(
                IntegerPackingWork(
                    quantized: weights, rowStride: outputs, rows: pointer(rows), rowCount: rows.count, steps: steps,
                    firstColumn: first, columnCount: min(group.count * integerBlockWidth, outputs - first),
                    blockCount: group.count, packed: packed + group.lowerBound * kernels.packedBytes(steps)))
        }
        return packed
    }

    /// The output in blocks, by plain loops.
    func expected(input: [UInt8], weights: [Int8], bias: [Int32], factors: [Float]) -> [Float] {
        let (width, pixels) = (integerBlockWidth, outputPixels)
        var expected = [Float](repeating: 0, count: outputBlocks * outputPlane * width)
        for (pixel, start) in inputOffsets.enumerated() {
            for o in 0..<outputs {
                var sum = bias[o]
                for tap in 0..<window * window {
                    for i in 0..<inputs {
                        let value = input[Int(start) + i / width * plane + offset(ofTap: tap) + i % width]
                        sum &+= Int32(value) * Int32(weights[(tap * inputs + i) * outputs + o])
                    }
                }
                let product = Float(sum) * factors[o]
                let index = (o / width * outputPlane + pixels[pixel]) * width + o % width
                expected[index] = hasFloats ? product : quantized(product)
            }
        }
        return expected
    }
}

struct IntegerKernelTests {
    @Test(arguments: IntegerConvolutionCase.full)
    func `an 8-bit convolution matches plain loops, bit by bit`(_ c: IntegerConvolutionCase) {
        let (width, blocks, pixels) = (integerBlockWidth, c.outputBlocks, c.outputPixels)
        var input = quantized(c.inputBlocks * c.plane)
        var weights = quantized(c.window * c.window * c.inputs * c.outputs, seed: 2).map { Int8(bitPattern: $0) }
        if c.isExtreme {
            input = input.map { $0 < 128 ? 0 : 255 }
            for index in weights.indices {
                weights[index] = weights[index] > 0 ? 127 : index / c.outputs % 2 == 0 ? -128 : -127
            }
        }
        let (bias, factors) = (biases(blocks * width), c.factors(blocks * width))
        let expected = c.expected(input: input, weights: weights, bias: bias, factors: factors)
        for kernels in InstructionSet.allIntegerKernels {
            let valueBytes = c.hasFloats ? 4 : 1
            let output = pointer([UInt8](repeating: 0, count: expected.count * valueBytes))
            let offsets = pixels.map { Int32($0 * width * valueBytes) }
            let results = IntegerResults(
                bias: pointer(bias), factors: pointer(factors), rounding: c.hasFloats ? nil : c.rounding,
                output: output, outputOffsets: pointer(offsets), outputBlockStride: c.outputPlane * width * valueBytes,
                channels: c.outputs, blockCount: blocks)
            kernels.convolve(
                IntegerConvolutionWork(
                    input: pointer(input), inputOffsets: pointer(c.inputOffsets), taps: pointer(c.taps), steps: c.steps,
                    weights: c.packed(weights, in: kernels), results: results, pixelCount: pixels.count,
                    scratch: pointer([UInt8](repeating: 0xFF, count: kernels.scratchBytes(c.steps)))))
            let values = (0..<expected.count).map { index in
                c.hasFloats
                    ? UnsafeRawPointer(output).load(fromByteOffset: 4 * index, as: Float.self) : Float(output[index])
            }
            #expect(values == expected, "\(kernels)")
        }
    }

    @Test(arguments: IntegerConvolutionCase.depthwise)
    func `a quantized depthwise convolution matches plain loops, bit by bit`(_ c: IntegerConvolutionCase) {
        let (width, pixels) = (integerBlockWidth, c.outputSize * c.outputSize)
        // Vector loads may read past the end.
        let input = quantized(c.size * c.size * width + 48)
        let taps = c.window * c.window
        let weights = quantized(taps * width, seed: 2).map { Int8(bitPattern: $0) }
        let (bias, factors) = (biases(width), c.factors(width))
        var expected = [Float](repeating: 0, count: pixels * width)
        for (pixel, start) in c.inputOffsets.enumerated() {
            for channel in 0..<width {
                let sum = (0..<taps).reduce(bias[channel]) { sum, tap in
                    let offset = Int(start) + (tap / c.window * c.size + tap % c.window) * width + channel
                    return sum &+ Int32(input[offset]) * Int32(weights[tap * width + channel])
                }
                expected[pixel * width + channel] = c.quantized(Float(sum) * factors[channel])
            }
        }
        for kernels in InstructionSet.allIntegerKernels {
            let packed = pointer([UInt8](repeating: 0, count: kernels.packedDepthwiseBytes(window: taps)))
            kernels.packDepthwise(
                IntegerPackingWork(
                    quantized: pointer(weights), rowStride: width, rows: pointer((0..<Int32(taps)).map { $0 }),
                    rowCount: taps, firstColumn: 0, columnCount: width, blockCount: 1, packed: packed))
            let output = pointer([UInt8](repeating: 0, count: expected.count))
            kernels.convolveDepthwise(
                IntegerDepthwiseWork(
                    input: pointer(input), inputRowStride: c.size * width, strideY: c.stride, strideX: c.stride,
                    windowHeight: c.window, windowWidth: c.window, tapStrideY: c.size * width, tapStrideX: width,
                    weights: packed, bias: pointer(bias), factors: pointer(factors), rounding: c.rounding,
                    output: output, outputRowStride: c.outputSize * width, width: c.outputSize, firstRow: 0,
                    rowCount: c.outputSize))
            #expect((0..<expected.count).map { Float(output[$0]) } == expected, "\(kernels)")
        }
    }

    @Test(arguments: [1, 16, 31, 112, 128, 224, 333], [1, 3])
    func `bytes are replaced by those of a table`(width: Int, rows: Int) {
        let stride = width + 5
        let table = quantized(256, seed: 2)
        let input = (0..<rows * stride).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let expected = input.indices.map { $0 % stride < width ? table[Int(input[$0])] : input[$0] }
        for kernels in InstructionSet.allIntegerKernels {
            // In place.
            let bytes = pointer(input)
            kernels.lookUp(
                LookupWork(
                    input: bytes, inputStride: stride, table: pointer(table), output: bytes, outputStride: stride,
                    width: width, count: rows))
            #expect(input.indices.map { bytes[$0] } == expected, "\(kernels)")
        }
    }

    /// All values from 0 to 255.
    private func quantized(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        noise(count, seed: seed).map { UInt8(min(max(128 + $0 * 128, 0), 255)) }
    }

    private func biases(_ count: Int) -> [Int32] { noise(count, seed: 3).map { Int32($0 * 2000) } }
}
