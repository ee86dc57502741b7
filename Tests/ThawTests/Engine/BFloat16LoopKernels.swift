import Kernels

@testable import Thaw

/// A kernel table of plain loops that shares no layout with the others: images of bfloat16 in blocks of 8 channels, and
/// weights as doubles, channel by channel. The engine must work with it, because only the table knows its layout.
enum BFloat16LoopKernels: KernelTable {
    static var plain: any (KernelTable & PlainKernels).Type { InstructionSet.baseline.kernels }
    static var blockWidth: Int { 8 }
    static var valueType: BlockedValueType { .bfloat16 }
    static var groupBlocks: Int { 3 }
    static var tilePixels: Int { 2 }
    static var cyclesPerVector: Double { 1 }
    static var winograd: (any WinogradKernels.Type)? { nil }

    // MARK: Convolutions

    static func packedBytes(_ steps: ConvolutionSteps) -> Int { blockWidth * steps.count * 8 }
    static func scratchBytes(_ steps: ConvolutionSteps) -> Int { 1000 }

    static func packWeights(_ work: borrowing WeightPackingWork) {
        for column in 0..<work.columnCount {
            for row in 0..<work.rowCount {
                let weight = work.source.load(
                    fromByteOffset: work.rows[row].offset + work.columns[column], as: Float.self)
                let index = column * work.steps.count + work.rows[row].index
                work.packed.storeBytes(of: Double(weight), toByteOffset: index * 8, as: Double.self)
            }
        }
    }

    static func scaleWeights(_ work: borrowing WeightScalingWork) {
        for index in 0..<work.blockCount * blockWidth * work.steps.count {
            let weight = work.weights.load(fromByteOffset: index * 8, as: Double.self)
            let factor = Double(work.factors[index % work.steps.count])
            work.output.storeBytes(of: weight * factor, toByteOffset: index * 8, as: Double.self)
        }
    }

    static func convolve(_ work: borrowing ConvolutionWork) {
        let steps = work.steps
        // Scratch memory is nobody else's.
        work.scratch!.fill(0xFF, byteCount: scratchBytes(steps))
        let outputs: Row = work.writesPlain ? .floats : .blocks
        for block in work.firstBlock..<work.firstBlock + work.blockCount {
            for pixel in work.firstPixel..<work.firstPixel + work.pixelCount {
                for lane in 0..<min(blockWidth, work.channels - block * blockWidth) {
                    let channel = block * blockWidth + lane
                    var sum = Double(work.bias[channel])
                    var step = channel * steps.count
                    for tap in 0..<steps.tapCount {
                        let values = work.input + Int(work.inputOffsets[pixel] + work.taps[tap])
                        for d in 0..<(tap < steps.tapCount - steps.shortTaps ? steps.depth : steps.shortDepth) {
                            let weight = work.weights.load(fromByteOffset: step * 8, as: Double.self)
                            sum += Double(Row.blocks.value(values, d)) * weight
                            step += 1
                        }
                    }
                    if let residual = work.residual, let offsets = work.residualOffsets {
                        let start = block * work.residualBlockStride + Int(offsets[pixel])
                        sum += Double((work.addsPlain ? Row.floats : .blocks).value(residual + start, lane))
                    }
                    outputs.set(
                        work.output + (block * work.outputBlockStride + Int(work.outputOffsets[pixel])), lane,
                        activated(Float(sum), work.lower, work.upper, work.activation))
                }
            }
        }
    }

    static func packedDepthwiseBytes(_ steps: ConvolutionSteps) -> Int { packedBytes(steps) }
    static func packDepthwise(_ work: borrowing WeightPackingWork) { packWeights(work) }

    static func convolveDepthwise(_ work: borrowing DepthwiseWork) {
        let area = work.windowHeight * work.windowWidth
        for block in 0..<work.blockCount {
            for row in work.firstRow..<work.firstRow + work.rowCount {
                for column in 0..<work.width {
                    let corner =
                        work.input + block * work.inputBlockStride + row * work.strideY * work.inputRowStride
                        + column * work.strideX * pixelBytes
                    for lane in 0..<blockWidth {
                        let channel = block * blockWidth + lane
                        var sum = Double(work.bias[channel])
                        for tap in 0..<area {
                            let (y, x) = tap.quotientAndRemainder(dividingBy: work.windowWidth)
                            let value = Row.blocks.value(corner + y * work.tapStrideY + x * work.tapStrideX, lane)
                            let index = channel * area + tap
                            sum += Double(value) * work.weights.load(fromByteOffset: index * 8, as: Double.self)
                        }
                        let output = work.output + block * work.outputBlockStride + row * work.outputRowStride
                        Row.blocks.set(
                            output + column * pixelBytes, lane,
                            activated(Float(sum), work.lower, work.upper, work.activation))
                    }
                }
            }
        }
    }

    // MARK: Images

    static func copyRows(_ work: borrowing RowWork) {
        for row in 0..<work.count {
            for index in 0..<work.width {
                Row.blocks.set(
                    work.output + row * work.outputStride, index,
                    Row.floats.value(work.left + row * work.leftStride, index))
            }
        }
    }

    static func block(_ work: borrowing RelayoutWork) {
        relayout(work) { plain, blocked, lanes in
            for lane in 0..<blockWidth {
                Row.blocks.set(blocked, lane, lane < lanes ? Row.floats.value(plain, lane) : 0)
            }
        }
    }

    static func unblock(_ work: borrowing RelayoutWork) {
        relayout(work) { plain, blocked, lanes in
            for lane in 0..<lanes { Row.floats.set(plain, lane, Row.blocks.value(blocked, lane)) }
        }
    }

    private static func relayout(
        _ work: borrowing RelayoutWork,
        _ body: (_ plain: UnsafeMutableRawPointer, _ blocked: UnsafeMutableRawPointer, _ lanes: Int) -> Void
    ) {
        for block in work.firstBlock..<work.firstBlock + work.blockCount {
            for pixel in 0..<work.height * work.width {
                let (y, x) = pixel.quotientAndRemainder(dividingBy: work.width)
                let plain = work.plain + y * work.plainRowStride + x * work.plainPixelStride
                let blocked = work.blocked + block * work.blockedBlockStride + y * work.blockedRowStride
                body(
                    plain + block * blockWidth * 4, blocked + x * pixelBytes,
                    min(blockWidth, work.channels - block * blockWidth))
            }
        }
    }

    static func pool(_ work: borrowing PoolingWork) {
        for block in 0..<work.blockCount {
            for row in 0..<work.rowCount {
                for column in 0..<work.outputWidth {
                    let (top, left) = (row * work.strideY - work.padTop, column * work.strideX - work.padLeft)
                    let ys = max(top, 0)..<min(top + work.windowHeight, work.inputHeight)
                    let xs = max(left, 0)..<min(left + work.windowWidth, work.inputWidth)
                    let area = work.countsPadding ? work.windowHeight * work.windowWidth : ys.count * xs.count
                    for lane in 0..<blockWidth {
                        var (largest, sum) = (-Float.infinity, Float(0))
                        for y in ys {
                            for x in xs {
                                let line = work.input + block * work.inputBlockStride + y * work.inputRowStride
                                let value = Row.blocks.value(line + x * pixelBytes, lane)
                                (largest, sum) = (max(largest, value), sum + value)
                            }
                        }
                        let output = work.output + block * work.outputBlockStride + row * work.outputRowStride
                        Row.blocks.set(
                            output + column * pixelBytes, lane, work.kind == .maximum ? largest : sum / Float(area))
                    }
                }
            }
        }
    }

    static func sumPixels(_ work: borrowing PixelSumWork) {
        for block in work.firstBlock..<work.firstBlock + work.blockCount {
            for lane in 0..<min(blockWidth, work.channels - block * blockWidth) {
                var sum: Float = 0
                for y in 0..<work.height {
                    for x in 0..<work.width {
                        let line = work.input + block * work.inputBlockStride + y * work.inputRowStride
                        sum += Row.blocks.value(line + x * pixelBytes, lane)
                    }
                }
                work.output[block * blockWidth + lane] = sum * work.factor
            }
        }
    }

    static func resize(_ work: borrowing ResizeWork) {
        for row in work.firstRow..<work.firstRow + work.rowCount {
            for column in 0..<work.outputWidth {
                for lane in 0..<blockWidth {
                    var sum: Float = 0
                    for y in 0..<work.rows.count {
                        for x in 0..<work.columns.count {
                            let line = work.input + (Int(work.rows.starts[row]) + y) * work.inputRowStride
                            let pixel = Int(work.columns.starts[column]) + x
                            sum +=
                                work.rows.weights[row * work.rows.count + y]
                                * work.columns.weights[column * work.columns.count + x]
                                * Row.blocks.value(line + pixel * pixelBytes, lane)
                        }
                    }
                    Row.blocks.set(work.output + row * work.outputRowStride + column * pixelBytes, lane, sum)
                }
            }
        }
    }

    static func peak(_ rounds: Int) -> Int { 0 }

    static func planeMoments(_ work: borrowing RowWork) {
        for lane in 0..<blockWidth {
            var values: [Float] = []
            for row in 0..<work.count {
                for index in stride(from: lane, to: work.width, by: blockWidth) {
                    values.append(Row.blocks.value(work.left + row * work.leftStride, index))
                }
            }
            let mean = values.reduce(0, +) / Float(values.count)
            Row.floats.set(work.output, lane, mean)
            Row.floats.set(work.output, blockWidth + lane, values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) })
        }
    }

    // MARK: Rows

    static func unary(_ function: UnaryFunction, _ work: borrowing RowWork) {
        rows(work) { left, _, _ in scalar(function, left) }
    }

    static func binary(_ function: BinaryFunction, _ work: borrowing RowWork) {
        let swapped = work.swapped
        rows(work) { left, right, _ in swapped ? scalar(function, right, left) : scalar(function, left, right) }
    }

    static func scale(_ work: borrowing RowWork) {
        let (lower, upper) = (work.lower, work.upper)
        rows(work) { left, right, offset in min(max(left * right + offset, lower), upper) }
    }

    private static func rows(
        _ work: borrowing RowWork, _ function: (_ left: Float, _ right: Float, _ offset: Float) -> Float
    ) {
        // Element by element, the right side is another image. Otherwise it has floats.
        let other: Row = work.pattern == .each ? .blocks : .floats
        for row in 0..<work.count {
            for index in 0..<work.width {
                let position =
                    switch work.pattern {
                    case .each: index
                    case .block: index % blockWidth
                    case .one: 0
                    }
                let side = row * work.rightStride
                Row.blocks.set(
                    work.output + row * work.outputStride, index,
                    function(
                        Row.blocks.value(work.left + row * work.leftStride, index),
                        other.value(work.right + side, position), other.value(work.offset + side, position)))
            }
        }
    }
}

/// Values in memory.
private enum Row {
    case floats, blocks

    func value(_ row: UnsafeRawPointer, _ index: Int) -> Float {
        switch self {
        case .floats: row.load(fromByteOffset: index * 4, as: Float.self)
        case .blocks: Float(bitPattern: UInt32(row.load(fromByteOffset: index * 2, as: UInt16.self)) << 16)
        }
    }

    func set(_ row: UnsafeMutableRawPointer, _ index: Int, _ value: Float) {
        switch self {
        case .floats: row.storeBytes(of: value, toByteOffset: index * 4, as: Float.self)
        case .blocks:
            let bits = value.bitPattern
            let rounded = value.isFinite ? bits &+ 0x7FFF &+ (bits >> 16 & 1) : bits
            row.storeBytes(of: UInt16(truncatingIfNeeded: rounded >> 16), toByteOffset: index * 2, as: UInt16.self)
        }
    }
}

private func activated(_ x: Float, _ lower: Float, _ upper: Float, _ activation: UnaryFunction?) -> Float {
    scalar(activation, min(max(x, lower), upper))
}
