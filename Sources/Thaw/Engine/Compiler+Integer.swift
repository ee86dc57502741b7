import Kernels

// Steps over quantized values: elementwise functions, pooling, and conversions from and to float32.

extension Compiler {
    /// Adds a step over the rows of an image in blocks, or over parts of a plain tensor.
    ///
    /// The tensors may have elements of different sizes. No function depends on the channel, so that a chunk of a plain
    /// tensor need not be whole pixels as in `addRows`. A chunk of an image is a strip, so that threads share the plane of
    /// an image with few channels.
    /// - Parameter body: Receives the rows of the inputs and the output.
    private mutating func addByteRows(_ node: PlannedNode, _ body: @escaping @Sendable (Memory, ValueRows) -> Void) {
        let to = native(node.outputs[0])
        let all = node.inputs.map { location($0, to.kind) } + [to]
        let reads = all.dropLast().map(\.slot)
        guard to.kind == .blocked else {
            let count = graph[node.outputs[0]].shape.elementCount
            let perChunk = max(1 << 12, count.dividedRoundingUp(by: minimumChunks)).rounded(upToMultipleOf: 64)
            add(
                Step(
                    node, reads: reads, writes: [to.slot],
                    chunks: max(1, count.dividedRoundingUp(by: perChunk))
                ) { memory, chunk in
                    let first = chunk * perChunk
                    let starts = all.map { memory.slots[$0.slot] + first * $0.element.size }
                    body(memory, ValueRows(starts, strides: all.map { _ in 0 }, min(perChunk, count - first), count: 1))
                })
            return
        }
        addPlanes(node, reads: reads, to: to, strips: strips(of: to)) { memory, plane in
            let first = plane.rows.lowerBound
            let starts = all.map { memory.pixels($0, plane) + first * $0.rowStride }
            let width = to.width * to.blockWidth
            body(memory, ValueRows(starts, strides: all.map(\.rowStride), width, count: plane.rows.count))
        }
    }

    mutating func addIntegerAddition(_ node: PlannedNode, _ addition: QuantizedAddition) {
        let integers = integers
        addByteRows(node) { _, rows in
            integers.add(
                IntegerAdditionWork(
                    left: rows.quantized(0), leftStride: rows.strides[0], right: rows.quantized(1),
                    rightStride: rows.strides[1], output: rows.quantized(2), outputStride: rows.strides[2],
                    width: rows.width, count: rows.count, addition: addition))
        }
    }

    mutating func addIntegerMultiplication(
        _ node: PlannedNode, _ multiplication: QuantizedMultiplication, image: Int?
    ) {
        let integers = integers
        guard let image else {
            return addByteRows(node) { _, rows in
                integers.multiply(
                    IntegerMultiplicationWork(
                        left: rows.quantized(0), leftStride: rows.strides[0], right: rows.quantized(1),
                        rightStride: rows.strides[1], repeats: false, output: rows.quantized(2),
                        outputStride: rows.strides[2], width: rows.width, count: rows.count,
                        multiplication: multiplication))
            }
        }
        let from = location(node.inputs[image], .blocked)
        let to = location(node.outputs[0], .blocked)
        let values = location(node.inputs[1 - image], .plain)
        addPlanes(node, reads: [from.slot, values.slot], to: to, strips: strips(of: to)) { memory, plane in
            let first = plane.rows.lowerBound
            let channels = memory.slots[values.slot] + plane.image * values.channels + plane.block * to.blockWidth
            integers.multiply(
                IntegerMultiplicationWork(
                    left: (memory.pixels(from, plane) + first * from.rowStride).assumingMemoryBound(to: UInt8.self),
                    leftStride: from.rowStride, right: channels.assumingMemoryBound(to: UInt8.self), rightStride: 0,
                    repeats: true,
                    output: (memory.pixels(to, plane) + first * to.rowStride).assumingMemoryBound(to: UInt8.self),
                    outputStride: to.rowStride, width: to.width * to.blockWidth, count: plane.rows.count,
                    multiplication: multiplication))
        }
    }

    mutating func addIntegerScale(
        _ node: PlannedNode, zeroPoint: Int, factors: [Float], offsets: [Float], _ rounding: QuantizedRounding
    ) {
        let from = location(node.inputs[0], .blocked)
        let to = location(node.outputs[0], .blocked)
        let (integers, channels) = (integers, to.blocks * to.blockWidth)
        let (factors, offsets) = withConstants {
            ($0.floats(factors, count: channels), $0.floats(offsets, count: channels))
        }
        addPlanes(node, reads: [from.slot], to: to, strips: strips(of: to)) { memory, plane in
            let (first, channel) = (plane.rows.lowerBound, plane.block * to.blockWidth)
            integers.scale(
                IntegerScaleWork(
                    input: (memory.pixels(from, plane) + first * from.rowStride).assumingMemoryBound(to: UInt8.self),
                    inputStride: from.rowStride,
                    output: (memory.pixels(to, plane) + first * to.rowStride).assumingMemoryBound(to: UInt8.self),
                    outputStride: to.rowStride, width: to.width * to.blockWidth, count: plane.rows.count,
                    factors: memory.floats(factors) + channel, offsets: memory.floats(offsets) + channel,
                    zeroPoint: zeroPoint, rounding: rounding))
        }
    }

    mutating func addLookup(_ node: PlannedNode, _ table: [UInt8]) {
        let integers = integers
        let offset = withConstants { pool in
            pool.reserve(byteCount: 256) { $0.copyMemory(from: table, byteCount: 256) }
        }
        addByteRows(node) { memory, rows in
            integers.lookUp(
                LookupWork(
                    input: rows.quantized(0), inputStride: rows.strides[0],
                    table: (memory.constants + offset).assumingMemoryBound(to: UInt8.self), output: rows.quantized(1),
                    outputStride: rows.strides[1], width: rows.width, count: rows.count))
        }
    }

    mutating func addQuantization(
        _ node: PlannedNode, scale: Float, _ rounding: QuantizedRounding, quantizes: Bool
    ) {
        let integers = integers
        addByteRows(node) { _, rows in
            for row in 0..<rows.count {
                let (input, output) = (rows.starts[0] + row * rows.strides[0], rows.starts[1] + row * rows.strides[1])
                let work = QuantizationWork(
                    floats: (quantizes ? input : output).assumingMemoryBound(to: Float.self),
                    quantized: (quantizes ? output : input).assumingMemoryBound(to: UInt8.self), count: rows.width,
                    scale: scale, rounding: rounding)
                if quantizes { integers.quantize(work) } else { integers.dequantize(work) }
            }
        }
    }

    mutating func addIntegerPooling(
        _ node: PlannedNode, _ kind: PoolingWork.Kind, window: Window, zeroPoint: Int, factors: [Float],
        _ rounding: QuantizedRounding
    ) {
        let from = location(node.inputs[0], .blocked)
        let to = location(node.outputs[0], .blocked)
        let integers = integers
        let offset = withConstants { $0.floats(factors, count: factors.count) }
        let scratchBytes = IntegerPoolingWork.scratchBytes(inputWidth: from.width)
        addPlanes(node, reads: [from.slot], to: to, scratchBytes: scratchBytes) { memory, plane in
            integers.pool(
                IntegerPoolingWork(
                    kind: kind, input: memory.pixels(from, plane).assumingMemoryBound(to: UInt8.self),
                    inputRowStride: from.rowStride, inputHeight: from.height, inputWidth: from.width,
                    output: memory.pixels(to, plane).assumingMemoryBound(to: UInt8.self),
                    outputRowStride: to.rowStride, outputWidth: to.width, windowHeight: window.height.size,
                    windowWidth: window.width.size, strideY: window.height.stride, strideX: window.width.stride,
                    padTop: window.height.before, padLeft: window.width.before, rowCount: to.height,
                    factors: memory.floats(offset), zeroPoint: zeroPoint, rounding: rounding,
                    scratch: memory.scratch))
        }
    }

    mutating func addIntegerMean(
        _ node: PlannedNode, zeroPoint: Int, factor: Float, _ rounding: QuantizedRounding
    ) {
        let from = location(node.inputs[0], .blocked)
        let to = location(node.outputs[0], .plain)
        let integers = integers
        addPixelReduction(node, from: from, to: to) { memory, image, blocks in
            let output = memory.slots[to.slot].assumingMemoryBound(to: UInt8.self)
            integers.averagePixels(
                IntegerMeanWork(
                    input: memory.pixels(from, image: image).assumingMemoryBound(to: UInt8.self),
                    inputRowStride: from.rowStride, inputBlockStride: from.blockStride, height: from.height,
                    width: from.width, factor: factor, zeroPoint: zeroPoint, rounding: rounding,
                    output: output + image * from.channels, channels: from.channels, firstBlock: blocks.lowerBound,
                    blockCount: blocks.count))
        }
    }
}

/// Rows of some tensors: for each tensor, the first row and the bytes from one row to the next.
private struct ValueRows {
    let starts: [UnsafeMutableRawPointer]
    let strides: [Int]
    /// The values of a row.
    let width: Int
    let count: Int

    init(_ starts: [UnsafeMutableRawPointer], strides: [Int], _ width: Int, count: Int) {
        (self.starts, self.strides, self.width, self.count) = (starts, strides, width, count)
    }

    func quantized(_ tensor: Int) -> UnsafeMutablePointer<UInt8> { starts[tensor].assumingMemoryBound(to: UInt8.self) }
}
