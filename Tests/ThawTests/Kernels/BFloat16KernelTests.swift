import Foundation
import Kernels
import Testing

@testable import Thaw

/// The convolutions of the bfloat16 kernels, on machines that have the instructions. `BFloat16Tests` cover the other kernels.
@Suite(.enabled(if: !InstructionSet.allBFloat16Kernels.isEmpty))
struct BFloat16KernelTests {
    private let tables = InstructionSet.allBFloat16Kernels

    private static let cases: [ConvolutionCase] =
        ConvolutionCase.all
        // Every depth of a tap, with an odd number of words and of values, and every number of pixels in a tile.
        + (1...33).map { ConvolutionCase(inputs: $0, outputs: 20, size: 3) }
        + (1...8).map { ConvolutionCase(inputs: 24, outputs: 40, size: $0, plainOutput: true) }
        + [5, 7, 12, 30].map { ConvolutionCase(inputs: $0, outputs: 16, window: 3, stride: 2, hasResidual: true) }

    @Test(arguments: cases)
    func `a convolution agrees with plain loops`(_ c: ConvolutionCase) {
        let input = paddedInput(c)
        let weights = exact(c.window * c.window * c.inputs * c.outputs, seed: 2)
        let bias = noise(c.outputBlocks * 16, seed: 3)
        // Plain outputs have no residual in bfloat16.
        let residual = c.hasResidual ? exact(c.outputBlocks * c.outputPixels * 16, seed: 4) : nil
        let expected = c.expected(input: input, weights: weights, bias: bias, residual: residual)
        // Results in blocks are rounded to 8 bits, before and after an activation.
        let rounding: Float = c.plainOutput ? 0 : c.activation == nil ? 1 / 256 : 1 / 64
        for table in tables {
            let results = results(c, table, input: input, weights: weights, bias: bias, residual: residual)
            for (index, (actual, expected)) in zip(results, expected).enumerated() {
                #expect(
                    abs(actual - expected) <= abs(expected) * rounding + 1e-4,
                    "\(table), pixel \(index / c.outputs), channel \(index % c.outputs)")
            }
        }
    }

    /// The channels of each pixel of the output.
    private func results(
        _ c: ConvolutionCase, _ table: any KernelTable.Type, input: [Float], weights: [Float], bias: [Float],
        residual: [Float]?
    ) -> [Float] {
        let pixels = c.outputPixels
        let outputs = c.plainOutput ? c.outputs : c.outputBlocks * 16
        let size = c.plainOutput ? 4 : 2
        // The 16 values after the output must not be written.
        let output = UnsafeMutableRawPointer(pointer([UInt8](repeating: 0x7F, count: (pixels * outputs + 16) * size)))
        let offsets = (0..<pixels).map { Int32($0 * (c.plainOutput ? c.outputs : 16) * size) }
        var work = ConvolutionWork(
            input: pointer(input.map(upperHalf)), inputOffsets: pointer(inputOffsets(c).map { 2 * $0 }),
            taps: pointer(tapOffsets(c).map { 2 * $0 }), steps: steps(c), weights: pack(weights, c, table),
            bias: pointer(bias), output: output, outputOffsets: pointer(offsets),
            outputBlockStride: c.plainOutput ? 64 : pixels * 32, channels: outputs, pixelCount: pixels,
            blockCount: c.outputBlocks)
        work.writesPlain = c.plainOutput
        work.lower = c.lower
        work.upper = c.upper
        work.activation = c.activation
        if let residual {
            work.residual = UnsafeRawPointer(pointer(residual.map(upperHalf)))
            work.residualOffsets = work.outputOffsets
            work.residualBlockStride = work.outputBlockStride
        }
        work.scratch = scratch(steps(c), table)
        table.convolve(work)
        let end = output + pixels * outputs * size
        for byte in 0..<16 * size { #expect(end.load(fromByteOffset: byte, as: UInt8.self) == 0x7F) }
        return (0..<pixels * c.outputs).map { index in
            let position = c.outputIndex(index / c.outputs, channel: index % c.outputs)
            return c.plainOutput
                ? output.load(fromByteOffset: 4 * position, as: Float.self)
                : widened(output.load(fromByteOffset: 2 * position, as: UInt16.self))
        }
    }

    @Test(arguments: [(1, 5), (2, 16), (9, 16), (21, 40), (16, 64), (40, 70)], [false, true])
    func `packed weights do not depend on their order in memory`(_ size: (steps: Int, outputs: Int), _ cancels: Bool) {
        let (steps, outputs) = size
        let weights = noise(steps * outputs, seed: 1)
        let transposed = (0..<outputs * steps).map { weights[$0 % steps * outputs + $0 / steps] }
        for table in tables {
            for blocks in BlockGroups(blocks: (outputs + 15) / 16, maximumWidth: table.groupBlocks).ranges {
                let columns = blocks.lowerBound * 16..<min(blocks.upperBound * 16, outputs)
                func packed(_ source: [Float], row: Int, column: Int) -> [UInt8] {
                    let structure = ConvolutionSteps(tapCount: 1, depth: steps)
                    let byteCount = blocks.count * table.packedBytes(structure)
                    let packed = pointer([UInt8](repeating: 0, count: byteCount))
                    var work = WeightPackingWork(
                        source: pointer(source),
                        rows: pointer((0..<steps).map { WeightPackingWork.Row(offset: $0 * row * 4, index: $0) }),
                        rowCount: steps, columns: pointer(columns.map { $0 * column * 4 }), columnCount: columns.count,
                        blockCount: blocks.count, steps: structure, packed: packed)
                    work.cancelsErrors = cancels
                    table.packWeights(work)
                    return Array(UnsafeBufferPointer(start: packed, count: byteCount))
                }
                let expected = packed(weights, row: outputs, column: 1)
                #expect(packed(transposed, row: 1, column: steps) == expected, "\(table)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `an infinite weight has no error to cancel`(_ isContiguous: Bool) {
        let weights: [Float] = [1.001, .infinity, 2.001, .nan, 3.3e38, -.infinity, 3.001]
        let source = isContiguous ? weights.flatMap { [Float](repeating: $0, count: 16) } : weights
        let steps = ConvolutionSteps(tapCount: 1, depth: weights.count)
        let rows = weights.indices.map { WeightPackingWork.Row(offset: $0 * (isContiguous ? 64 : 4), index: $0) }
        let columns = (0..<16).map { isContiguous ? $0 * 4 : 0 }
        for table in tables {
            let byteCount = table.packedBytes(steps)
            let packed = pointer([UInt16](repeating: 0, count: byteCount / 2))
            var work = WeightPackingWork(
                source: pointer(source), rows: pointer(rows), rowCount: rows.count, columns: pointer(columns),
                columnCount: 16, blockCount: 1, steps: steps, packed: packed)
            work.cancelsErrors = true
            table.packWeights(work)
            let values = UnsafeBufferPointer(start: packed, count: byteCount / 2).map { widened($0) }
            #expect(values.count { !$0.isFinite } == 3 * 16, "\(table)")
            #expect(values.count { $0 == 3 } == 16, "\(table)")
        }
    }

    @Test(arguments: [(1, 5), (2, 16), (3, 16), (5, 33), (6, 20), (16, 40), (40, 70)])
    func `packed weights can be multiplied by a factor for each step`(steps: Int, outputs: Int) {
        for table in tables {
            #expect(scalesExactly(exact(steps * outputs, seed: 1), steps: steps, outputs: outputs, table), "\(table)")
        }
    }

    @Test(
        arguments: [
            UnaryFunction(.swish, alpha: 1), UnaryFunction(.swish, alpha: 1.702), UnaryFunction(.swish, alpha: -0.3),
            UnaryFunction(.hardSwish, alpha: 1 / 6, beta: 0.5),
        ])
    func `functions of images have an error of less than a unit in the last place`(_ function: UnaryFunction) {
        // All signs, exponents from 2⁻²⁰ to 2⁷, and every other mantissa.
        let inputs = (0..<2).flatMap { sign in
            (107...134).flatMap { exponent in
                stride(from: 0, to: 128, by: 2).map { UInt16(sign << 15 | exponent << 7 | $0) }
            }
        }
        for table in tables {
            let output = pointer([UInt16](repeating: 0, count: inputs.count))
            table.unary(
                function,
                RowWork(
                    left: pointer(inputs), leftStride: 0, output: output, outputStride: 0, width: inputs.count, count: 1
                ))
            for (index, input) in inputs.enumerated() {
                let x = Double(widened(input))
                let expected =
                    function.kind == .swish
                    ? x / (1 + exp(-Double(function.alpha) * x))
                    : x * min(max(Double(function.alpha) * x + Double(function.beta), 0), 1)
                let difference = abs(Double(widened(output[index])) - expected)
                // The zeros of a hard swish are differences of floats.
                let absolute = function.kind == .hardSwish ? 1e-6 : 1e-35
                #expect(difference <= abs(expected) / 256 + absolute, "\(table): \(x)")
            }
            let special = pointer([Float.nan, .infinity].map(upperHalf) + [UInt16](repeating: 0, count: 14))
            table.unary(
                function,
                RowWork(left: special, leftStride: 0, output: special, outputStride: 0, width: 16, count: 1))
            #expect(widened(special[0]).isNaN)
            #expect(function.alpha < 0 || widened(special[1]) == .infinity)
        }
    }

    @Test(arguments: [1, 2, 3, 5, 8])
    func `an infinite value is not multiplied by padding`(_ inputs: Int) {
        let c = ConvolutionCase(inputs: inputs, outputs: 16, size: 1)
        let steps = ConvolutionSteps(tapCount: 1, depth: inputs)
        let weights = [Float](repeating: 1, count: inputs * 16)
        let input = (0..<16).map { upperHalf($0 < inputs ? .infinity : 0) }
        for table in tables {
            let output = pointer([Float](repeating: 0, count: 16))
            var work = ConvolutionWork(
                input: pointer(input), inputOffsets: pointer([0]), taps: pointer([0]), steps: steps,
                weights: pack(weights, rows: Array(0..<c.inputs), outputs: 16, steps, table),
                bias: pointer([Float](repeating: 0, count: 16)), output: output, outputOffsets: pointer([0]),
                outputBlockStride: 64, channels: 16, pixelCount: 1, blockCount: 1)
            work.writesPlain = true
            work.scratch = scratch(steps, table)
            table.convolve(work)
            #expect(
                Array(UnsafeBufferPointer(start: output, count: 16)) == [Float](repeating: .infinity, count: 16),
                "\(table)")
        }
    }

    /// Full of NaNs, so that what a kernel does not write itself would be seen.
    private func scratch(_ steps: ConvolutionSteps, _ table: any KernelTable.Type) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(pointer([UInt8](repeating: 0xFF, count: table.scratchBytes(steps))))
    }

    /// Channels that do not exist are zeros.
    private func paddedInput(_ c: ConvolutionCase) -> [Float] {
        var input = exact(c.inputBlocks * c.plane, seed: 1)
        for index in input.indices where index / c.plane * 16 + index % 16 >= c.inputs { input[index] = 0 }
        return input
    }
}

/// Values that bfloat16 represents exactly.
func exact(_ count: Int, seed: UInt64) -> [Float] { noise(count, seed: seed).map { widened(upperHalf($0)) } }

private func upperHalf(_ x: Float) -> UInt16 { UInt16(truncatingIfNeeded: x.bitPattern >> 16) }
private func widened(_ bits: UInt16) -> Float { Float(bitPattern: UInt32(bits) << 16) }
