import Kernels

// Winograd convolutions of quantized images as steps. Each chunk transforms the tiles that it multiplies, so that they stay
// in its core's cache.

extension Compiler {
    mutating func addIntegerWinograd(
        _ node: PlannedNode, _ layer: IntegerLayer, _ window: Window, _ plan: IntegerWinogradPlan, from: Location,
        to: Location
    ) {
        let weights = packGroups(
            layer, .integerWinograd, plan.groups, rows: plan.rows(inputs: layer.weights.shape[2]),
            bytesPerBlock: plan.bytesPerBlock
        ) { plan.winograd.packTransforms($0) }
        let results = packResults(node, layer, to: to)
        // The first pixel of the first window, from the start of an image.
        let (top, left) = (from.halo.top - window.height.before, from.halo.left - window.width.before)
        let origin = top * from.rowStride + left * from.pixelStride
        var step = Step(
            node, algorithm: "int8 " + WinogradForm.quantized.name,
            reads: [from.slot] + results.reads, writes: [to.slot], multiplyAdds: node.multiplyAdds,
            chunks: to.images * plan.chunks
        ) { memory, chunk in
            let (image, part) = chunk.quotientAndRemainder(dividingBy: plan.chunks)
            let (tileChunk, groupChunk) = part.quotientAndRemainder(dividingBy: plan.groupChunks)
            let transformed = memory.scratch
            let products = transformed + plan.transformedBytes
            let tiles = plan.tiles(ofChunk: tileChunk, scratch: products + plan.productBytes)
            plan.winograd.transformInput(
                WinogradInputWork(
                    tiles: tiles, input: memory.start(from, image: image) + origin, rowStride: from.rowStride,
                    blockStride: from.blockStride, rows: from.rowCount - top,
                    columns: from.rowStride / from.pixelStride - left, transformed: transformed))
            for blocks in plan.groups(ofChunk: groupChunk) {
                if tileChunk == 0 { memory.clearHalo(to, image: image, blocks: blocks) }
                plan.winograd.convolve(
                    IntegerWinogradWork(
                        tiles: tiles, transformed: transformed,
                        weights: memory.constants + (weights + blocks.lowerBound * plan.bytesPerBlock),
                        products: products, productStride: plan.productStride,
                        results: results.work(memory, image, blocks), height: to.height, width: to.width))
            }
        }
        step.scratchBytes = plan.scratchBytes
        step.isByRows = plan.groupChunks == 1
        add(step)
    }
}
