import Kernels

// Steps that work element by element, in either layout.

/// A factor and an offset for each channel, as indices into the constants, and optional bounds.
struct ChannelScale: Sendable {
    let kernels: any RowKernels.Type
    let factors: Int
    let offsets: Int
    let clamp: UnaryFunction?

    /// - Parameter channel: The channel of the first value in the rows.
    func run(_ memory: Memory, _ rows: RowWork, channel: Int, _ pattern: RowWork.Pattern) {
        var work = rows
        work.lower = clamp?.alpha ?? work.lower
        work.upper = clamp?.beta ?? work.upper
        work.right = UnsafeRawPointer(memory.floats(factors) + channel)
        work.offset = UnsafeRawPointer(memory.floats(offsets) + channel)
        work.pattern = pattern
        kernels.scale(work)
    }
}

extension Compiler {
    /// The kernels for rows of the layout that a node writes.
    private func rowKernels(_ node: PlannedNode) -> any RowKernels.Type {
        layouts.native[node.outputs[0]] == .blocked ? kernels : kernels.plain
    }

    mutating func addUnary(_ node: PlannedNode, _ function: UnaryFunction) {
        let kernels = rowKernels(node)
        addRows(node, perChannel: false) { _, work, _, _ in kernels.unary(function, work) }
    }

    /// Two inputs of the same shape.
    mutating func addBinary(_ node: PlannedNode, _ function: BinaryFunction) {
        let kernels = rowKernels(node)
        let other = location(node.inputs[1], layouts.native[node.outputs[0]]!)
        addRows(node, perChannel: false) { memory, work, image, start in
            var work = work
            work.right = UnsafeRawPointer(memory.pixels(other, image: image) + other.offset(start))
            work.rightStride = other.rowStride
            kernels.binary(function, work)
        }
    }

    mutating func addBinary(
        _ node: PlannedNode, _ function: BinaryFunction, operand: Tensor, constantFirst: Bool
    ) {
        let rowKernels = rowKernels(node)
        let isOne = operand.elementCount == 1
        let blocked = layouts.native[node.outputs[0]] == .blocked
        let constant = channelConstant(
            operand,
            count: isOne ? 1 : location(node.outputs[0], blocked ? .blocked : .plain).blocks * kernels.blockWidth)
        addRows(node, perChannel: !isOne) { memory, work, _, start in
            var work = work
            work.right = UnsafeRawPointer(memory.floats(constant) + (isOne ? 0 : start.channel))
            work.pattern = isOne ? .one : blocked ? .block : .each
            work.swapped = constantFirst
            rowKernels.binary(function, work)
        }
    }

    /// An image and one value for each of its channels.
    mutating func addBinaryChannels(_ node: PlannedNode, _ function: BinaryFunction, image: Int) {
        let kernels = kernels
        let values = location(node.inputs[1 - image], .plain)
        var rows = node
        rows.inputs = [node.inputs[image]]
        addRows(rows, perChannel: true, reads: [values.slot]) { memory, work, index, start in
            var work = work
            work.right = UnsafeRawPointer(memory.floats(slot: values.slot) + (index * values.channels + start.channel))
            work.pattern = .block
            work.swapped = image == 1
            kernels.binary(function, work)
        }
    }

    mutating func addScale(_ node: PlannedNode, factor: Tensor, offset: Tensor) {
        let pattern: RowWork.Pattern = layouts.native[node.outputs[0]] == .blocked ? .block : .each
        let scale = channelScale(node, rowKernels(node), factor: factor, offset: offset)
        addRows(node, perChannel: true) { memory, work, _, start in
            scale.run(memory, work, channel: start.channel, pattern)
        }
    }

    mutating func channelScale(
        _ node: PlannedNode, _ rowKernels: any RowKernels.Type, factor: Tensor, offset: Tensor
    ) -> ChannelScale {
        let count = factor.elementCount.rounded(upToMultipleOf: kernels.blockWidth)
        return ChannelScale(
            kernels: rowKernels, factors: channelConstant(factor, count: count),
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
            addPlanes(node, reads: reads, to: to) { memory, plane in
                let work = RowWork(
                    left: memory.pixels(from, plane), leftStride: from.rowStride, output: memory.pixels(to, plane),
                    outputStride: to.rowStride, width: to.width * to.blockWidth, count: to.height)
                body(memory, work, plane.image, RowStart(pixel: 0, channel: plane.block * to.blockWidth))
            }
            return
        }
        let channels = to.channels
        let pixels = to.images * to.pixels
        let perChunk = Step.rowsPerChunk(width: channels)
        add(
            Step(
                node, reads: reads, writes: [to.slot],
                chunks: pixels.dividedRoundingUp(by: perChunk)
            ) { memory, chunk in
                let first = chunk * perChunk
                let count = min(perChunk, pixels - first)
                let work = RowWork(
                    left: memory.start(from, image: 0) + first * from.pixelStride, leftStride: from.pixelStride,
                    output: memory.start(to, image: 0) + first * to.pixelStride, outputStride: to.pixelStride,
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
    /// The offset from the image's first pixel at which a run of rows begins.
    fileprivate func offset(_ start: RowStart) -> Int {
        kind == .blocked ? start.channel / blockWidth * blockStride : start.pixel * pixelStride
    }
}
