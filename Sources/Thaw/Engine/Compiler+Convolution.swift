import Kernels

// Steps that use the convolution kernel: convolutions and dense layers. Here the geometry becomes lists of offsets, and
// the work is split so that whatever a chunk reads repeatedly stays in the cache.

extension Compiler {
    mutating func addConvolution(_ node: PlannedNode, filters: Tensor, bias: Tensor?, window: Window) {
        if let before = node.before.first {
            addPointwise(node, filters: filters, bias: bias, window: window, behind: before)
            return
        }
        let to = native(node.outputs[0])
        let from = location(node.inputs[0], layouts.convolutionReads(node.inputs[0], window, graph))
        if case .winograd(let form) = algorithm(window, from: from, to: to) {
            addWinograd(node, filters: filters, bias: bias, window: window, form)
        } else {
            var layer = directLayer(node, from: from, to: to, filters: filters, bias: bias, window: window)
            if let gates = node.gates { layer.weights = addGating(node, gates, layer) }
            addConvolution(node, from, layer)
        }
    }

    mutating func addDense(_ node: PlannedNode, matrix: Tensor, bias: Tensor?) {
        // The rows of the input are treated as the pixels of one image.
        let from = location(node.inputs[0], .plain).asOneImage
        let layer = convolutionLayer(
            node, to: native(node.outputs[0]).asOneImage, filters: matrix, bias: bias,
            inputOffsets: (0..<from.width).map { Int32($0 * from.channels) }, taps: [0], depth: from.channels,
            rows: (0..<Int32(from.channels)).map { $0 }, algorithm: "dense")
        addConvolution(node, from, layer)
    }

    /// A convolution as the kernel computes it, over an image with the layout `from`.
    mutating func directLayer(
        _ node: PlannedNode, from: Location, to: Location, filters: Tensor, bias: Tensor?, window: Window
    ) -> ConvolutionLayer {
        let (kh, kw) = (window.height.size, window.width.size)
        var taps: [Int32] = []
        var rows: [Int32] = []
        var (depth, shortDepth) = (blockWidth, from.channels % blockWidth)
        if from.kind == .rows {
            (depth, shortDepth) = (kw * from.channels, 0)
            taps = (0..<kh).map { Int32($0 * window.height.dilation * from.rowStride) }
            rows = (0..<Int32(kh * kw * from.channels)).map { $0 }
        } else {
            for block in 0..<from.blocks {
                for tap in 0..<kh * kw {
                    let row = tap / kw * window.height.dilation * from.rowStride
                    taps.append(
                        Int32(block * from.blockStride + row + tap % kw * window.width.dilation * blockWidth))
                    for channel in block * blockWidth..<min((block + 1) * blockWidth, from.channels) {
                        rows.append(Int32(tap * from.channels + channel))
                    }
                }
            }
        }
        return convolutionLayer(
            node, to: to, filters: filters, bias: bias, inputOffsets: windowOffsets(from, to, window), taps: taps,
            depth: depth, shortTaps: shortDepth > 0 ? kh * kw : 0, shortDepth: shortDepth, rows: rows,
            algorithm: "direct \(kh)×\(kw)")
    }

    /// - Parameter rows: The row of the filters that each step of the kernel's inner loop needs.
    private mutating func convolutionLayer(
        _ node: PlannedNode, to: Location, filters: Tensor, bias: Tensor?, inputOffsets: [Int32], taps: [Int32],
        depth: Int, shortTaps: Int = 0, shortDepth: Int = 0, rows: [Int32], algorithm: String
    ) -> ConvolutionLayer {
        let outputs = filters.shape[filters.shape.rank - 1]
        let (weights, bias) = (pack(filters, rows: rows, outputs: outputs), packBias(bias, outputs: outputs))
        let residual = node.residual.map { location($0, .blocked) }
        let convolve = kernels.convolve
        return withConstants { pool in
            ConvolutionLayer(
                convolve: convolve, to: to, inputOffsets: pool.offsets(inputOffsets), taps: pool.offsets(taps),
                tapCount: taps.count, depth: depth, shortTaps: shortTaps, shortDepth: shortDepth, steps: rows.count,
                weights: .constant(weights), bias: bias,
                outputOffsets: pool.offsets(to.pixelOffsets), residual: residual,
                residualOffsets: residual.map { pool.offsets($0.pixelOffsets) }, activation: node.activation,
                algorithm: algorithm)
        }
    }

    /// Adds a step that multiplies the layer's packed weights by the gates of their channels, and returns the buffer
    /// for the result.
    private mutating func addGating(
        _ node: PlannedNode, _ gates: Graph.Value, _ layer: ConvolutionLayer
    ) -> ConvolutionLayer.Weights {
        guard case .constant(let weights) = layer.weights else { preconditionFailure("the weights are already gated") }
        let values = location(gates, .plain)
        let groups = BlockGroups(blocks: layer.to.blocks, maximumWidth: kernels.groupBlocks).ranges
        let slot = scratch(floatCount: layer.to.blocks * blockWidth * layer.steps)
        let kernel = kernels.binary
        add(
            Step(
                name: node.name, kind: "Multiply", algorithm: "gate weights", reads: [values.slot], writes: [slot],
                chunks: groups.count
            ) { memory, group in
                // Each row of a group's weights belongs to one input channel.
                let width = groups[group].count * blockWidth
                let first = groups[group].lowerBound * blockWidth * layer.steps
                var work = RowWork(
                    left: memory.floats(weights) + first, leftStride: width,
                    output: memory.slots[slot].assumingMemoryBound(to: Float.self) + first, outputStride: width,
                    width: width, count: layer.steps)
                work.right = UnsafePointer(memory.start(values, image: 0))
                work.rightStride = 1
                work.pattern = .one
                kernel(.multiply, work)
            })
        return .computed(slot: slot)
    }

    private mutating func addConvolution(_ node: PlannedNode, _ from: Location, _ layer: ConvolutionLayer) {
        let to = layer.to
        let groups = BlockGroups(blocks: to.blocks, maximumWidth: kernels.groupBlocks)
        let cut = Cut(
            pixels: to.pixels, tile: kernels.tilePixels, groups: groups.ranges,
            groupBytes: layer.steps * groups.widest * blockWidth * 4,
            // A convolution with a stride skips most of the image.
            inputBytes: min(from.imageStride, to.pixels * layer.steps) * 4, minimumChunks: minimumChunks)
        add(
            Step(
                name: node.name, kind: node.operation.kind, algorithm: layer.algorithm,
                reads: [from.slot] + layer.reads, writes: [to.slot], multiplyAdds: node.multiplyAdds,
                chunks: from.images * cut.chunks
            ) { memory, chunk in
                let (image, part) = chunk.quotientAndRemainder(dividingBy: cut.chunks)
                let (pixels, blocks) = cut[part]
                if pixels.lowerBound == 0 { memory.clearHalo(to, image: image, blocks: blocks) }
                layer.run(
                    memory, image, pixels: pixels, blocks: blocks, from: memory.start(from, image: image),
                    to: memory.pixels(to, image: image), blockStride: to.blockStride)
            })
    }
}

extension Compiler {
    /// The algorithm that computes a convolution.
    fileprivate func algorithm(_ window: Window, from: Location, to: Location) -> ConvolutionAlgorithm {
        guard from.kind == .blocked, to.kind == .blocked else { return .direct }
        switch choice {
        case .cheapest: return CostModel(kernels).cheapest(window, from: from, to: to, isDeep: isDeep)
        case .only(let algorithm):
            return CostModel.candidates(window).contains(algorithm) ? algorithm : .direct
        }
    }
}

/// The offset in the input at which each output pixel's window begins.
private func windowOffsets(_ from: Location, _ to: Location, _ window: Window) -> [Int32] {
    let (top, left) = (from.halo.top - window.height.before, from.halo.left - window.width.before)
    return to.offsets(
        from: top * from.rowStride + left * from.pixelStride, rowStep: window.height.stride * from.rowStride,
        pixelStep: window.width.stride * from.pixelStride)
}

extension Location {
    /// The offset of each pixel from the first one.
    var pixelOffsets: [Int32] { offsets(from: 0, rowStep: rowStride, pixelStep: pixelStride) }

    /// Offsets in a grid with as many rows and columns as the image.
    fileprivate func offsets(from first: Int, rowStep: Int, pixelStep: Int) -> [Int32] {
        [Int32](unsafeUninitializedCapacity: pixels) { offsets, count in
            for y in 0..<height {
                for x in 0..<width { offsets[y * width + x] = Int32(first + y * rowStep + x * pixelStep) }
            }
            count = pixels
        }
    }

    /// The rows of a matrix as the pixels of one image.
    fileprivate var asOneImage: Location {
        var location = self
        (location.images, location.height, location.width) = (1, 1, images)
        return location
    }
}
