import Kernels

// Steps by the convolution kernel: convolutions and dense layers. Here geometry becomes lists of
// offsets, weights are packed, and the work is cut so that what a chunk reads again and again stays in the cache.

extension Compiler {
    mutating func addConvolution(_ node: PlannedNode, filters: Tensor, bias: Tensor?, window: Window) {
        let to = native(node.outputs[0])
        let kind = layouts.convolutionReads(node.inputs[0], window, graph)
        if case .winograd(let form) = algorithm(window, from: place(node.inputs[0], kind), to: to) {
            addWinograd(node, filters: filters, bias: bias, window: window, form)
            return
        }
        let (from, layer) = directLayer(node.inputs[0], to: to, filters: filters, bias: bias, window: window)
        addConvolution(node, from, layer)
    }

    /// A convolution as the kernel does it, and where it reads.
    mutating func directLayer(_ input: Graph.Value, to: Place, filters: Tensor, bias: Tensor?, window: Window) -> (
        Place, ConvolutionLayer
    ) {
        let kind = layouts.convolutionReads(input, window, graph)
        let from = place(input, kind)
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
            inputOffsets: windowOffsets(from, to, window), taps: taps, depth: rows.count / taps.count,
            weights: pack(filters, rows: rows, outputs: filters.shape[3]),
            bias: packBias(bias, outputs: filters.shape[3]),
            algorithm: "direct \(window.height.size)×\(window.width.size)")
        return (from, layer)
    }

    mutating func addDense(_ node: PlannedNode, matrix: Tensor, bias: Tensor?) {
        // The rows of the input are the pixels of one image.
        let from = place(node.inputs[0], .plain).asOneImage
        let layer = ConvolutionLayer(
            inputOffsets: (0..<from.width).map { Int32($0 * from.channels) }, taps: [0], depth: from.channels,
            weights: pack(matrix, rows: (0..<Int32(from.channels)).map { $0 }, outputs: matrix.shape[1]),
            bias: packBias(bias, outputs: matrix.shape[1]), algorithm: "dense")
        addConvolution(node, from, layer)
    }

    private mutating func addConvolution(_ node: PlannedNode, _ from: Place, _ layer: ConvolutionLayer) {
        var to = native(node.outputs[0])
        if from.images != to.images { to = to.asOneImage }
        let groups = (to.blocks + kernels.groupBlocks - 1) / kernels.groupBlocks
        let cut = Cut(
            pixels: to.pixels, tile: kernels.tilePixels, groups: groups, groupBlocks: kernels.groupBlocks,
            groupBytes: layer.taps.count * layer.depth * kernels.groupBlocks * blockWidth * 4,
            // A stride passes most of the image by.
            inputBytes: min(from.imageStride, to.pixels * layer.taps.count * layer.depth) * 4)
        let kernel = kernels.convolve
        let target = to
        let residual = node.residual.map { place($0, .blocked) }
        let inputOffsets = withConstants { $0.offsets(layer.inputOffsets) }
        let outputOffsets = withConstants { $0.offsets(target.pixelOffsets) }
        let residualOffsets = residual.map { place in withConstants { $0.offsets(place.pixelOffsets) } }
        let taps = withConstants { $0.offsets(layer.taps.map { Int32($0) }) }
        let activation = node.activation
        add(
            Step(
                name: node.name, kind: node.operation.kind, algorithm: layer.algorithm,
                reads: [from.slot] + (residual.map { [$0.slot] } ?? []),
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
                work.firstPixel = pixels.lowerBound
                work.firstBlock = blocks.lowerBound
                if let residual, let residualOffsets {
                    work.residual = UnsafePointer(memory.pixels(residual, image: image))
                    work.residualOffsets = memory.offsets(residualOffsets)
                    work.residualBlockStride = residual.blockStride
                }
                work.activate(activation)
                kernel(work)
            })
    }
}

extension Compiler {
    /// What a convolution is computed by.
    fileprivate func algorithm(_ window: Window, from: Place, to: Place) -> ConvolutionAlgorithm {
        guard from.kind == .blocked, to.kind == .blocked else { return .direct }
        switch choice {
        case .cheapest: return CostModel(kernels).cheapest(window, from: from, to: to)
        case .only(let algorithm):
            return CostModel.candidates(window).contains(algorithm) ? algorithm : .direct
        }
    }
}

/// What the convolution kernel needs to know of a layer. `weights` and `bias` are places among the constants.
struct ConvolutionLayer {
    /// From the start of an image, its halo included.
    var inputOffsets: [Int32]
    var taps: [Int]
    var depth: Int
    var weights: Int
    var bias: Int
    /// For people.
    var algorithm: String
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
    var pixelOffsets: [Int32] {
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

    mutating func packBias(_ bias: Tensor?, outputs: Int) -> Int {
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
        // Whole tiles; where few tiles do for all pixels, they are made of equal size instead. An even number of chunks
        // lets two threads end together.
        if pixelsPerChunk < pixels {
            let tiles = (pixels + tile - 1) / tile
            var tilesPerChunk = (pixelsPerChunk + tile - 1) / tile
            let isOdd = { (groups + unitsPerChunk - 1) / unitsPerChunk % 2 * ((tiles + $0 - 1) / $0 % 2) == 1 }
            if let even = (max(1, tilesPerChunk * 2 / 3)...tilesPerChunk).last(where: { !isOdd($0) }) {
                tilesPerChunk = even
            }
            pixelsPerChunk = tilesPerChunk * tile
        }
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
