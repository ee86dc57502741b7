import Kernels

// Steps by the convolution kernel: convolutions, depthwise convolutions and dense layers. Here geometry becomes lists of
// offsets, weights are packed, and the work is cut so that what a chunk reads again and again stays in the cache.

extension Compiler {
    mutating func addConvolution(_ node: PlannedNode, filters: Tensor, bias: Tensor?, window: Window) {
        let kind = layouts.convolutionReads(node.inputs[0], window, graph)
        let from = place(node.inputs[0], kind)
        if case .winograd(let form) = algorithm(window, from: from, to: native(node.outputs[0])) {
            addWinograd(node, filters: filters, bias: bias, window: window, form)
            return
        }
        let (kh, kw) = (window.height.size, window.width.size)
        var taps: [Int] = []
        // Of each step of the inner loop: the row of the filters that it needs, if it is not one of the filling zeros.
        var rows: [Int32] = []
        if kind == .rows {
            taps = (0..<kh).map { $0 * window.height.dilation * from.rowStride }
            rows = (0..<Int32(kh * kw * from.channels)).map { $0 }
        } else {
            for block in 0..<from.blocks {
                for tap in 0..<kh * kw {
                    taps.append(
                        block * from.blockStride + tap / kw * window.height.dilation * from.rowStride
                            + tap % kw * window.width.dilation * blockWidth)
                    for channel in block * blockWidth..<(block + 1) * blockWidth {
                        rows.append(channel < from.channels ? Int32(tap * from.channels + channel) : -1)
                    }
                }
            }
        }
        let layer = ConvolutionLayer(
            inputOffsets: windowOffsets(from, native(node.outputs[0]), window), taps: taps,
            depth: rows.count / taps.count, weights: pack(filters, rows: rows, outputs: filters.shape[3]),
            bias: packBias(bias, outputs: filters.shape[3]))
        addConvolution(node, from, layer)
    }

    mutating func addDense(_ node: PlannedNode, matrix: Tensor, bias: Tensor?) {
        // The rows of the input are the pixels of one image.
        let from = place(node.inputs[0], .plain).asOneImage
        let layer = ConvolutionLayer(
            inputOffsets: (0..<from.width).map { Int32($0 * from.channels) }, taps: [0], depth: from.channels,
            weights: pack(matrix, rows: (0..<Int32(from.channels)).map { $0 }, outputs: matrix.shape[1]),
            bias: packBias(bias, outputs: matrix.shape[1]))
        addConvolution(node, from, layer)
    }

    mutating func addDepthwise(_ node: PlannedNode, filters: Tensor, bias: Tensor?, window: Window) {
        let from = place(node.inputs[0], .blocked)
        let to = native(node.outputs[0])
        let (kh, kw) = (window.height.size, window.width.size)
        let taps = (0..<kh * kw).map {
            $0 / kw * window.height.dilation * from.rowStride + $0 % kw * window.width.dilation * blockWidth
        }
        let channels = from.channels
        let weights = withConstants { pool in
            pool.reserve(byteCount: from.blocks * taps.count * blockWidth * 4) { memory in
                let packed = memory.assumingMemoryBound(to: Float.self)
                filters.withFloats { from in
                    for channel in 0..<channels {
                        for tap in 0..<kh * kw {
                            let row = channel / blockWidth * kh * kw + tap
                            packed[row * blockWidth + channel % blockWidth] = from[tap * channels + channel]
                        }
                    }
                }
            }
        }
        let layer = ConvolutionLayer(
            inputOffsets: windowOffsets(from, to, window), taps: taps, depth: blockWidth, weights: weights,
            bias: packBias(bias, outputs: channels))
        // A plane at a time, in runs of rows that stay in the cache between their first and last reading.
        let cut = Cut(pixels: to.pixels, pixelsPerChunk: 2048, units: from.blocks, unitsPerChunk: 1, unitBlocks: 1)
        addConvolution(node, from, layer, cut, kernels.convolveDepthwise)
    }

    private mutating func addConvolution(_ node: PlannedNode, _ from: Place, _ layer: ConvolutionLayer) {
        var to = native(node.outputs[0])
        if from.images != to.images { to = to.asOneImage }
        let groups = (to.blocks + kernels.groupBlocks - 1) / kernels.groupBlocks
        let cut = Cut(
            pixels: to.pixels, tile: kernels.tilePixels, groups: groups, groupBlocks: kernels.groupBlocks,
            groupBytes: layer.taps.count * layer.depth * kernels.groupBlocks * blockWidth * 4,
            inputBytes: from.imageStride * 4)
        addConvolution(node, from, layer, cut, kernels.convolve)
    }

    private mutating func addConvolution(
        _ node: PlannedNode, _ from: Place, _ layer: ConvolutionLayer, _ cut: Cut,
        _ kernel: @escaping @Sendable (borrowing ConvolutionWork) -> Void
    ) {
        var to = native(node.outputs[0])
        if from.images != to.images { to = to.asOneImage }
        let target = to
        let residual = node.residual.map { place($0, .blocked) }
        let inputOffsets = withConstants { $0.offsets(layer.inputOffsets) }
        let outputOffsets = withConstants { $0.offsets(target.pixelOffsets) }
        let residualOffsets = residual.map { place in withConstants { $0.offsets(place.pixelOffsets) } }
        let taps = withConstants { $0.offsets(layer.taps.map { Int32($0) }) }
        let activation = node.activation
        add(
            Step(
                name: node.name, kind: node.operation.kind, reads: [from.slot] + (residual.map { [$0.slot] } ?? []),
                writes: [target.slot], multiplyAdds: node.multiplyAdds, chunks: from.images * cut.chunks
            ) { memory, chunk in
                let (image, part) = chunk.quotientAndRemainder(dividingBy: cut.chunks)
                let (pixels, blocks) = cut[part, blockCount: target.blocks]
                if pixels.lowerBound == 0 { memory.clearHalo(target, image: image, blocks: blocks) }
                var work = ConvolutionWork(
                    input: memory.start(from, image: image), inputOffsets: memory.offsets(inputOffsets),
                    taps: memory.offsets(taps), tapCount: layer.taps.count, weights: memory.floats(layer.weights),
                    bias: memory.floats(layer.bias), output: memory.pixels(target, image: image),
                    outputOffsets: memory.offsets(outputOffsets), outputBlockStride: target.blockStride,
                    channels: target.kind == .plain ? target.channels : target.blocks * blockWidth,
                    pixelCount: pixels.count, blockCount: blocks.count)
                work.depth = layer.depth
                work.inputBlockStride = from.blockStride
                work.firstPixel = pixels.lowerBound
                work.firstBlock = blocks.lowerBound
                if let residual, let residualOffsets {
                    work.residual = UnsafePointer(memory.pixels(residual, image: image))
                    work.residualOffsets = memory.offsets(residualOffsets)
                    work.residualBlockStride = residual.blockStride
                }
                if let activation, activation.kind == .clamp {
                    work.lower = activation.alpha
                    work.upper = activation.beta
                } else {
                    work.activation = activation
                }
                kernel(work)
            })
    }
}

/// What the convolution kernel needs to know of a layer. `weights` and `bias` are places among the constants.
private struct ConvolutionLayer {
    /// From the start of an image, its halo included.
    var inputOffsets: [Int32]
    var taps: [Int]
    var depth: Int
    var weights: Int
    var bias: Int
}

/// Where each output pixel's window begins in the input.
private func windowOffsets(_ from: Place, _ to: Place, _ window: Window) -> [Int32] {
    (0..<to.height).flatMap { y in
        let row = (from.halo.top - window.height.before + y * window.height.stride) * from.rowStride
        return (0..<to.width).map { x in
            Int32(row + (from.halo.left - window.width.before + x * window.width.stride) * from.pixelStride)
        }
    }
}

extension Place {
    /// Where each pixel lies, from the first.
    fileprivate var pixelOffsets: [Int32] {
        (0..<height).flatMap { y in (0..<width).map { x in Int32(y * rowStride + x * pixelStride) } }
    }

    /// Rows of a matrix as the pixels of one image.
    fileprivate var asOneImage: Place {
        var place = self
        (place.images, place.height, place.width) = (1, 1, images)
        return place
    }
}

// MARK: Packing

extension Compiler {
    /// Packs weights as the kernel reads them: a group's columns of each of `rows` in turn; −1 is a row of zeros.
    private mutating func pack(_ weights: Tensor, rows: [Int32], outputs: Int) -> Int {
        let groupWidth = kernels.groupBlocks * blockWidth
        let padded = (outputs + blockWidth - 1) / blockWidth * blockWidth
        return withConstants { pool in
            pool.reserve(byteCount: padded * rows.count * 4) { memory in
                var packed = memory.assumingMemoryBound(to: Float.self)
                weights.withFloats { from in
                    for first in stride(from: 0, to: padded, by: groupWidth) {
                        let width = min(groupWidth, padded - first)
                        let count = min(width, outputs - first)
                        for row in rows {
                            if row >= 0 {
                                packed.update(from: from.baseAddress! + (Int(row) * outputs + first), count: count)
                            }
                            packed += width
                        }
                    }
                }
            }
        }
    }

    private mutating func packBias(_ bias: Tensor?, outputs: Int) -> Int {
        let numbers = bias?.floats ?? []
        let padded = (outputs + blockWidth - 1) / blockWidth * blockWidth
        return withConstants { $0.floats(numbers, count: padded) }
    }
}

// MARK: Cutting

/// How a convolution's output is cut into chunks: runs of pixels times runs of units, a unit being what shares packed
/// weights.
struct Cut {
    let pixels: Int
    let pixelsPerChunk: Int
    let units: Int
    let unitsPerChunk: Int
    let unitBlocks: Int
    let pixelChunks: Int
    let chunks: Int

    init(pixels: Int, pixelsPerChunk: Int, units: Int, unitsPerChunk: Int, unitBlocks: Int) {
        self.pixels = pixels
        self.pixelsPerChunk = pixelsPerChunk
        self.units = units
        self.unitsPerChunk = unitsPerChunk
        self.unitBlocks = unitBlocks
        pixelChunks = (pixels + pixelsPerChunk - 1) / pixelsPerChunk
        chunks = pixelChunks * ((units + unitsPerChunk - 1) / unitsPerChunk)
    }

    /// Cuts so that a chunk's weights and input fit into a core's cache together, and that there are enough chunks to
    /// keep several threads busy.
    init(pixels: Int, tile: Int, groups: Int, groupBlocks: Int, groupBytes: Int, inputBytes: Int) {
        let weightBudget = 256 << 10
        let inputBudget = 256 << 10
        let fewest = 8
        var unitsPerChunk = min(groups, max(1, weightBudget / groupBytes))
        let parts = max(1, (inputBytes + inputBudget - 1) / inputBudget)
        var pixelsPerChunk = (pixels + parts - 1) / parts
        let chunks = { (pixels + pixelsPerChunk - 1) / pixelsPerChunk * ((groups + unitsPerChunk - 1) / unitsPerChunk) }
        if chunks() < fewest {
            pixelsPerChunk = max(tile * 4, min(pixelsPerChunk, (pixels + fewest - 1) / fewest))
        }
        while chunks() < fewest, unitsPerChunk > 1 { unitsPerChunk = (unitsPerChunk + 1) / 2 }
        // Whole tiles; where few tiles do for all pixels, they are made of equal size instead.
        if pixelsPerChunk < pixels { pixelsPerChunk = (pixelsPerChunk + tile - 1) / tile * tile }
        self.init(
            pixels: pixels, pixelsPerChunk: pixelsPerChunk, units: groups, unitsPerChunk: unitsPerChunk,
            unitBlocks: groupBlocks)
    }

    /// The pixels and blocks of a chunk. Chunks that share weights follow each other.
    subscript(chunk: Int, blockCount blockCount: Int) -> (pixels: Range<Int>, blocks: Range<Int>) {
        let (unit, pixel) = chunk.quotientAndRemainder(dividingBy: pixelChunks)
        let firstPixel = pixel * pixelsPerChunk
        let firstBlock = unit * unitsPerChunk * unitBlocks
        return (
            firstPixel..<min(firstPixel + pixelsPerChunk, pixels),
            firstBlock..<min(firstBlock + unitsPerChunk * unitBlocks, blockCount)
        )
    }
}
