import Kernels
import Testing

@testable import Thaw

struct PackingKernelTests {
    @Test(arguments: [(1, 5), (3, 16), (9, 20), (40, 70)])
    func `packed weights can be multiplied by a factor for each step`(steps: Int, outputs: Int) {
        for (set, table) in kernelTables {
            #expect(scalesExactly(noise(steps * outputs), steps: steps, outputs: outputs, table), "\(set)")
        }
    }
}

/// Whether packed weights, multiplied by a factor for each step, are those that are multiplied and then packed.
func scalesExactly(_ weights: [Float], steps: Int, outputs: Int, _ table: any KernelTable.Type) -> Bool {
    // (A product of the zeros that pad a block and a negative factor would be a negative zero.)
    let factors = noise(steps, seed: 2).map { abs($0) }
    let scaled = (0..<weights.count).map { weights[$0] * factors[$0 / outputs] }
    let shape = ConvolutionSteps(tapCount: 1, depth: steps)
    let blocks = (outputs + 15) / 16
    let size = blocks * table.packedBytes(shape)
    let packed = pack(weights, rows: Array(0..<steps), outputs: outputs, shape, table)
    let expected = pack(scaled, rows: Array(0..<steps), outputs: outputs, shape, table)
    let output = UnsafeMutableRawPointer(pointer([UInt8](repeating: 0xFF, count: size)))
    for group in BlockGroups(blocks: blocks, maximumWidth: table.groupBlocks).ranges {
        let start = group.lowerBound * table.packedBytes(shape)
        table.scaleWeights(
            WeightScalingWork(
                weights: packed + start, factors: pointer(factors), blockCount: group.count, steps: shape,
                output: output + start))
    }
    return UnsafeRawBufferPointer(start: output, count: size)
        .elementsEqual(UnsafeRawBufferPointer(start: expected, count: size))
}

/// The weights as the table packs them.
func pack(_ weights: [Float], _ c: ConvolutionCase, _ table: any KernelTable.Type) -> UnsafeRawPointer {
    let rows = (0..<c.inputBlocks).flatMap { block in
        (0..<c.window * c.window).flatMap { tap in
            (block * 16..<min(block * 16 + 16, c.inputs)).map { tap * c.inputs + $0 }
        }
    }
    return pack(weights, rows: rows, outputs: c.outputs, steps(c), table)
}

/// - Parameter rows: The row of the weights for each step.
func pack(
    _ weights: [Float], rows: [Int], outputs: Int, _ steps: ConvolutionSteps, _ table: any KernelTable.Type
) -> UnsafeRawPointer {
    let blocks = (outputs + 15) / 16
    let packed = UnsafeMutableRawPointer(
        pointer([UInt8](repeating: 0, count: blocks * table.packedBytes(steps))))
    for group in BlockGroups(blocks: blocks, maximumWidth: table.groupBlocks).ranges {
        let columns = group.lowerBound * 16..<min(group.upperBound * 16, outputs)
        table.packWeights(
            packing(
                weights, rows: rows, width: outputs, columns: columns, blocks: group.count, steps,
                to: packed + group.lowerBound * table.packedBytes(steps)))
    }
    return UnsafeRawPointer(packed)
}

func packDepthwise(
    _ weights: [Float], channels: Int, window: Int, _ table: any KernelTable.Type
) -> UnsafeRawPointer {
    let blocks = (channels + 15) / 16
    let steps = ConvolutionSteps(tapCount: window, depth: window)
    let size = table.packedDepthwiseBytes(steps)
    let packed = UnsafeMutableRawPointer(pointer([UInt8](repeating: 0, count: blocks * size)))
    for block in 0..<blocks {
        table.packDepthwise(
            packing(
                weights, rows: Array(0..<steps.count), width: channels,
                columns: block * 16..<min(block * 16 + 16, channels),
                blocks: 1, steps, to: packed + block * size))
    }
    return UnsafeRawPointer(packed)
}

/// The work that packs columns of a matrix with rows of `width` values.
private func packing(
    _ weights: [Float], rows: [Int], width: Int, columns: Range<Int>, blocks: Int, _ steps: ConvolutionSteps,
    to packed: UnsafeMutableRawPointer
) -> WeightPackingWork {
    WeightPackingWork(
        source: pointer(weights),
        rows: pointer(rows.enumerated().map { WeightPackingWork.Row(offset: bytes($1 * width), index: $0) }),
        rowCount: rows.count, columns: pointer(columns.map { bytes($0) }), columnCount: columns.count,
        blockCount: blocks, steps: steps, packed: packed)
}

func steps(_ c: ConvolutionCase) -> ConvolutionSteps {
    var steps = ConvolutionSteps(tapCount: c.inputBlocks * c.window * c.window, depth: 16)
    if c.inputs % 16 > 0 { (steps.shortTaps, steps.shortDepth) = (c.window * c.window, c.inputs % 16) }
    return steps
}

func inBytes(_ offsets: [Int32]) -> [Int32] { offsets.map { 4 * $0 } }
