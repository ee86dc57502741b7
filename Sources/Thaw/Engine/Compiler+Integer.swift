import Kernels

// Steps over quantized values: elementwise functions, pooling, and conversions from and to float32.

extension FormTraits {
    init(_ form: IntegerForm) {
        switch form {
        case .convolution(_, let window):
            self.init(reads: .slidingWindow(window), writes: .blocks, canWritePlain: true, border: Halo(window))
        case .depthwise(_, let window):
            self.init(reads: .borderedBlocks(Halo(window)), writes: .blocks, border: Halo(window))
        case .dense: self.init()
        case .largest(let window), .average(let window, _, _, _):
            self.init(reads: .blocks, writes: .blocks, border: Halo(window))
        case .mean: self.init(reads: .blocks)
        case .addition, .lookup, .quantize, .dequantize: self.init(reads: .likeOutput, writes: .likeInputs)
        }
    }
}

extension Compiler {
    mutating func addInteger(_ node: PlannedNode, _ form: IntegerForm) {
        let first = steps.count
        switch form {
        case .convolution(let layer, let window): addIntegerConvolution(node, layer, window: window)
        case .depthwise(let layer, let window): addIntegerDepthwise(node, layer, window: window)
        case .dense(let layer): addIntegerDense(node, layer)
        case .addition(let addition): addIntegerAddition(node, addition)
        case .largest(let window):
            addIntegerPooling(
                node, .maximum, window: window, zeroPoint: 0, factors: [0],
                CodeRounding(zeroPoint: 0, lower: 0, upper: 255))
        case .average(let window, let zeroPoint, let factors, let rounding):
            addIntegerPooling(node, .average, window: window, zeroPoint: zeroPoint, factors: factors, rounding)
        case .mean(let zeroPoint, let factor, let rounding):
            addIntegerMean(node, zeroPoint: zeroPoint, factor: factor, rounding)
        case .lookup(let table): addLookup(node, table)
        case .quantize(let scale, let rounding): addQuantization(node, scale: scale, rounding, quantizes: true)
        case .dequantize(let scale, let rounding): addQuantization(node, scale: scale, rounding, quantizes: false)
        }
        setPrecision(.int8, of: node.name, from: first)
    }

    /// Adds a step over the rows of an image in blocks, or over parts of a plain tensor.
    /// - Parameter body: Receives the addresses of a row in the inputs and the output, and the number of its values.
    private mutating func addRows(
        _ node: PlannedNode, _ body: @escaping @Sendable (Memory, [UnsafeMutableRawPointer], Int) -> Void
    ) {
        let to = native(node.outputs[0])
        let inputs = node.inputs.map { location($0, to.kind) }
        let all = inputs + [to]
        guard to.kind == .blocked else {
            let count = graph[node.outputs[0]].shape.elementCount
            let perChunk = max(1 << 12, (count + minimumChunks - 1) / minimumChunks + 63) / 64 * 64
            add(
                Step(
                    name: node.name, kind: node.operation.kind, reads: inputs.map(\.slot), writes: [to.slot],
                    chunks: max(1, (count + perChunk - 1) / perChunk)
                ) { memory, chunk in
                    let first = chunk * perChunk
                    body(
                        memory, all.map { memory.slots[$0.slot] + first * $0.element.size },
                        min(perChunk, count - first))
                })
            return
        }
        addPlanes(node, reads: inputs.map(\.slot), to: to, strips: strips(of: to)) { memory, plane in
            for row in plane.rows {
                body(memory, all.map { memory.pixels($0, plane) + row * $0.rowStride }, to.width * to.blockWidth)
            }
        }
    }

    private mutating func addIntegerAddition(_ node: PlannedNode, _ addition: CodeAddition) {
        let integers = integers
        addRows(node) { _, rows, width in
            let rows = rows.map { $0.assumingMemoryBound(to: UInt8.self) }
            integers.add(
                IntegerAdditionWork(
                    left: rows[0], leftStride: 0, right: rows[1], rightStride: 0, output: rows[2], outputStride: 0,
                    width: width, count: 1, addition: addition))
        }
    }

    private mutating func addLookup(_ node: PlannedNode, _ table: [UInt8]) {
        let integers = integers
        let offset = withConstants { pool in
            pool.reserve(byteCount: 256) { $0.copyMemory(from: table, byteCount: 256) }
        }
        addRows(node) { memory, rows, width in
            let rows = rows.map { $0.assumingMemoryBound(to: UInt8.self) }
            integers.lookUp(
                LookupWork(
                    input: rows[0], inputStride: 0,
                    table: (memory.constants + offset).assumingMemoryBound(to: UInt8.self), output: rows[1],
                    outputStride: 0, width: width, count: 1))
        }
    }

    private mutating func addQuantization(
        _ node: PlannedNode, scale: Float, _ rounding: CodeRounding, quantizes: Bool
    ) {
        let integers = integers
        addRows(node) { _, rows, width in
            let work = QuantizationWork(
                floats: rows[quantizes ? 0 : 1].assumingMemoryBound(to: Float.self),
                codes: rows[quantizes ? 1 : 0].assumingMemoryBound(to: UInt8.self), count: width, scale: scale,
                rounding: rounding)
            if quantizes { integers.quantize(work) } else { integers.dequantize(work) }
        }
    }

    private mutating func addIntegerPooling(
        _ node: PlannedNode, _ kind: PoolingWork.Kind, window: Window, zeroPoint: Int, factors: [Float],
        _ rounding: CodeRounding
    ) {
        let from = location(node.inputs[0], .blocked)
        let to = location(node.outputs[0], .blocked)
        let integers = integers
        let offset = withConstants { $0.floats(factors, count: factors.count) }
        addPlanes(node, reads: [from.slot], to: to) { memory, plane in
            integers.pool(
                IntegerPoolingWork(
                    kind: kind, input: memory.pixels(from, plane).assumingMemoryBound(to: UInt8.self),
                    inputRowStride: from.rowStride, inputHeight: from.height, inputWidth: from.width,
                    output: memory.pixels(to, plane).assumingMemoryBound(to: UInt8.self),
                    outputRowStride: to.rowStride, outputWidth: to.width, windowHeight: window.height.size,
                    windowWidth: window.width.size, strideY: window.height.stride, strideX: window.width.stride,
                    padTop: window.height.before, padLeft: window.width.before, rowCount: to.height,
                    factors: memory.floats(offset), zeroPoint: zeroPoint, rounding: rounding))
        }
    }

    private mutating func addIntegerMean(
        _ node: PlannedNode, zeroPoint: Int, factor: Float, _ rounding: CodeRounding
    ) {
        let from = location(node.inputs[0], .blocked)
        let to = location(node.outputs[0], .plain)
        let integers = integers
        let perChunk = 8
        let chunks = (from.blocks + perChunk - 1) / perChunk
        add(
            Step(
                name: node.name, kind: node.operation.kind, reads: [from.slot], writes: [to.slot],
                chunks: from.images * chunks
            ) { memory, chunk in
                let (image, part) = chunk.quotientAndRemainder(dividingBy: chunks)
                let output = memory.slots[to.slot].assumingMemoryBound(to: UInt8.self)
                integers.averagePixels(
                    IntegerMeanWork(
                        input: memory.pixels(from, image: image).assumingMemoryBound(to: UInt8.self),
                        inputRowStride: from.rowStride, inputBlockStride: from.blockStride, height: from.height,
                        width: from.width, factor: factor, zeroPoint: zeroPoint, rounding: rounding,
                        output: output + image * from.channels, channels: from.channels, firstBlock: part * perChunk,
                        blockCount: min(perChunk, from.blocks - part * perChunk)))
            })
    }
}
