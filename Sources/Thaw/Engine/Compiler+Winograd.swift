import Kernels

// Winograd convolutions as steps. If the transform of the whole image is small and the weights are larger, one step
// transforms it and a second one multiplies, each thread with its own part of the weights. Otherwise each chunk transforms
// the tiles that it multiplies, so that they stay in its core's cache.

extension Compiler {
    mutating func addWinograd(
        _ node: PlannedNode, filters: Tensor, bias: Tensor?, window: Window, _ form: WinogradForm
    ) {
        let winograd = kernels.winograd!
        let from = location(node.inputs[0], .blocked)
        let to = native(node.outputs[0])
        let products = winograd.products(form)
        let plan = WinogradPlan(form, from: from, to: to, products)
        let transformedTiles = plan.isSplit ? plan.tiles : plan.tilesPerChunk
        let groups = BlockGroups(blocks: plan.outputBlocks, maximumWidth: plan.groupBlocks)
        let sumBytes = kernels.plain.pixelBytes
        let inputOffsets = (0..<plan.tilesPerChunk).map { Int32($0 * plan.pixelBytes) }
        let outputOffsets = (0..<plan.tilesPerChunk).map { Int32($0 * sumBytes) }
        let taps = (0..<plan.inputBlocks).map { Int32($0 * transformedTiles * plan.pixelBytes) }
        let layer = WinogradLayer(
            plan: plan, from: from, to: to, residual: node.residual.map { location($0, .blocked) }, window: window,
            products: products, winograd: winograd, activation: node.activation,
            weights: packWinograd(filters, plan, winograd),
            bias: withConstants { $0.floats(bias?.floats ?? [], count: to.blocks * to.blockWidth) },
            zeros: withConstants { $0.floats([], count: groups.widest * to.blockWidth) },
            inputOffsets: withConstants { $0.offsets(inputOffsets) },
            outputOffsets: withConstants { $0.offsets(outputOffsets) }, taps: withConstants { $0.offsets(taps) },
            pointStride: WinogradPlan.pointStride(
                tiles: transformedTiles, blocks: plan.inputBlocks, pixelBytes: plan.pixelBytes),
            blockStride: transformedTiles * plan.pixelBytes,
            productStride: WinogradPlan.pointStride(
                tiles: plan.tilesPerChunk, blocks: groups.widest, pixelBytes: sumBytes), groups: groups.ranges)
        plan.isSplit ? addSplit(node, layer) : addWhole(node, layer)
    }

    /// Each chunk transforms some tiles and multiplies them by all filters.
    private mutating func addWhole(_ node: PlannedNode, _ layer: WinogradLayer) {
        let plan = layer.plan
        let chunks = plan.tiles.dividedRoundingUp(by: plan.tilesPerChunk)
        let inputBytes = plan.form.points * layer.pointStride
        var step = Step(
            node, algorithm: plan.form.name, reads: layer.reads,
            writes: [layer.to.slot],
            multiplyAdds: node.multiplyAdds, chunks: layer.from.images * chunks
        ) { memory, chunk in
            let (image, part) = chunk.quotientAndRemainder(dividingBy: chunks)
            let tiles = plan.tiles(ofPart: part, per: plan.tilesPerChunk)
            let input = memory.scratch
            let working = input + inputBytes
            if part == 0 { memory.clearHalo(layer.to, image: image, blocks: 0..<layer.to.blocks) }
            layer.transform(memory, image, tiles, blocks: 0..<plan.inputBlocks, to: input, scratch: working)
            for group in layer.groups.indices {
                layer.multiply(memory, image, tiles, group: group, transformed: input, scratch: working)
            }
        }
        step.scratchBytes = inputBytes + layer.workingBytes
        step.precision = layer.precision
        add(step)
    }

    /// One step transforms the image, the next multiplies it. A chunk is a group of filters and some tiles.
    ///
    /// Every thread multiplies the whole image. Two threads transform it twice: that takes no longer, and if their cores
    /// do not share a cache, much less time than reading half of the transform from the other core.
    private mutating func addSplit(_ node: PlannedNode, _ layer: WinogradLayer) {
        let imageBytes = layer.plan.form.points * layer.pointStride
        let isCopied = threads == 2 && layer.from.images == 1 && imageBytes <= WinogradPlan.copyBudget
        let copies =
            isCopied
            ? transformCopies(byteCount: imageBytes) : [scratch(byteCount: layer.from.images * imageBytes)]
        addTransform(node, layer, imageBytes: imageBytes, to: copies)
        addMultiplication(node, layer, imageBytes: imageBytes, from: copies)
    }

    /// - Parameters:
    ///   - imageBytes: The bytes of one transformed image.
    ///   - copies: The buffers that each receive the transform of all images.
    private mutating func addTransform(
        _ node: PlannedNode, _ layer: WinogradLayer, imageBytes: Int, to copies: [Int]
    ) {
        let plan = layer.plan
        let halves = plan.inputBlocks < 8 ? 2 : 1
        let perHalf = plan.tiles.dividedRoundingUp(by: halves)
        var step = Step(
            node, kind: "Transform", algorithm: "Winograd transform", reads: [layer.from.slot], writes: copies,
            chunks: layer.from.images * copies.count * plan.inputBlocks * halves
        ) { memory, chunk in
            let (target, part) = chunk.quotientAndRemainder(dividingBy: plan.inputBlocks * halves)
            let (block, half) = part.quotientAndRemainder(dividingBy: halves)
            let tiles = plan.tiles(ofPart: half, per: perHalf)
            let (image, copy) = target.quotientAndRemainder(dividingBy: copies.count)
            let transformed = memory.slots[copies[copy]] + image * imageBytes
            layer.transform(
                memory, image, tiles, blocks: block..<block + 1,
                to: transformed + tiles.lowerBound * plan.pixelBytes, scratch: memory.scratch)
        }
        step.scratchBytes = layer.transformBytes
        add(step)
    }

    private mutating func addMultiplication(
        _ node: PlannedNode, _ layer: WinogradLayer, imageBytes: Int, from copies: [Int]
    ) {
        let plan = layer.plan
        let parts = plan.tiles.dividedRoundingUp(by: plan.tilesPerChunk)
        var step = Step(
            node, algorithm: plan.form.name, reads: layer.reads + copies, writes: [layer.to.slot],
            multiplyAdds: node.multiplyAdds, chunks: layer.from.images * layer.groups.count * parts
        ) { memory, chunk in
            let (image, index) = chunk.quotientAndRemainder(dividingBy: layer.groups.count * parts)
            let (group, part) = index.quotientAndRemainder(dividingBy: parts)
            let tiles = plan.tiles(ofPart: part, per: plan.tilesPerChunk)
            // The first half of the chunks is the share of the thread that wrote the first copy.
            let copy = ((index + 1) * copies.count - 1) / (layer.groups.count * parts)
            let transformed = memory.slots[copies[copy]] + image * imageBytes
            if part == 0 { memory.clearHalo(layer.to, image: image, blocks: layer.groups[group]) }
            layer.multiply(
                memory, image, tiles, group: group, transformed: transformed + tiles.lowerBound * plan.pixelBytes,
                scratch: memory.scratch)
        }
        step.scratchBytes = layer.workingBytes
        step.precision = layer.precision
        add(step)
    }
}

/// Parameters shared by the steps of one layer. Constants are offsets into the program's constants. Strides are in
/// bytes.
private struct WinogradLayer: Sendable {
    let plan: WinogradPlan
    let from: Location
    let to: Location
    let residual: Location?
    let window: Window
    let products: any KernelTable.Type
    let winograd: any WinogradKernels.Type
    let activation: UnaryFunction?
    let weights: Int
    let bias: Int
    let zeros: Int
    let inputOffsets: Int
    let outputOffsets: Int
    let taps: Int
    let pointStride: Int
    let blockStride: Int
    let productStride: Int
    /// The blocks that share packed weights.
    let groups: [Range<Int>]

    var precision: Precision { Precision(products.valueType) }
    /// The bytes of the products of one tile and one block, which are floats.
    var sumBytes: Int { products.plain.pixelBytes }
    var reads: [Int] { [from.slot] + (residual.map { [$0.slot] } ?? []) }
    /// Bytes of scratch memory that the image transforms need, and that `multiply` needs.
    var transformBytes: Int { plan.form.scratchVectors * sumBytes }
    var workingBytes: Int { transformBytes + plan.form.points * productStride }

    private func tiles(
        _ range: Range<Int>, blocks: Range<Int>, pointStride: Int, blockStride: Int,
        _ scratch: UnsafeMutableRawPointer
    )
        -> WinogradTiles
    {
        var tiles = WinogradTiles(
            form: plan.form, tilesAcross: plan.tilesAcross, tileCount: range.count, blockCount: blocks.count,
            pointStride: pointStride, transformedBlockStride: blockStride, scratch: scratch)
        tiles.firstTile = range.lowerBound
        tiles.firstBlock = blocks.lowerBound
        return tiles
    }

    func transform(
        _ memory: Memory, _ image: Int, _ range: Range<Int>, blocks: Range<Int>, to: UnsafeMutableRawPointer,
        scratch: UnsafeMutableRawPointer
    ) {
        let top = from.halo.top - window.height.before
        let left = from.halo.left - window.width.before
        winograd.transformInput(
            WinogradInputWork(
                tiles: tiles(range, blocks: blocks, pointStride: pointStride, blockStride: blockStride, scratch),
                input: memory.start(from, image: image) + (top * from.rowStride + left * from.pixelStride),
                rowStride: from.rowStride, blockStride: from.blockStride, rows: from.rowCount - top,
                columns: from.rowStride / from.pixelStride - left, transformed: to))
    }

    /// Computes all points of some tiles for one group of filters, and the inverse transform.
    func multiply(
        _ memory: Memory, _ image: Int, _ range: Range<Int>, group: Int, transformed: UnsafeRawPointer,
        scratch: UnsafeMutableRawPointer
    ) {
        let blocks = groups[group]
        let products = scratch + transformBytes
        let bytesPerBlock = self.products.packedBytes(plan.steps)
        let weights = memory.constants + (self.weights + blocks.lowerBound * bytesPerBlock * plan.form.points)
        for point in 0..<plan.form.points {
            var work = ConvolutionWork(
                input: transformed + point * pointStride, inputOffsets: memory.integers(inputOffsets),
                taps: memory.integers(taps), steps: plan.steps,
                weights: weights + point * bytesPerBlock * blocks.count, bias: memory.floats(zeros),
                output: products + point * productStride, outputOffsets: memory.integers(outputOffsets),
                outputBlockStride: plan.tilesPerChunk * sumBytes, channels: blocks.count * to.blockWidth,
                pixelCount: range.count, blockCount: blocks.count)
            work.writesPlain = true
            self.products.convolve(work)
        }
        var work = WinogradOutputWork(
            tiles: tiles(
                range, blocks: blocks, pointStride: productStride, blockStride: plan.tilesPerChunk * sumBytes, scratch),
            products: products, bias: memory.floats(bias), output: memory.pixels(to, image: image),
            rowStride: to.rowStride, blockStride: to.blockStride, height: to.height, width: to.width)
        if let residual {
            work.residual = UnsafeRawPointer(memory.pixels(residual, image: image))
            work.residualRowStride = residual.rowStride
            work.residualBlockStride = residual.blockStride
        }
        work.activate(activation)
        winograd.transformOutput(work)
    }
}
