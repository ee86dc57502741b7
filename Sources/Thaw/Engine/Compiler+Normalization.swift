import Kernels

// Steps that bring arrays to a mean, a variance or a length which they compute themselves.

extension Compiler {
    mutating func addRowNormalization(_ node: PlannedNode, epsilon: Float, scale: Tensor, offset: Tensor) {
        let kernel = kernels.normalize
        let factors = channelConstant(scale, count: scale.elementCount)
        let offsets = channelConstant(offset, count: offset.elementCount)
        addRows(node, perChannel: true) { memory, work, _, _ in
            var work = work
            work.right = memory.floats(factors)
            work.offset = memory.floats(offsets)
            kernel(epsilon, work)
        }
    }

    mutating func addRowL2(_ node: PlannedNode, epsilon: Float) {
        let kernel = kernels.normalizeLength
        addRows(node, perChannel: true) { _, work, _, _ in kernel(epsilon, work) }
    }

    /// Two steps over the planes: the moments of each channel; then each channel's factor and offset, which follow from
    /// those and, where channels are taken together, from all of them.
    mutating func addImageNormalization(
        _ node: PlannedNode, acrossChannels: Bool, epsilon: Float, scale: Tensor, offset: Tensor
    ) {
        let from = place(node.inputs[0], .blocked)
        let to = place(node.outputs[0], .blocked)
        let moments = scratch(floatCount: from.images * from.blocks * 2 * blockWidth)
        let momentsKernel = kernels.planeMoments
        add(
            Step(
                name: node.name, kind: "Moments", reads: [from.slot], writes: [moments],
                chunks: from.images * from.blocks
            ) { memory, chunk in
                let (image, block) = chunk.quotientAndRemainder(dividingBy: from.blocks)
                momentsKernel(
                    RowWork(
                        left: memory.pixels(from, image: image) + block * from.blockStride, leftStride: from.rowStride,
                        output: memory.slots[moments].assumingMemoryBound(to: Float.self) + chunk * 2 * blockWidth,
                        outputStride: 0, width: from.width * blockWidth, count: from.height))
            })
        let count = to.blocks * blockWidth
        let factors = channelConstant(scale, count: count)
        let offsets = channelConstant(offset, count: count)
        let kernel = kernels.scale
        add(
            Step(
                name: node.name, kind: node.operation.kind, reads: [from.slot, moments], writes: [to.slot],
                chunks: to.images * to.blocks
            ) { memory, chunk in
                let (image, block) = chunk.quotientAndRemainder(dividingBy: to.blocks)
                memory.clearHalo(to, image: image, blocks: block..<block + 1)
                let all = Moments(
                    memory.slots[moments].assumingMemoryBound(to: Float.self) + image * to.blocks * 2 * blockWidth,
                    pixels: to.pixels)
                let whole = acrossChannels ? all.together(channels: to.channels) : nil
                withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * blockWidth) { numbers in
                    for lane in 0..<blockWidth {
                        let channel = block * blockWidth + lane
                        let (mean, variance) = whole ?? all[channel]
                        let factor = memory.floats(factors)[channel] / (variance + epsilon).squareRoot()
                        // Lanes past the last channel hold zeros, and shall go on to.
                        numbers[lane] = channel < to.channels ? factor : 0
                        numbers[blockWidth + lane] =
                            channel < to.channels ? memory.floats(offsets)[channel] - mean * factor : 0
                    }
                    var work = RowWork(
                        left: memory.pixels(from, image: image) + block * from.blockStride, leftStride: from.rowStride,
                        output: memory.pixels(to, image: image) + block * to.blockStride, outputStride: to.rowStride,
                        width: to.width * blockWidth, count: to.height)
                    work.right = UnsafePointer(numbers.baseAddress!)
                    work.offset = UnsafePointer(numbers.baseAddress! + blockWidth)
                    work.pattern = .block
                    kernel(work)
                }
            })
    }
}

/// Means and sums of squared distances from them, channel by channel, as the kernel leaves them.
private struct Moments {
    private let numbers: UnsafePointer<Float>
    private let pixels: Int

    init(_ numbers: UnsafePointer<Float>, pixels: Int) {
        self.numbers = numbers
        self.pixels = pixels
    }

    private func raw(_ channel: Int) -> (mean: Float, squares: Float) {
        let place = channel / blockWidth * 2 * blockWidth + channel % blockWidth
        return (numbers[place], numbers[place + blockWidth])
    }

    /// Of one channel.
    subscript(channel: Int) -> (mean: Float, variance: Float) {
        let (mean, squares) = raw(channel)
        return (mean, squares / Float(pixels))
    }

    /// Of all channels as one: the squares within each, and those of the distances between their means.
    func together(channels: Int) -> (mean: Float, variance: Float) {
        var sum: Float = 0
        for channel in 0..<channels { sum += raw(channel).mean }
        let mean = sum / Float(channels)
        var squares: Float = 0
        for channel in 0..<channels {
            let (own, within) = raw(channel)
            squares += within + Float(pixels) * (own - mean) * (own - mean)
        }
        return (mean, squares / Float(channels * pixels))
    }
}
