import Kernels
import Testing

@testable import Thaw

/// A convolution in the blocked layout, large enough for several tiles and small enough for plain loops.
struct ConvolutionCase: CustomTestStringConvertible, Sendable {
    var inputs = 16
    var outputs = 32
    var size = 9
    var window = 1
    var stride = 1
    var dilation = 1
    var lower = -Float.infinity
    var upper = Float.infinity
    var activation: UnaryFunction?
    var hasResidual = false
    var plainOutput = false

    var testDescription: String {
        "\(window)×\(window) stride \(stride) dilation \(dilation), \(inputs)→\(outputs) at \(size)²"
            + (hasResidual ? ", residual" : "") + (activation.map { ", \($0.kind)" } ?? "")
            + (lower == 0 ? ", from 0 to \(upper)" : "") + (plainOutput ? ", plain output" : "")
    }
    var outputSize: Int { (size - (window - 1) * dilation - 1) / stride + 1 }
    var outputPixels: Int { outputSize * outputSize }
    var inputBlocks: Int { (inputs + 15) / 16 }
    var outputBlocks: Int { (outputs + 15) / 16 }
    var plane: Int { size * size * 16 }

    /// The index of a pixel's channel in the output.
    func outputIndex(_ pixel: Int, channel: Int) -> Int {
        plainOutput ? pixel * outputs + channel : blockedIndex(pixel, channel: channel)
    }

    private func blockedIndex(_ pixel: Int, channel: Int) -> Int {
        (channel / 16 * outputPixels + pixel) * 16 + channel % 16
    }

    /// The channels of each pixel of the output, by plain loops. The input and the residual are in blocks.
    func expected(input: [Float], weights: [Float], bias: [Float], residual: [Float]?) -> [Float] {
        (0..<outputPixels * outputs).map { index in
            let (pixel, channel) = (index / outputs, index % outputs)
            let (y, x) = (pixel / outputSize * stride, pixel % outputSize * stride)
            var sum = bias[channel]
            for ky in 0..<window {
                for kx in 0..<window {
                    let position = (y + ky * dilation) * size + x + kx * dilation
                    for i in 0..<inputs {
                        sum +=
                            input[i / 16 * plane + position * 16 + i % 16]
                            * weights[((ky * window + kx) * inputs + i) * outputs + channel]
                    }
                }
            }
            if let residual { sum += residual[blockedIndex(pixel, channel: channel)] }
            return scalar(activation, min(max(sum, lower), upper))
        }
    }

    static let all: [ConvolutionCase] =
        [
            ConvolutionCase(window: 3), ConvolutionCase(outputs: 16, window: 2),
            ConvolutionCase(inputs: 40, outputs: 48, window: 3, stride: 2),
            ConvolutionCase(inputs: 5, outputs: 7, window: 3, dilation: 2),
            ConvolutionCase(inputs: 20, outputs: 70, lower: 0, plainOutput: true),
            ConvolutionCase(outputs: 33, lower: 0, upper: 0.5, hasResidual: true),
            ConvolutionCase(outputs: 50, activation: UnaryFunction(.leaky, alpha: 0.1), plainOutput: true),
            ConvolutionCase(activation: UnaryFunction(.swish), hasResidual: true),
        ]
        // Every possible number of pixels in a tile.
        + (1...6).map { ConvolutionCase(outputs: 48, size: $0) }
        + (4...9).map { ConvolutionCase(outputs: 16 * $0, activation: UnaryFunction(.sigmoid)) }

    static let tileCounts = Array(1...30)
}

struct ConvolutionKernelTests {
    @Test(arguments: ConvolutionCase.all)
    func `a convolution agrees with plain loops`(_ c: ConvolutionCase) {
        let input = noise(c.inputBlocks * c.plane)
        let weights = noise(c.window * c.window * c.inputs * c.outputs, seed: 2)
        let bias = noise(c.outputBlocks * 16, seed: 3)
        let pixels = c.outputPixels
        let residual = c.hasResidual ? noise(c.outputBlocks * pixels * 16, seed: 4) : nil
        let expected = c.expected(input: input, weights: weights, bias: bias, residual: residual)
        for (set, table) in kernelTables {
            var output = [Float](
                repeating: .nan, count: pixels * (c.plainOutput ? c.outputs : c.outputBlocks * 16) + 16)
            output.withUnsafeMutableBufferPointer { output in
                var work = ConvolutionWork(
                    input: pointer(input), inputOffsets: pointer(inBytes(inputOffsets(c))),
                    taps: pointer(inBytes(tapOffsets(c))), steps: steps(c), weights: pack(weights, c, table),
                    bias: pointer(bias), output: output.baseAddress!,
                    outputOffsets: pointer((0..<pixels).map { Int32(bytes($0 * (c.plainOutput ? c.outputs : 16))) }),
                    outputBlockStride: bytes(c.plainOutput ? 16 : pixels * 16),
                    channels: c.plainOutput ? c.outputs : c.outputBlocks * 16, pixelCount: pixels,
                    blockCount: c.outputBlocks)
                work.lower = c.lower
                work.upper = c.upper
                work.activation = c.activation
                if let residual {
                    work.residual = UnsafeRawPointer(pointer(residual))
                    work.residualOffsets = work.outputOffsets
                    work.residualBlockStride = work.outputBlockStride
                }
                table.convolve(work)
            }
            let rows = (0..<pixels * c.outputs).map { index in
                output[c.outputIndex(index / c.outputs, channel: index % c.outputs)]
            }
            #expect(error(rows, expected) < 1e-5, "\(set)")
            if c.plainOutput { #expect(!output.suffix(16).contains { !$0.isNaN }, "\(set) wrote past the end") }
        }
    }

    @Test(arguments: ConvolutionCase.tileCounts)
    func `any number of pixels is computed, each exactly once`(_ pixels: Int) {
        let input = noise(pixels * 16)
        for (set, table) in kernelTables {
            for blocks in 1...table.groupBlocks { identity(input, pixels: pixels, blocks: blocks, set, table) }
        }
    }

    /// Identity weights: every pixel must be copied, in all blocks of a group.
    private func identity(
        _ input: [Float], pixels: Int, blocks: Int, _ set: InstructionSet, _ table: any KernelTable.Type
    ) {
        let outputs = 16 * blocks
        var weights = [Float](repeating: 0, count: 16 * outputs)
        for i in 0..<16 { for block in 0..<blocks { weights[i * outputs + block * 16 + i] = 1 } }
        let packed = pack(weights, ConvolutionCase(outputs: outputs), table)
        let output = pointer([Float](repeating: 7, count: (pixels + 2) * outputs))
        let offsets = pointer((0..<pixels).map { Int32(bytes($0 * 16)) })
        table.convolve(
            ConvolutionWork(
                input: pointer(input), inputOffsets: offsets, taps: pointer([0]),
                steps: ConvolutionSteps(tapCount: 1, depth: 16), weights: packed,
                bias: pointer([Float](repeating: 0, count: outputs)), output: output,
                outputOffsets: offsets, outputBlockStride: bytes((pixels + 1) * 16), channels: outputs,
                pixelCount: pixels, blockCount: blocks))
        for block in 0..<blocks {
            let start = output + block * (pixels + 1) * 16
            #expect(Array(UnsafeBufferPointer(start: start, count: pixels * 16)) == input, "\(set)")
            #expect(start[pixels * 16] == 7, "\(set)")
        }
    }

    @Test(
        arguments: [
            (blocks: 1, most: 4, widths: [1]), (2, 4, [2]), (3, 4, [3]), (4, 4, [4]), (5, 4, [3, 2]), (6, 4, [3, 3]),
            (7, 4, [3, 4]), (8, 4, [4, 4]), (9, 4, [3, 3, 3]), (13, 4, [3, 3, 3, 4]), (5, 2, [2, 2, 1]),
            (3, 1, [1, 1, 1]),
        ])
    func `groups are as wide as possible without leaving a single block`(_ blocks: Int, most: Int, widths: [Int]) {
        let groups = BlockGroups(blocks: blocks, maximumWidth: most)
        #expect(groups.ranges.map(\.count) == widths)
        #expect(groups.widest == widths.max())
    }

    @Test(arguments: [1, 3, 4])
    func `a first layer reads rows of a plain image`(channels: Int) {
        let size = 12
        let outputSize = 5
        let image = noise(size * size * channels)
        let weights = noise(3 * 3 * channels * 16, seed: 2)
        var expected = [Float]()
        for y in 0..<outputSize {
            for x in 0..<outputSize {
                for o in 0..<16 {
                    var sum: Float = 0.5
                    for ky in 0..<3 {
                        for d in 0..<3 * channels {
                            sum +=
                                image[((y * 2 + ky) * size + x * 2) * channels + d]
                                * weights[(ky * 3 * channels + d) * 16 + o]
                        }
                    }
                    expected.append(sum)
                }
            }
        }
        let offsets = (0..<outputSize).flatMap { y in
            (0..<outputSize).map { Int32(bytes((y * 2 * size + $0 * 2) * channels)) }
        }
        for (set, table) in kernelTables {
            let output = pointer([Float](repeating: 0, count: expected.count))
            let steps = ConvolutionSteps(tapCount: 3, depth: 3 * channels)
            let work = ConvolutionWork(
                input: pointer(image), inputOffsets: pointer(offsets),
                taps: pointer((0..<3).map { Int32(bytes($0 * size * channels)) }), steps: steps,
                weights: pack(weights, rows: Array(0..<9 * channels), outputs: 16, steps, table),
                bias: pointer([Float](repeating: 0.5, count: 16)), output: output,
                outputOffsets: pointer((0..<offsets.count).map { Int32(bytes($0 * 16)) }),
                outputBlockStride: bytes(16), channels: 16,
                pixelCount: offsets.count, blockCount: 1)
            table.convolve(work)
            #expect(error(Array(UnsafeBufferPointer(start: output, count: expected.count)), expected) < 1e-5, "\(set)")
        }
    }

    @Test(
        arguments: [
            ConvolutionCase(inputs: 32, outputs: 32, window: 3),
            ConvolutionCase(inputs: 32, outputs: 32, window: 3, stride: 2),
            ConvolutionCase(inputs: 16, outputs: 16, size: 14, window: 5, dilation: 2, lower: 0, upper: 0.25),
            ConvolutionCase(inputs: 16, outputs: 16, size: 17, window: 3, stride: 3),
            ConvolutionCase(inputs: 16, outputs: 16, size: 9, window: 3, activation: UnaryFunction(.sigmoid)),
        ] + (16...30).map { ConvolutionCase(inputs: 16, outputs: 16, size: $0, window: 3) } + [
            ConvolutionCase(inputs: 16, outputs: 16, size: 3, window: 3)
        ])
    func `a depthwise convolution agrees with plain loops`(_ c: ConvolutionCase) {
        let input = noise(c.inputBlocks * c.plane)
        let weights = noise(c.inputs * c.window * c.window, seed: 2)
        let bias = noise(c.inputs, seed: 3)
        let pixels = c.outputSize * c.outputSize
        let area = c.window * c.window
        var expected = [Float](repeating: 0, count: pixels * c.inputs)
        for block in 0..<c.inputBlocks {
            for (pixel, start) in inputOffsets(c).enumerated() {
                for lane in 0..<16 {
                    var sum = bias[block * 16 + lane]
                    for tap in 0..<area {
                        let position = Int(start + tapOffsets(c)[tap]) + block * c.plane + lane
                        sum += input[position] * weights[tap * c.inputs + block * 16 + lane]
                    }
                    expected[(block * pixels + pixel) * 16 + lane] = scalar(
                        c.activation, min(max(sum, c.lower), c.upper))
                }
            }
        }
        for (set, table) in kernelTables {
            let packed = packDepthwise(weights, channels: c.inputs, window: c.window, table)
            let output = pointer([Float](repeating: 0, count: expected.count))
            var work = DepthwiseWork(
                input: pointer(input), inputRowStride: bytes(c.size * 16), inputBlockStride: bytes(c.plane),
                strideY: c.stride, strideX: c.stride, windowHeight: c.window, windowWidth: c.window,
                tapStrideY: bytes(c.dilation * c.size * 16), tapStrideX: bytes(c.dilation * 16), weights: packed,
                bias: pointer(bias), output: output, outputRowStride: bytes(c.outputSize * 16),
                outputBlockStride: bytes(pixels * 16),
                width: c.outputSize, rowCount: c.outputSize, blockCount: c.inputBlocks)
            work.lower = c.lower
            work.upper = c.upper
            work.activation = c.activation
            table.convolveDepthwise(work)
            #expect(error(Array(UnsafeBufferPointer(start: output, count: expected.count)), expected) < 1e-5, "\(set)")
        }
    }
}

/// Where each pixel of the output begins in a plane of the input, in values.
func inputOffsets(_ c: ConvolutionCase) -> [Int32] {
    (0..<c.outputSize).flatMap { y in
        (0..<c.outputSize).map { x in Int32((y * c.stride * c.size + x * c.stride) * 16) }
    }
}

/// The offset of each tap, in values.
func tapOffsets(_ c: ConvolutionCase) -> [Int32] {
    (0..<c.inputBlocks).flatMap { block in
        (0..<c.window * c.window).map { tap -> Int32 in
            let (y, x) = (tap / c.window * c.dilation, tap % c.window * c.dilation)
            return Int32(block * c.plane + (y * c.size + x) * 16)
        }
    }
}
