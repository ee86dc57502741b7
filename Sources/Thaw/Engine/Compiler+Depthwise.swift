import Kernels

// Depthwise convolutions as steps, in bands of rows. If possible they are fused with the convolution before them: the
// intermediate results are often the largest images of a network, and fused they never leave a core's cache.

extension Compiler {
    mutating func addDepthwise(_ node: PlannedNode) {
        let to = native(node.outputs[0])
        let layer = depthwiseLayer(node, to: to)
        // The channels of a group share the packed weights of an expansion.
        let groups = BlockGroups(blocks: to.blocks, maximumWidth: layer.expansion == nil ? 1 : kernels.groupBlocks)
            .ranges
        let chunks = depthwiseChunks(groups: groups.count, height: to.height, width: to.width, layer)
        var step = Step(
            node, algorithm: layer.algorithm, reads: [layer.from.slot],
            writes: [to.slot], multiplyAdds: node.multiplyAdds, chunks: to.images * chunks.count
        ) { memory, chunk in
            let (image, part) = chunk.quotientAndRemainder(dividingBy: chunks.count)
            let (blocks, rows) = (groups[chunks[part].group], chunks[part].rows)
            memory.clearHalo(to, image: image, blocks: blocks, rows: rows)
            layer.run(
                memory, image, blocks: blocks, rows: rows, to: memory.pixels(to, image: image),
                rowStride: to.rowStride, blockStride: to.blockStride)
        }
        step.scratchBytes = layer.scratchBytes
        step.precision = layer.expansion?.layer.precision ?? Precision(kernels.depthwiseType)
        add(step)
    }

    /// The groups and rows of each chunk of a depthwise convolution.
    private func depthwiseChunks(
        groups: Int, height: Int, width: Int, _ layer: DepthwiseLayer
    ) -> [(group: Int, rows: Range<Int>)] {
        // Bands that stay in the cache from their first read to their last. With an expansion only a few bands, because
        // their edges are computed twice.
        let bands =
            layer.expansion == nil
            ? Bands(rows: height, perBand: max(1, 2048 / width))
            : Bands(rows: height, count: minimumBands.dividedRoundingUp(by: groups))
        if layer.expansion == nil || bands.count > 1 {
            return (0..<bands.count).flatMap { band in (0..<groups).map { ($0, bands[band]) } }
        }
        // Each thread computes an equal part of all groups' rows, so a group between two threads has two chunks.
        let ends = (1...threads).map { $0 * groups * height / threads }
        return (0..<groups).flatMap { group in
            let (first, end) = (group * height, (group + 1) * height)
            let cuts = [first] + ends.filter { $0 > first && $0 < end } + [end]
            return zip(cuts, cuts.dropFirst()).map { (group, $0 - first..<$1 - first) }
        }
    }

    /// - Parameter to: The size of the result, wherever it will be stored.
    mutating func depthwiseLayer(_ node: PlannedNode, to: Location) -> DepthwiseLayer {
        let (filters, bias, window): (Tensor, Tensor?, Window)
        switch node.form {
        case .depthwise(let weights, let offsets, let size): (filters, bias, window) = (weights, offsets, size)
        case .depthwisePhases(let weights, let offsets, let size): (filters, bias, window) = (weights, offsets, size)
        default: preconditionFailure("\(node.name) is not a depthwise convolution")
        }
        var expansion: ExpandingConvolution?
        let from: Location
        // Only convolutions are fused with a depthwise one that follows: those with `FormTraits.expansion`.
        if let before = node.before.first, case .convolution(let filters, let bias, let inner) = before.form {
            from = location(before.inputs[0], layouts.convolutionReads(before.inputs[0], inner, graph))
            let image = Location(
                graph[before.outputs[0]], slot: -1, kind: .blocked, kernels: kernels, halo: Halo(window))
            let layer = directLayer(before, from: from, to: image, filters: filters, bias: bias, window: inner)
            expansion = ExpandingConvolution(
                from: from, image: image, window: window.height, layer: layer,
                blocks: BlockGroups(blocks: image.blocks, maximumWidth: kernels.groupBlocks).widest)
        } else {
            from = location(node.inputs[0], .blocked)
        }
        return DepthwiseLayer(
            kernels: kernels, from: from, expansion: expansion, window: window, weights: packDepthwise(filters),
            bias: packBias(bias, outputs: to.channels), width: to.width, activation: node.activation)
    }
}

/// The convolution before a depthwise one. A thread computes a few rows of one group of channels at a time, in its own
/// memory: as many rows as stay in its cache until the window has passed over them. (A class, so that its layouts are not copied
/// for each chunk.)
private final class ExpandingConvolution: Sendable {
    let from: Location
    /// The layout that the whole image would have, including its halo.
    let image: Location
    /// The vertical window of the depthwise convolution.
    let window: Window.Axis
    let layer: ConvolutionLayer
    /// The number of blocks in the widest group.
    let blocks: Int
    /// Rows of the depthwise convolution that are computed in one pass, and the input rows that they read.
    let perPass: Int
    let rows: Int

    private static let budget = 384 << 10

    init(from: Location, image: Location, window: Window.Axis, layer: ConvolutionLayer, blocks: Int) {
        (self.from, self.image, self.window, self.layer, self.blocks) = (from, image, window, layer, blocks)
        let fitting = ExpandingConvolution.budget / (image.rowStride * blocks)
        perPass = max(1, (fitting - window.extent) / window.stride + 1)
        rows = (perPass - 1) * window.stride + window.extent
    }

    var blockStride: Int { rows * image.rowStride }
    /// Bytes of scratch memory for the rows of one pass.
    private var bandBytes: Int { (blocks * blockStride + image.pixelStride).roundedToVectors }
    /// Bytes of scratch memory that one pass needs.
    var scratchBytes: Int { bandBytes + layer.scratchBytes }

    /// Computes the rows that some rows of the depthwise convolution read, for some blocks, including the border.
    /// - Parameters:
    ///   - pass: The output rows: at most as many as fit into one pass. Here, row indices include the halo.
    ///   - isFirst: Whether the previous pass computed none of the rows.
    ///   - band: The destination of the first row.
    func run(
        _ memory: Memory, _ index: Int, blocks: Range<Int>, pass: Range<Int>, isFirst: Bool,
        to band: UnsafeMutableRawPointer
    ) {
        let first = pass.lowerBound * window.stride
        let end = (pass.upperBound - 1) * window.stride + window.extent
        let known = isFirst ? 0 : max(0, window.extent - window.stride)
        for block in 0..<blocks.count {
            let plane = band + block * blockStride
            plane.copyMemory(
                from: plane + perPass * window.stride * image.rowStride, byteCount: known * image.rowStride)
            image.clearHalo(plane + known * image.rowStride, rows: first + known..<end)
        }
        let start = max(first + known, image.halo.top)
        let computed = start - image.halo.top..<max(min(end - image.halo.top, image.height), start - image.halo.top)
        // Block and row indices count from the first of the whole image.
        let width = image.width
        layer.run(
            memory.reserving(bandBytes), index, pixels: computed.lowerBound * width..<computed.upperBound * width,
            blocks: blocks, from: memory.start(from, image: index),
            to: band + (image.origin - first * image.rowStride - blocks.lowerBound * blockStride),
            blockStride: blockStride)
    }
}

/// A depthwise convolution, independent of where its input comes from and where its output is stored.
struct DepthwiseLayer: BandSource {
    let kernels: any KernelTable.Type
    let from: Location
    fileprivate let expansion: ExpandingConvolution?
    let window: Window
    let weights: Int
    let bias: Int
    let width: Int
    let activation: UnaryFunction?

    var algorithm: String {
        (expansion.map { $0.layer.algorithm + " + " } ?? "") + "depthwise \(window.height.size)×\(window.width.size)"
    }

    /// Bytes of scratch memory that each thread needs.
    var scratchBytes: Int { expansion?.scratchBytes ?? 0 }

    /// - Parameter output: The first pixel of the whole image, in its first block.
    func run(
        _ memory: Memory, _ image: Int, blocks: Range<Int>, rows: Range<Int>, to output: UnsafeMutableRawPointer,
        rowStride: Int, blockStride: Int
    ) {
        let inputRowStride = expansion?.image.rowStride ?? from.rowStride
        let steps = ConvolutionSteps(tapCount: window.height.size, depth: window.width.size)
        var work = DepthwiseWork(
            input: UnsafeRawPointer(memory.scratch), inputRowStride: inputRowStride,
            inputBlockStride: expansion?.blockStride ?? from.blockStride, strideY: window.height.stride,
            strideX: window.width.stride, windowHeight: window.height.size, windowWidth: window.width.size,
            tapStrideY: window.height.dilation * inputRowStride,
            tapStrideX: window.width.dilation * kernels.pixelBytes,
            weights: memory.constants + (weights + blocks.lowerBound * kernels.packedDepthwiseBytes(steps)),
            bias: memory.floats(bias) + blocks.lowerBound * kernels.blockWidth,
            output: output + blocks.lowerBound * blockStride, outputRowStride: rowStride,
            outputBlockStride: blockStride, width: width, rowCount: rows.count, blockCount: blocks.count)
        work.activate(activation)
        guard let expansion else {
            let corner = from.origin - window.height.before * from.rowStride - window.width.before * from.pixelStride
            // Several blocks of phases read the same block of the image.
            let first = blocks.lowerBound % from.blocks
            work.input = UnsafeRawPointer(memory.start(from, image: image) + (first * from.blockStride + corner))
            work.firstRow = rows.lowerBound
            kernels.convolveDepthwise(work)
            return
        }
        for first in stride(from: rows.lowerBound, to: rows.upperBound, by: expansion.perPass) {
            let pass = first..<min(first + expansion.perPass, rows.upperBound)
            expansion.run(
                memory, image, blocks: blocks, pass: pass, isFirst: first == rows.lowerBound, to: memory.scratch)
            // Row indices count from the first row of the image.
            work.input = UnsafeRawPointer(memory.scratch - first * window.height.stride * inputRowStride)
            (work.firstRow, work.rowCount) = (first, pass.count)
            kernels.convolveDepthwise(work)
        }
    }
}
