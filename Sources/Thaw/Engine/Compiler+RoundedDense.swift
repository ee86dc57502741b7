import Kernels

// Dense layers with the products of a table that rounds images. They read and write plain tensors of floats, so each chunk
// first rounds its rows: in scratch memory they become the pixels of an image in blocks.

extension Compiler {
    mutating func addRoundedDense(_ node: PlannedNode, matrix: Tensor, bias: Tensor?) {
        let (from, to) = (location(node.inputs[0], .plain).asOneImage, native(node.outputs[0]).asOneImage)
        let rounded = Location(
            TensorType([1, 1, from.width, from.channels]), slot: -1, kind: .blocked, kernels: kernels)
        let partition = partition(
            WindowTaps(rounded, .pixel).steps, from: rounded, to: to, minimumChunks: minimumChunks)
        // The rows of one chunk.
        var part = rounded
        part.width = partition.largestRun
        let layer = directLayer(
            node, from: part, to: to, filters: matrix.reshaped([1, 1, from.channels, to.channels]), bias: bias,
            window: .pixel, algorithm: "dense")
        let kernels = kernels
        let end = part.imageStride.roundedToVectors
        var step = Step(
            node, algorithm: layer.algorithm, reads: [from.slot] + layer.reads,
            writes: [to.slot], multiplyAdds: node.multiplyAdds, chunks: partition.chunks
        ) { [part] memory, chunk in
            let (rows, blocks) = partition[chunk]
            kernels.block(
                RelayoutWork(
                    plain: memory.pixels(from, image: 0) + rows.lowerBound * from.pixelStride,
                    plainRowStride: from.rowStride, plainPixelStride: from.pixelStride, blocked: memory.scratch,
                    blockedRowStride: part.rowStride, blockedBlockStride: part.blockStride, height: 1,
                    width: rows.count, channels: part.channels, blockCount: part.blocks))
            // Offsets count from the first row.
            layer.run(
                memory.reserving(end), 0, pixels: rows, blocks: blocks,
                from: memory.scratch - rows.lowerBound * part.pixelStride, to: memory.pixels(to, image: 0),
                blockStride: to.blockStride)
        }
        step.scratchBytes = end + layer.scratchBytes
        step.precision = layer.precision
        add(step)
    }
}
