import Kernels

// Steps that use the convolution kernel: convolutions and dense layers. Here the geometry becomes lists of offsets, and
// the work is split so that whatever a chunk reads repeatedly stays in the cache.

extension Compiler {
    mutating func addConvolution(_ node: PlannedNode, filters: Tensor, bias: Tensor?, window: Window) {
        if let before = node.before.first {
            addPointwise(node, filters: filters, bias: bias, window: window, after: before)
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
        if kernels.roundsImages { return addRoundedDense(node, matrix: matrix, bias: bias) }
        // The rows of the input are treated as the pixels of one image.
        let from = location(node.inputs[0], .plain).asOneImage
        let layer = convolutionLayer(
            node, to: native(node.outputs[0]).asOneImage, filters: matrix, bias: bias,
            inputOffsets: (0..<from.width).map { Int32($0 * from.pixelStride) }, taps: [0],
            steps: ConvolutionSteps(tapCount: 1, depth: from.channels), rows: (0..<Int32(from.channels)).map { $0 },
            algorithm: "dense")
        addConvolution(node, from, layer)
    }

    /// A convolution as the kernel computes it, over an image with the layout `from`.
    /// - Parameter algorithm: The name of the algorithm, if not that of a convolution.
    mutating func directLayer(
        _ node: PlannedNode, from: Location, to: Location, filters: Tensor, bias: Tensor?, window: Window,
        algorithm: String? = nil
    ) -> ConvolutionLayer {
        let taps = WindowTaps(from, window)
        return convolutionLayer(
            node, to: to, filters: filters, bias: bias, inputOffsets: windowOffsets(from, to, window),
            taps: taps.offsets, steps: taps.steps, rows: taps.rows.flatMap { $0.map { Int32($0) } },
            // Neighboring pixels of a photo are similar, and larger than their differences.
            cancelingErrorsOf: from.kind == .rows ? from.channels : nil,
            algorithm: algorithm ?? "direct \(window.height.size)×\(window.width.size)")
    }

    /// - Parameter rows: The row of the filters that each step of the kernel's inner loop needs.
    private mutating func convolutionLayer(
        _ node: PlannedNode, to: Location, filters: Tensor, bias: Tensor?, inputOffsets: [Int32], taps: [Int32],
        steps: ConvolutionSteps, rows: [Int32], cancelingErrorsOf channels: Int? = nil, algorithm: String
    ) -> ConvolutionLayer {
        let outputs = filters.shape[filters.shape.rank - 1]
        let weights = pack(filters, rows: rows, steps, outputs: outputs, cancelingErrorsOf: channels)
        let bias = packBias(bias, outputs: outputs)
        let residual = node.residual.map { residual in
            node.traits.residual == .plain ? location(residual, .plain).asOneImage : location(residual, .blocked)
        }
        let kernels = kernels
        return withConstants { pool in
            ConvolutionLayer(
                kernels: kernels, to: to, inputOffsets: pool.offsets(inputOffsets), taps: pool.offsets(taps),
                steps: steps, weights: .constant(weights), bias: bias,
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
        let (kernels, bytesPerBlock) = (kernels, kernels.packedBytes(layer.steps))
        let slot = scratch(byteCount: layer.to.blocks * bytesPerBlock)
        add(
            Step(
                node, kind: "Multiply", algorithm: "gate weights", reads: [values.slot], writes: [slot],
                chunks: groups.count
            ) { memory, group in
                // Each step of a pointwise convolution belongs to one input channel.
                let start = groups[group].lowerBound * bytesPerBlock
                kernels.scaleWeights(
                    WeightScalingWork(
                        weights: memory.constants + (weights + start), factors: memory.floats(slot: values.slot),
                        blockCount: groups[group].count, steps: layer.steps, output: memory.slots[slot] + start))
            })
        return .computed(slot: slot)
    }

    private mutating func addConvolution(_ node: PlannedNode, _ from: Location, _ layer: ConvolutionLayer) {
        let partition = partition(layer.steps, from: from, to: layer.to, minimumChunks: minimumChunks)
        var step = Step(
            node, algorithm: layer.algorithm,
            reads: [from.slot] + layer.reads, writes: [layer.to.slot], multiplyAdds: node.multiplyAdds,
            chunks: from.images * partition.chunks
        ) { memory, chunk in
            let (image, part) = chunk.quotientAndRemainder(dividingBy: partition.chunks)
            memory.run(layer, image, partition[part], from: from)
        }
        step.scratchBytes = layer.scratchBytes
        step.precision = layer.precision
        add(step)
    }

    /// The chunks of a convolution of the image `from`.
    func partition(_ steps: ConvolutionSteps, from: Location, to: Location, minimumChunks: Int) -> WorkPartition {
        partition(
            from: from, to: to, BlockGroups(blocks: to.blocks, maximumWidth: kernels.groupBlocks),
            tile: kernels.tilePixels, packedBytes: kernels.packedBytes(steps),
            windowBytes: steps.count * from.element.size, minimumChunks: minimumChunks)
    }

    /// - Parameters:
    ///   - packedBytes: The bytes of the packed weights of a block.
    ///   - windowBytes: The bytes that a window covers.
    func partition(
        from: Location, to: Location, _ groups: BlockGroups, tile: Int, packedBytes: Int, windowBytes: Int,
        minimumChunks: Int
    ) -> WorkPartition {
        WorkPartition(
            pixels: to.pixels, tile: tile, groups: groups.ranges, groupBytes: groups.widest * packedBytes,
            // A convolution with a stride skips most of the image.
            inputBytes: min(from.imageStride, to.pixels * windowBytes),
            outputBytes: to.pixels * to.blocks * to.blockBytes, separatesRows: separatesRows(to),
            minimumChunks: minimumChunks, threads: threads)
    }
}

extension Memory {
    /// Runs one chunk of a convolution, and writes the border of the blocks whose first pixels it computes.
    func run(_ layer: ConvolutionLayer, _ image: Int, _ part: (pixels: Range<Int>, blocks: Range<Int>), from: Location)
    {
        let to = layer.to
        clearHalo(to, image: image, blocks: part.blocks, pixels: part.pixels)
        layer.run(
            self, image, pixels: part.pixels, blocks: part.blocks, from: start(from, image: image),
            to: pixels(to, image: image), blockStride: to.blockStride)
    }
}

extension Compiler {
    /// The algorithm that computes a convolution.
    fileprivate func algorithm(_ window: Window, from: Location, to: Location) -> ConvolutionAlgorithm {
        guard from.kind == .blocked, to.kind == .blocked else { return .direct }
        switch choice {
        case .cheapest: return CostModel(kernels).cheapest(window, from: from, to: to, isDeep: isDeep)
        case .only(let algorithm):
            return CostModel(kernels).candidates(window).contains(algorithm) ? algorithm : .direct
        }
    }
}

/// The offset in the input at which each output pixel's window begins.
func windowOffsets(_ from: Location, _ to: Location, _ window: Window) -> [Int32] {
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

    /// The rows of a plain tensor, which are as long as its last axis, as the pixels of one image.
    var asOneImage: Location {
        var location = self
        (location.images, location.height, location.width) = (1, 1, images * pixels)
        return location
    }
}
