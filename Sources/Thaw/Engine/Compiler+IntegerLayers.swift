import Kernels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// Steps that multiply quantized values by integer weights.

/// The parameters of a layer for the 8-bit convolution kernel. All except locations are offsets of constants.
private struct IntegerConvolutionLayer: Sendable {
    let integers: any IntegerKernels.Type
    let from: Location
    let inputOffsets: Int
    let taps: Int
    let steps: IntegerSteps
    let weights: Int
    let results: IntegerLayerResults

    func run(_ memory: Memory, _ image: Int, _ part: (pixels: Range<Int>, blocks: Range<Int>)) {
        memory.clearHalo(results.to, image: image, blocks: part.blocks, pixels: part.pixels)
        var work = IntegerConvolutionWork(
            input: memory.start(from, image: image), inputOffsets: memory.integers(inputOffsets),
            taps: memory.integers(taps), steps: steps, weights: memory.constants + weights,
            results: results.work(memory, image, part.blocks), pixelCount: part.pixels.count, scratch: memory.scratch)
        work.firstPixel = part.pixels.lowerBound
        integers.convolve(work)
    }
}

/// How a layer's accumulators become results. Bias, factors and offset lists are offsets of constants.
struct IntegerLayerResults: Sendable {
    let to: Location
    let bias: Int
    let factors: Int
    let result: IntegerLayer.Result
    let outputOffsets: Int
    let residual: Location?
    let residualOffsets: Int?
    let addition: QuantizedAddition?

    /// The buffer that is read.
    var reads: [Int] { residual.map { [$0.slot] } ?? [] }

    func work(_ memory: Memory, _ image: Int, _ blocks: Range<Int>) -> IntegerResults {
        var work = IntegerResults(
            bias: memory.integers(bias), factors: memory.floats(factors), rounding: nil,
            output: memory.pixels(to, image: image), outputOffsets: memory.integers(outputOffsets),
            outputBlockStride: to.blockStride,
            channels: to.kind == .plain ? to.channels : to.blocks * to.blockWidth, blockCount: blocks.count)
        work.firstBlock = blocks.lowerBound
        switch result {
        case .quantized(let rounding): work.rounding = rounding
        case .values(let lower, let upper): (work.lower, work.upper) = (lower, upper)
        }
        if let residual, let residualOffsets {
            work.residual = UnsafeRawPointer(memory.pixels(residual, image: image))
            work.residualOffsets = memory.integers(residualOffsets)
            work.residualBlockStride = residual.blockStride
            work.addition = addition
        }
        return work
    }
}

extension Compiler {
    mutating func addIntegerConvolution(_ node: PlannedNode, _ layer: IntegerLayer, window: Window) {
        let from = location(node.inputs[0], layouts.convolutionReads(node.inputs[0], window, graph))
        let to = native(node.outputs[0])
        if let plan = IntegerWinogradPlan(self, layer, window, from: from, to: to) {
            return addIntegerWinograd(node, layer, window, plan, from: from, to: to)
        }
        let taps = WindowTaps(from, window)
        // The last quad of a tap may be longer than the tap: the values that it reads past the end are multiplied by zero.
        var steps = IntegerSteps(tapCount: taps.offsets.count, quads: taps.depth.dividedRoundingUp(by: 4))
        (steps.shortTaps, steps.shortQuads) = (taps.shortTaps, taps.shortDepth.dividedRoundingUp(by: 4))
        addLayer(
            node, layer, from: from, to: to, inputOffsets: windowOffsets(from, to, window), taps: taps.offsets,
            steps: steps, rows: taps.rows.flatMap(inQuads), algorithm: "int8 \(window.height.size)×\(window.width.size)"
        )
    }

    mutating func addIntegerDense(_ node: PlannedNode, _ layer: IntegerLayer) {
        // The rows of the input are treated as the pixels of one image.
        let from = location(node.inputs[0], .plain).asOneImage
        addLayer(
            node, layer, from: from, to: native(node.outputs[0]).asOneImage,
            inputOffsets: (0..<from.width).map { Int32($0 * from.pixelStride) }, taps: [0],
            steps: IntegerSteps(tapCount: 1, quads: from.channels.dividedRoundingUp(by: 4)),
            rows: inQuads(0..<from.channels),
            algorithm: "int8 dense")
    }

    /// - Parameter rows: The row of the weights for each value of each quad; −1 for none.
    private mutating func addLayer(
        _ node: PlannedNode, _ layer: IntegerLayer, from: Location, to: Location, inputOffsets: [Int32],
        taps: [Int32], steps: IntegerSteps, rows: [Int32], algorithm: String
    ) {
        let supported = integers.supportsLowestPairs || !layer.hasLowestPairs(rows)
        let integers = supported ? integers : InstructionSet.baseline.integerKernels
        let groups = BlockGroups(blocks: to.blocks, maximumWidth: integers.groupBlocks)
        let weights = packGroups(
            layer, .integer(OffsetList(offsets: rows), steps), groups, rows: rows,
            bytesPerBlock: integers.packedBytes(steps)
        ) { work in
            work.steps = steps
            integers.packWeights(work)
        }
        let results = packResults(node, layer, to: to)
        let packed = withConstants { pool in
            IntegerConvolutionLayer(
                integers: integers, from: from, inputOffsets: pool.offsets(inputOffsets), taps: pool.offsets(taps),
                steps: steps, weights: weights, results: results)
        }
        let partition = partition(
            from: from, to: to, groups, tile: integers.tilePixels, packedBytes: integers.packedBytes(steps),
            windowBytes: steps.count * 4, minimumChunks: minimumChunks)
        var step = Step(
            node, algorithm: algorithm,
            reads: [from.slot] + results.reads, writes: [to.slot], multiplyAdds: node.multiplyAdds,
            chunks: to.images * partition.chunks
        ) { memory, chunk in
            let (image, part) = chunk.quotientAndRemainder(dividingBy: partition.chunks)
            packed.run(memory, image, partition[part])
        }
        step.scratchBytes = integers.scratchBytes(steps)
        step.isByRows = partition.isByPixels
        add(step)
    }

    mutating func addIntegerDepthwise(_ node: PlannedNode, _ layer: IntegerLayer, window: Window) {
        guard case .quantized(let rounding) = layer.result else { preconditionFailure("\(node.name) computes floats") }
        let from = location(node.inputs[0], .blocked)
        let to = native(node.outputs[0])
        let area = window.height.size * window.width.size
        let integers = integers
        let blockBytes = integers.packedDepthwiseBytes(window: area)
        let weights = withConstants { pool in
            pool.reserve(byteCount: to.blocks * blockBytes) { memory in
                layer.pack(rows: (0..<Int32(area)).map { $0 }, blocks: 1) { work in
                    for block in 0..<to.blocks {
                        work.firstColumn = block * to.blockWidth
                        work.columnCount = min(to.blockWidth, layer.outputs - work.firstColumn)
                        work.packed = memory + block * blockBytes
                        integers.packDepthwise(work)
                    }
                }
            }
        }
        let (bias, factors) = packScaling(layer, blocks: to.blocks)
        let corner = -window.height.before * from.rowStride - window.width.before * from.pixelStride
        let isByRows = splitsRows(from: from, to: to)
        addPlanes(
            node, algorithm: "int8 depthwise \(window.height.size)×\(window.width.size)", reads: [from.slot], to: to,
            strips: strips(of: to, isByRows: isByRows), isByRows: isByRows
        ) { memory, plane in
            integers.convolveDepthwise(
                IntegerDepthwiseWork(
                    input: memory.pixels(from, plane) + corner, inputRowStride: from.rowStride,
                    strideY: window.height.stride, strideX: window.width.stride, windowHeight: window.height.size,
                    windowWidth: window.width.size, tapStrideY: window.height.dilation * from.rowStride,
                    tapStrideX: window.width.dilation * from.pixelStride,
                    weights: memory.constants + (weights + plane.block * blockBytes),
                    bias: memory.integers(bias) + plane.block * to.blockWidth,
                    factors: memory.floats(factors) + plane.block * to.blockWidth, rounding: rounding,
                    output: memory.pixels(to, plane), outputRowStride: to.rowStride, width: to.width,
                    firstRow: plane.rows.lowerBound, rowCount: plane.rows.count))
        }
    }

    mutating func packResults(_ node: PlannedNode, _ layer: IntegerLayer, to: Location) -> IntegerLayerResults {
        let residual = node.residual.map { location($0, .blocked) }
        let (bias, factors) = packScaling(layer, blocks: to.blocks)
        return withConstants { pool in
            IntegerLayerResults(
                to: to, bias: bias, factors: factors, result: layer.result,
                outputOffsets: pool.offsets(to.pixelOffsets), residual: residual,
                residualOffsets: residual.map { pool.offsets($0.pixelOffsets) }, addition: node.addition)
        }
    }

    /// The packed weights, group by group.
    /// - Parameter pack: Packs the weights of a group.
    mutating func packGroups(
        _ layer: IntegerLayer, _ packing: ConstantPool.Packing, _ groups: BlockGroups, rows: [Int32],
        bytesPerBlock: Int, _ pack: @escaping @Sendable (inout IntegerPackingWork) -> Void
    ) -> Int {
        let groups = groups.ranges
        return withConstants { pool in
            pool.shared(layer.weights, packing) { pool in
                pool.reserve(byteCount: groups.last!.upperBound * bytesPerBlock, parts: groups.count) { memory, group in
                    let range = groups[group]
                    layer.pack(rows: rows, blocks: range.count) { work in
                        work.firstColumn = range.lowerBound * integerBlockWidth
                        work.columnCount = min(range.count * integerBlockWidth, layer.outputs - work.firstColumn)
                        work.packed = memory + range.lowerBound * bytesPerBlock
                        pack(&work)
                    }
                }
            }
        }
    }

    /// The bias minus the contribution of the input's zero point to the accumulators, and the factors.
    private mutating func packScaling(_ layer: IntegerLayer, blocks: Int) -> (bias: Int, factors: Int) {
        var sums = [Int32](repeating: 0, count: layer.outputs)
        withExtendedLifetime(layer.weights) {
            let quantized = layer.weights.bytes.bindMemory(to: Int8.self)
            sums.withUnsafeMutableBufferPointer { sums in
                for first in stride(from: 0, to: quantized.count, by: layer.outputs) {
                    for channel in 0..<layer.outputs { sums[channel] &+= Int32(quantized[first + channel]) }
                }
            }
        }
        let count = blocks * integerBlockWidth
        let padding = [Int32](repeating: 0, count: count - layer.outputs)
        let bias = zip(layer.bias, sums).map { $0 - Int32(layer.zeroPoint) * $1 } + padding
        return withConstants { pool in
            let offset = pool.reserve(byteCount: count * 4) { $0.copyMemory(from: bias, byteCount: count * 4) }
            return (offset, pool.floats(layer.factors, count: count))
        }
    }
}

extension IntegerLayer {
    /// Whether two adjacent weights of a quad are −128.
    /// - Parameter rows: The row of the weights for each value of each quad; −1 for none.
    fileprivate func hasLowestPairs(_ rows: [Int32]) -> Bool {
        withExtendedLifetime(weights) {
            let quantized = weights.bytes.bindMemory(to: Int8.self)
            // Few layers have such weights at all.
            guard memchr(quantized.baseAddress!, 0x80, quantized.count) != nil else { return false }
            return stride(from: 0, to: rows.count, by: 2).contains { index in
                let (a, b) = (Int(rows[index]) * outputs, Int(rows[index + 1]) * outputs)
                return a >= 0 && b >= 0
                    && (0..<outputs).contains { quantized[a + $0] == -128 && quantized[b + $0] == -128 }
            }
        }
    }

    /// Calls the function with the work for packing the weights, whose columns and destination it sets.
    fileprivate func pack(rows: [Int32], blocks: Int, _ body: (inout IntegerPackingWork) -> Void) {
        withExtendedLifetime(weights) {
            rows.withUnsafeBufferPointer { rows in
                var work = IntegerPackingWork(
                    quantized: weights.bytes.bindMemory(to: Int8.self).baseAddress!, rowStride: outputs,
                    rows: rows.baseAddress!, rowCount: rows.count, firstColumn: 0, columnCount: 0,
                    blockCount: blocks, packed: UnsafeMutableRawPointer(mutating: weights.bytes.baseAddress!))
                body(&work)
            }
        }
    }
}

/// Rows of weights in quads. The last quad is filled up with −1.
private func inQuads(_ rows: Range<Int>) -> [Int32] {
    (0..<rows.count.rounded(upToMultipleOf: 4)).map { $0 < rows.count ? Int32(rows.lowerBound + $0) : -1 }
}
