import Kernels

// Steps that reduce the pixels of a window, or of an image, to one.

extension Compiler {
    mutating func addPooling(
        _ node: PlannedNode, _ kind: PoolingWork.Kind, window: Window, countsPadding: Bool
    ) {
        let from = location(node.inputs[0], .blocked)
        let to = location(node.outputs[0], .blocked)
        let kernels = kernels
        addPlanes(node, reads: [from.slot], to: to) { memory, plane in
            var work = PoolingWork(
                kind: kind, input: memory.pixels(from, plane), inputRowStride: from.rowStride,
                inputBlockStride: from.blockStride, inputHeight: from.height, inputWidth: from.width,
                output: memory.pixels(to, plane), outputRowStride: to.rowStride, outputBlockStride: to.blockStride,
                outputWidth: to.width, windowHeight: window.height.size, windowWidth: window.width.size,
                strideY: window.height.stride, strideX: window.width.stride, padTop: window.height.before,
                padLeft: window.width.before, rowCount: to.height, blockCount: 1)
            work.countsPadding = countsPadding
            kernels.pool(work)
        }
    }

    mutating func addPixelSum(_ node: PlannedNode, factor: Float) {
        let from = location(node.inputs[0], .blocked)
        let to = location(node.outputs[0], .plain)
        let kernels = kernels
        addPixelReduction(node, from: from, to: to) { memory, image, blocks in
            var work = PixelSumWork(
                input: memory.pixels(from, image: image), inputRowStride: from.rowStride,
                inputBlockStride: from.blockStride, height: from.height, width: from.width, factor: factor,
                output: memory.floats(slot: to.slot) + image * from.channels, channels: from.channels,
                blockCount: blocks.count)
            work.firstBlock = blocks.lowerBound
            kernels.sumPixels(work)
        }
    }
}
