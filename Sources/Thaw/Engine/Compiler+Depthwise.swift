import Kernels

// Depthwise convolutions as steps; with the convolution before them where nobody else reads what that computes. Then each
// chunk convolves a group of channels, a band of rows, into its thread's own memory, and passes the depthwise window over
// it there: the expanded image, often the largest of a network, never leaves the core's cache.

extension Compiler {
    mutating func addDepthwise(_ node: PlannedNode, filters: Tensor, bias: Tensor?, window: Window) {
        let to = native(node.outputs[0])
        let weights = packDepthwise(filters)
        let bias = packBias(bias, outputs: to.channels)
        if let expansion = node.expansion {
            addExpanded(node, expansion, DepthwiseLayer(kernels, node, window, weights: weights, bias: bias, to: to))
            return
        }
        let from = place(node.inputs[0], .blocked)
        let layer = DepthwiseLayer(kernels, node, window, weights: weights, bias: bias, to: to)
        // Runs of rows that stay in the cache between their first and their last reading.
        let bands = Bands(rows: to.height, perBand: max(1, 2048 / to.width))
        add(
            Step(
                name: node.name, kind: node.operation.kind,
                algorithm: "depthwise \(window.height.size)×\(window.width.size)", reads: [from.slot],
                writes: [to.slot],
                multiplyAdds: node.multiplyAdds, chunks: from.images * from.blocks * bands.count
            ) { memory, chunk in
                let (image, part) = chunk.quotientAndRemainder(dividingBy: from.blocks * bands.count)
                let (block, band) = part.quotientAndRemainder(dividingBy: bands.count)
                let corner = from.origin - window.height.before * from.rowStride - window.width.before * blockWidth
                layer.run(
                    memory, image, blocks: block..<block + 1, rows: bands[band],
                    input: memory.start(from, image: image) + (block * from.blockStride + corner),
                    rowStride: from.rowStride, blockStride: from.blockStride)
            })
    }

    private mutating func addExpanded(_ node: PlannedNode, _ expansion: Expansion, _ layer: DepthwiseLayer) {
        let (to, window) = (layer.to, layer.window)
        let (from, head) = directLayer(
            node.inputs[0], to: Place(expansion.output, slot: -1, kind: .blocked), filters: expansion.filters,
            bias: expansion.bias, window: expansion.window)
        // The expanded image as it would lie, with its halo: a chunk holds some rows of some blocks of it.
        let expanded = Place(expansion.output, slot: -1, kind: .blocked, halo: Halo(window))
        let kernels = kernels
        let groupBlocks = kernels.groupBlocks
        let groups = (to.blocks + groupBlocks - 1) / groupBlocks
        let bands = Bands(
            rows: to.height, stride: window.height.stride, extent: window.height.extent,
            rowBytes: expanded.rowStride * groupBlocks * 4)
        let bandRows = (bands.perBand - 1) * window.height.stride + window.height.extent
        let bandStride = bandRows * expanded.rowStride
        let inputOffsets = withConstants { $0.offsets(head.inputOffsets) }
        let outputOffsets = withConstants { $0.offsets(expanded.pixelOffsets) }
        let taps = withConstants { $0.offsets(head.taps.map { Int32($0) }) }
        let activation = expansion.activation
        var step = Step(
            name: node.name, kind: node.operation.kind,
            algorithm: head.algorithm + " + depthwise \(window.height.size)×\(window.width.size)", reads: [from.slot],
            writes: [to.slot],
            multiplyAdds: node.multiplyAdds, chunks: from.images * groups * bands.count
        ) { memory, chunk in
            let (image, part) = chunk.quotientAndRemainder(dividingBy: groups * bands.count)
            let group = part / bands.count
            let blocks = group * groupBlocks..<min((group + 1) * groupBlocks, to.blocks)
            let rows = bands[part % bands.count]
            // The rows that the band reads, of the expanded image with its halo, and those among them that are computed.
            let firstRow = rows.lowerBound * window.height.stride
            let endRow = (rows.upperBound - 1) * window.height.stride + window.height.extent
            let computed =
                max(
                    firstRow, expanded.halo.top)..<max(
                    min(endRow, expanded.halo.top + expanded.height), max(firstRow, expanded.halo.top))
            let band = memory.scratch.assumingMemoryBound(to: Float.self)
            for index in 0..<blocks.count {
                expanded.clearHalo(band + index * bandStride, rows: firstRow..<endRow)
            }
            var work = ConvolutionWork(
                input: memory.start(from, image: image), inputOffsets: memory.offsets(inputOffsets),
                taps: memory.offsets(taps), tapCount: head.taps.count, weights: memory.floats(head.weights),
                bias: memory.floats(head.bias),
                // Blocks and rows are counted from the whole image's first.
                output: band + (expanded.origin - firstRow * expanded.rowStride - blocks.lowerBound * bandStride),
                outputOffsets: memory.offsets(outputOffsets), outputBlockStride: bandStride,
                channels: to.blocks * blockWidth, pixelCount: computed.count * expanded.width,
                blockCount: blocks.count)
            work.depth = head.depth
            work.firstPixel = (computed.lowerBound - expanded.halo.top) * expanded.width
            work.firstBlock = blocks.lowerBound
            work.activate(activation)
            kernels.convolve(work)
            layer.run(
                memory, image, blocks: blocks, rows: rows, input: band - firstRow * expanded.rowStride,
                rowStride: expanded.rowStride, blockStride: bandStride)
        }
        step.scratchBytes = (groupBlocks * bandStride + blockWidth) * 4
        add(step)
    }

    private mutating func packDepthwise(_ filters: Tensor) -> Int {
        let area = filters.shape[0] * filters.shape[1]
        let channels = filters.shape[2]
        let blocks = (channels + blockWidth - 1) / blockWidth
        return withConstants { pool in
            pool.reserve(byteCount: blocks * area * blockWidth * 4) { memory in
                let packed = memory.assumingMemoryBound(to: Float.self)
                filters.withFloats { from in
                    for channel in 0..<channels {
                        for tap in 0..<area {
                            let row = channel / blockWidth * area + tap
                            packed[row * blockWidth + channel % blockWidth] = from[tap * channels + channel]
                        }
                    }
                }
            }
        }
    }
}

/// Rows of an image in bands of nearly equal height.
private struct Bands: Sendable {
    let rows: Int
    let perBand: Int
    let count: Int

    /// What a thread's rows may take of its core's cache, in bytes.
    private static let budget = 448 << 10

    init(rows: Int, perBand: Int) {
        self.rows = rows
        let count = (rows + perBand - 1) / perBand
        self.perBand = (rows + count - 1) / count
        self.count = (rows + self.perBand - 1) / self.perBand
    }

    /// Bands whose input stays in the cache.
    init(rows: Int, stride: Int, extent: Int, rowBytes: Int) {
        self.init(rows: rows, perBand: max(1, min(rows, (Bands.budget / rowBytes - extent) / stride + 1)))
    }

    subscript(band: Int) -> Range<Int> { band * perBand..<min((band + 1) * perBand, rows) }
}

/// A depthwise convolution, wherever its input lies.
private struct DepthwiseLayer: Sendable {
    let kernel: @Sendable (borrowing DepthwiseWork) -> Void
    let window: Window
    let weights: Int
    let bias: Int
    let to: Place
    let activation: UnaryFunction?

    init(_ kernels: KernelTable, _ node: PlannedNode, _ window: Window, weights: Int, bias: Int, to: Place) {
        kernel = kernels.convolveDepthwise
        activation = node.activation
        self.window = window
        self.weights = weights
        self.bias = bias
        self.to = to
    }

    /// - Parameter input: What the first tap of the image's first row reads, in the first of the blocks.
    func run(
        _ memory: Memory, _ image: Int, blocks: Range<Int>, rows: Range<Int>, input: UnsafePointer<Float>,
        rowStride: Int, blockStride: Int
    ) {
        if rows.lowerBound == 0 { memory.clearHalo(to, image: image, blocks: blocks) }
        let area = window.height.size * window.width.size
        var work = DepthwiseWork(
            input: input, inputRowStride: rowStride, inputBlockStride: blockStride, strideY: window.height.stride,
            strideX: window.width.stride, windowHeight: window.height.size, windowWidth: window.width.size,
            tapStrideY: window.height.dilation * rowStride, tapStrideX: window.width.dilation * blockWidth,
            weights: memory.floats(weights) + blocks.lowerBound * area * blockWidth,
            bias: memory.floats(bias) + blocks.lowerBound * blockWidth,
            output: memory.pixels(to, image: image) + blocks.lowerBound * to.blockStride,
            outputRowStride: to.rowStride, outputBlockStride: to.blockStride, width: to.width, rowCount: rows.count,
            blockCount: blocks.count)
        work.firstRow = rows.lowerBound
        work.activate(activation)
        kernel(work)
    }
}

extension Place {
    /// Writes zeros around the pixels of a band of rows, counted with the halo, in one plane's memory.
    fileprivate func clearHalo(_ band: UnsafeMutablePointer<Float>, rows: Range<Int>) {
        for row in rows {
            let line = band + (row - rows.lowerBound) * rowStride
            if row < halo.top || row >= halo.top + height {
                line.update(repeating: 0, count: rowStride)
            } else {
                line.update(repeating: 0, count: halo.left * blockWidth)
                (line + (halo.left + width) * blockWidth).update(repeating: 0, count: halo.right * blockWidth)
            }
        }
    }
}
