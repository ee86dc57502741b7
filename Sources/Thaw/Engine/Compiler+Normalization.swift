import Kernels

// Steps that normalize tensors by a mean, a variance or a length that they compute themselves.

extension Compiler {
    mutating func addSoftmax(_ node: PlannedNode, axis: Int, isLogarithmic: Bool) {
        let kernels = kernels.plain
        addRowWork(node, axes: [axis], to: location(node.outputs[0], .plain).slot) { _, work in
            isLogarithmic ? kernels.logSoftmax(work) : kernels.softmax(work)
        }
    }

    mutating func addL2Normalization(_ node: PlannedNode, axes: [Int], epsilon: Float) {
        let kernels = kernels.plain
        addRowWork(node, axes: axes, to: location(node.outputs[0], .plain).slot) { _, work in
            kernels.normalizeLength(epsilon, work)
        }
    }

    /// Scale and offset are applied in the same step if they vary along these axes only, otherwise in later steps.
    mutating func addNormalization(
        _ node: PlannedNode, axes: [Int], epsilon: Float, scale: Tensor?, offset: Tensor?
    ) {
        let shape = graph[node.outputs[0]].shape
        let part = Shape(axes.map { shape[$0] })
        func row(_ constant: Tensor?, _ absent: Float) -> [Float]? {
            guard let constant else { return [Float](repeating: absent, count: part.elementCount) }
            let padded = constant.shape.padded(to: shape.rank)
            guard shape.indices.allSatisfy({ padded[$0] == 1 || axes.contains($0) }) else { return nil }
            return BroadcastTo(shape: part).evaluate([constant.reshaped(Shape(axes.map { padded[$0] }))])[0].floats
        }
        let output = location(node.outputs[0], .plain).slot
        let kernels = kernels.plain
        let isWithin = row(scale, 1) != nil && row(offset, 0) != nil
        let factors = withConstants { $0.floats(row(isWithin ? scale : nil, 1)!, count: part.elementCount) }
        let offsets = withConstants { $0.floats(row(isWithin ? offset : nil, 0)!, count: part.elementCount) }
        let following: [(function: BinaryFunction, operand: Tensor?)] =
            isWithin ? [] : [(.multiply, scale), (.add, offset)]
        addRowWork(node, axes: axes, to: output) { memory, work in
            var work = work
            work.right = UnsafeRawPointer(memory.floats(factors))
            work.offset = UnsafeRawPointer(memory.floats(offsets))
            kernels.normalize(epsilon, work)
        }
        // Elementwise functions may overwrite their own input.
        for (function, operand) in following {
            guard let operand else { continue }
            let result = PlainTensor(source: .slot(output), shape: shape)
            addBroadcast(node, function, result, plainConstant(operand), to: output)
        }
    }

    /// Runs a kernel over the rows that a tensor has along some axes. If those are not the last axes, the tensor is
    /// transposed before and transposed back afterwards.
    private mutating func addRowWork(
        _ node: PlannedNode, axes: [Int], to output: Int, _ body: @escaping @Sendable (Memory, RowWork) -> Void
    ) {
        let shape = graph[node.inputs[0]].shape
        let input = location(node.inputs[0], .plain).slot
        let width = axes.reduce(1) { $0 * shape[$1] }
        let order = shape.indices.filter { !axes.contains($0) } + axes
        let isContiguous = order == Array(shape.indices)
        let transposed = shape.permuted(order)
        var (from, to) = (input, output)
        if !isContiguous {
            from = scratch(byteCount: shape.elementCount * 4)
            to = scratch(byteCount: shape.elementCount * 4)
            addDataMovement(
                node, kind: "Transpose", DataMovement(transposing: shape, order), from: [input], to: [from],
                counts: [shape.elementCount])
        }
        let (source, target) = (from, to)
        let rows = shape.elementCount / width
        let perChunk = Step.rowsPerChunk(width: width)
        add(
            Step(
                node, reads: [source], writes: [target],
                chunks: rows.dividedRoundingUp(by: perChunk)
            ) { memory, chunk in
                let first = chunk * perChunk * width * 4
                body(
                    memory,
                    RowWork(
                        left: memory.slots[source] + first, leftStride: width * 4,
                        output: memory.slots[target] + first, outputStride: width * 4, width: width,
                        count: min(perChunk, rows - chunk * perChunk)))
            })
        if !isContiguous {
            let back = shape.indices.map { order.firstIndex(of: $0)! }
            addDataMovement(
                node, kind: "Transpose", DataMovement(transposing: transposed, back), from: [target], to: [output],
                counts: [shape.elementCount])
        }
    }

    /// Adds two steps over the planes: the first computes the moments of each channel, the second scales. Each
    /// channel's factor and offset follow from its moments or, if all channels are normalized together, from the
    /// moments of all.
    mutating func addImageNormalization(
        _ node: PlannedNode, acrossChannels: Bool, epsilon: Float, scale: Tensor, offset: Tensor
    ) {
        let from = location(node.inputs[0], .blocked)
        let to = location(node.outputs[0], .blocked)
        let (kernels, blockWidth) = (kernels, to.blockWidth)
        let moments = addMoments(node, of: from)
        let count = to.blocks * blockWidth
        let factors = channelConstant(scale, count: count)
        let offsets = channelConstant(offset, count: count)
        addPlanes(node, reads: [from.slot, moments], to: to) { memory, plane in
            let all = Moments(
                memory.floats(slot: moments) + plane.image * to.blocks * 2 * blockWidth, pixels: to.pixels,
                blockWidth: blockWidth)
            let whole = acrossChannels ? all.combined(channels: to.channels) : nil
            withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * blockWidth) { values in
                for lane in 0..<blockWidth {
                    let channel = plane.block * blockWidth + lane
                    let (mean, variance) = whole ?? all[channel]
                    let factor = memory.floats(factors)[channel] / (variance + epsilon).squareRoot()
                    // The lanes past the last channel are zero and must remain zero.
                    values[lane] = channel < to.channels ? factor : 0
                    values[blockWidth + lane] =
                        channel < to.channels ? memory.floats(offsets)[channel] - mean * factor : 0
                }
                var work = RowWork(
                    left: memory.pixels(from, plane), leftStride: from.rowStride, output: memory.pixels(to, plane),
                    outputStride: to.rowStride, width: to.width * blockWidth, count: to.height)
                work.right = UnsafeRawPointer(values.baseAddress!)
                work.offset = UnsafeRawPointer(values.baseAddress! + blockWidth)
                work.pattern = .block
                kernels.scale(work)
            }
        }
    }

    /// Adds a step that computes the moments of each plane, and returns the buffer for them.
    private mutating func addMoments(_ node: PlannedNode, of from: Location) -> Int {
        let (kernels, blockWidth) = (kernels, from.blockWidth)
        let moments = scratch(byteCount: from.images * from.blocks * 2 * blockWidth * 4)
        add(
            Step(
                node, kind: "Moments", reads: [from.slot], writes: [moments], chunks: from.images * from.blocks
            ) { memory, chunk in
                let (image, block) = chunk.quotientAndRemainder(dividingBy: from.blocks)
                kernels.planeMoments(
                    RowWork(
                        left: memory.pixels(from, image: image) + block * from.blockStride, leftStride: from.rowStride,
                        output: memory.floats(slot: moments) + chunk * 2 * blockWidth, outputStride: 0,
                        width: from.width * blockWidth, count: from.height))
            })
        return moments
    }
}

/// The mean of each channel and the sum of squared distances from it, as the kernel stores them.
private struct Moments {
    private let values: UnsafePointer<Float>
    private let pixels: Int
    private let blockWidth: Int

    init(_ values: UnsafePointer<Float>, pixels: Int, blockWidth: Int) {
        self.values = values
        self.pixels = pixels
        self.blockWidth = blockWidth
    }

    private func raw(_ channel: Int) -> (mean: Float, squares: Float) {
        let offset = channel / blockWidth * 2 * blockWidth + channel % blockWidth
        return (values[offset], values[offset + blockWidth])
    }

    /// The moments of one channel.
    subscript(channel: Int) -> (mean: Float, variance: Float) {
        let (mean, squares) = raw(channel)
        return (mean, squares / Float(pixels))
    }

    /// The moments of all channels together: the squares within each channel, plus those of the distances between their
    /// means.
    func combined(channels: Int) -> (mean: Float, variance: Float) {
        var sum: Float = 0
        for channel in 0..<channels { sum += raw(channel).mean }
        let mean = sum / Float(channels)
        var squares: Float = 0
        for channel in 0..<channels {
            let (channelMean, within) = raw(channel)
            squares += within + Float(pixels) * (channelMean - mean) * (channelMean - mean)
        }
        return (mean, squares / Float(channels * pixels))
    }
}
