import Kernels

// Steps that work element by element, in either layout, and steps that reduce many values to one.

/// A factor and an offset for each channel, as indices into the constants, and optional bounds.
struct ChannelScale: Sendable {
    let kernel: @Sendable (borrowing RowWork) -> Void
    let factors: Int
    let offsets: Int
    let clamp: UnaryFunction?

    /// - Parameter channel: The channel of the first value in the rows.
    func run(_ memory: Memory, _ rows: RowWork, channel: Int, _ pattern: RowWork.Pattern) {
        var work = rows
        work.lower = clamp?.alpha ?? work.lower
        work.upper = clamp?.beta ?? work.upper
        work.right = memory.floats(factors) + channel
        work.offset = memory.floats(offsets) + channel
        work.pattern = pattern
        kernel(work)
    }
}

extension Compiler {
    mutating func addUnary(_ node: PlannedNode, _ function: UnaryFunction) {
        let kernel = kernels.unary
        addRows(node, perChannel: false) { _, work, _, _ in kernel(function, work) }
    }

    /// Two inputs of the same shape.
    mutating func addBinary(_ node: PlannedNode, _ function: BinaryFunction) {
        let kernel = kernels.binary
        let other = location(node.inputs[1], layouts.native[node.outputs[0]]!)
        addRows(node, perChannel: false) { memory, work, image, start in
            var work = work
            work.right = UnsafePointer(memory.pixels(other, image: image) + other.offset(start))
            work.rightStride = other.rowStride
            kernel(function, work)
        }
    }

    mutating func addBinary(
        _ node: PlannedNode, _ function: BinaryFunction, operand: Tensor, constantFirst: Bool
    ) {
        let kernel = kernels.binary
        let isOne = operand.elementCount == 1
        let blocked = layouts.native[node.outputs[0]] == .blocked
        let constant = channelConstant(
            operand, count: isOne ? 1 : location(node.outputs[0], blocked ? .blocked : .plain).blocks * blockWidth)
        addRows(node, perChannel: !isOne) { memory, work, _, start in
            var work = work
            work.right = memory.floats(constant) + (isOne ? 0 : start.channel)
            work.pattern = isOne ? .one : blocked ? .block : .each
            work.swapped = constantFirst
            kernel(function, work)
        }
    }

    /// An image and one value for each of its channels.
    mutating func addBinaryChannels(_ node: PlannedNode, _ function: BinaryFunction, image: Int) {
        let kernel = kernels.binary
        let values = location(node.inputs[1 - image], .plain)
        var rows = node
        rows.inputs = [node.inputs[image]]
        addRows(rows, perChannel: true, reads: [values.slot]) { memory, work, index, start in
            var work = work
            work.right = UnsafePointer(memory.start(values, image: index) + start.channel)
            work.pattern = .block
            work.swapped = image == 1
            kernel(function, work)
        }
    }

    mutating func addScale(_ node: PlannedNode, factor: Tensor, offset: Tensor) {
        let pattern: RowWork.Pattern = layouts.native[node.outputs[0]] == .blocked ? .block : .each
        let scale = channelScale(node, factor: factor, offset: offset)
        addRows(node, perChannel: true) { memory, work, _, start in
            scale.run(memory, work, channel: start.channel, pattern)
        }
    }

    mutating func channelScale(_ node: PlannedNode, factor: Tensor, offset: Tensor) -> ChannelScale {
        let count = (factor.elementCount + blockWidth - 1) / blockWidth * blockWidth
        return ChannelScale(
            kernel: kernels.scale, factors: channelConstant(factor, count: count),
            offsets: channelConstant(offset, count: count), clamp: node.activation)
    }

    mutating func channelConstant(_ tensor: Tensor, count: Int) -> Int {
        withConstants { pool in
            pool.shared(tensor, .padded(count: count)) { $0.floats(tensor.floats, count: count) }
        }
    }

    /// A step over the rows of the first input and the output, which have the same layout. In the blocked layout each
    /// chunk is a plane. A plain tensor is split into runs of whole pixels, and each pixel is its own row if
    /// `perChannel` is set.
    mutating func addRows(
        _ node: PlannedNode, perChannel: Bool, reads others: [Int] = [],
        _ body: @escaping @Sendable (Memory, RowWork, Int, RowStart) -> Void
    ) {
        let kind = layouts.native[node.outputs[0]]!
        let from = location(node.inputs[0], kind)
        let to = location(node.outputs[0], kind)
        let reads = node.inputs.map { location($0, kind).slot } + others
        if kind == .blocked {
            add(
                Step(
                    name: node.name, kind: node.operation.kind, reads: reads, writes: [to.slot],
                    chunks: to.images * to.blocks
                ) { memory, chunk in
                    let (image, block) = chunk.quotientAndRemainder(dividingBy: to.blocks)
                    memory.clearHalo(to, image: image, blocks: block..<block + 1)
                    let work = RowWork(
                        left: memory.pixels(from, image: image) + block * from.blockStride, leftStride: from.rowStride,
                        output: memory.pixels(to, image: image) + block * to.blockStride, outputStride: to.rowStride,
                        width: to.width * blockWidth, count: to.height)
                    body(memory, work, image, RowStart(pixel: 0, channel: block * blockWidth))
                })
            return
        }
        let channels = to.channels
        let pixels = to.floatCount / channels
        let perChunk = max(1, (1 << 14) / channels)
        add(
            Step(
                name: node.name, kind: node.operation.kind, reads: reads, writes: [to.slot],
                chunks: (pixels + perChunk - 1) / perChunk
            ) { memory, chunk in
                let first = chunk * perChunk
                let count = min(perChunk, pixels - first)
                let work = RowWork(
                    left: memory.start(from, image: 0) + first * channels, leftStride: channels,
                    output: memory.start(to, image: 0) + first * channels, outputStride: channels,
                    width: perChannel ? channels : count * channels, count: perChannel ? count : 1)
                body(memory, work, 0, RowStart(pixel: first, channel: 0))
            })
    }
}

/// The start of a run of rows.
struct RowStart {
    var pixel: Int
    var channel: Int
}

extension Location {
    /// The offset in floats, from the image's first pixel, at which a run of rows begins.
    fileprivate func offset(_ start: RowStart) -> Int {
        kind == .blocked ? start.channel / blockWidth * blockStride : start.pixel * channels
    }
}

extension Compiler {
    mutating func addPooling(
        _ node: PlannedNode, _ kind: PoolingWork.Kind, window: Window, countsPadding: Bool
    ) {
        let from = location(node.inputs[0], .blocked)
        let to = location(node.outputs[0], .blocked)
        let kernel = kernels.pool
        add(
            Step(
                name: node.name, kind: node.operation.kind, reads: [from.slot], writes: [to.slot],
                chunks: to.images * to.blocks
            ) { memory, chunk in
                let (image, block) = chunk.quotientAndRemainder(dividingBy: to.blocks)
                memory.clearHalo(to, image: image, blocks: block..<block + 1)
                var work = PoolingWork(
                    kind: kind, input: memory.pixels(from, image: image) + block * from.blockStride,
                    inputRowStride: from.rowStride, inputBlockStride: from.blockStride, inputHeight: from.height,
                    inputWidth: from.width, output: memory.pixels(to, image: image) + block * to.blockStride,
                    outputRowStride: to.rowStride, outputBlockStride: to.blockStride, outputWidth: to.width,
                    windowHeight: window.height.size, windowWidth: window.width.size, strideY: window.height.stride,
                    strideX: window.width.stride, padTop: window.height.before, padLeft: window.width.before,
                    rowCount: to.height, blockCount: 1)
                work.countsPadding = countsPadding
                kernel(work)
            })
    }

    mutating func addPixelSum(_ node: PlannedNode, factor: Float) {
        let from = location(node.inputs[0], .blocked)
        let to = location(node.outputs[0], .plain)
        let kernel = kernels.sumPixels
        let perChunk = 8
        let chunks = (from.blocks + perChunk - 1) / perChunk
        add(
            Step(
                name: node.name, kind: node.operation.kind, reads: [from.slot], writes: [to.slot],
                chunks: from.images * chunks
            ) { memory, chunk in
                let (image, part) = chunk.quotientAndRemainder(dividingBy: chunks)
                var work = PixelSumWork(
                    input: memory.pixels(from, image: image), inputRowStride: from.rowStride,
                    inputBlockStride: from.blockStride, height: from.height, width: from.width, factor: factor,
                    output: memory.start(to, image: 0) + image * from.channels, channels: from.channels,
                    blockCount: min(perChunk, from.blocks - part * perChunk))
                work.firstBlock = part * perChunk
                kernel(work)
            })
    }
}
