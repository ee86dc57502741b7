import Kernels

// A pointwise convolution fused into one step with the operation before it, computed band of rows by band of rows. That
// operation is a depthwise convolution, or a per-channel scale and offset. The intermediate result never leaves a
// core's cache.

/// Computes some rows of an image that a pointwise convolution then reads.
protocol BandSource: Sendable {
    /// The input that it reads.
    var from: Location { get }
    /// A description for users.
    var algorithm: String { get }
    /// Bytes of scratch memory that each thread needs.
    var scratchBytes: Int { get }
    /// - Parameter output: The first pixel of the whole image, in its first block.
    func run(
        _ memory: Memory, _ image: Int, blocks: Range<Int>, rows: Range<Int>, to output: UnsafeMutableRawPointer,
        rowStride: Int, blockStride: Int)
}

extension Compiler {
    /// Adds a pointwise convolution fused with the operation before it. Each chunk is a band of rows.
    mutating func addPointwise(
        _ node: PlannedNode, filters: Tensor, bias: Tensor?, window: Window, after before: PlannedNode
    ) {
        let to = native(node.outputs[0])
        let between = Location(graph[before.outputs[0]], slot: -1, kind: .blocked, kernels: kernels)
        let source = bandSource(before, to: between)
        // With an even number of bands, two threads finish together.
        let rowBytes = between.blocks * between.rowStride
        let rows = max(1, Bands.budget / rowBytes)
        let bands = Bands(
            rows: to.height, count: max(minimumBands, to.height.dividedRoundingUp(by: rows)).rounded(upToMultipleOf: 2))
        // The layout of one band of the intermediate image.
        let band = between.cut(toHeight: bands.perBand)
        let pointwise = directLayer(node, from: band, to: to, filters: filters, bias: bias, window: window)
        let groups = BlockGroups(blocks: between.blocks, maximumWidth: kernels.groupBlocks).ranges
        let start = source.scratchBytes
        let end = (start + band.imageStride).roundedToVectors
        var step = Step(
            node, algorithm: source.algorithm + " + 1×1",
            reads: [source.from.slot] + pointwise.reads, writes: [to.slot], multiplyAdds: node.multiplyAdds,
            chunks: to.images * bands.count
        ) { memory, chunk in
            let (image, part) = chunk.quotientAndRemainder(dividingBy: bands.count)
            let rows = bands[part]
            // Row indices count from the first row of the image.
            let firstRow = memory.scratch + (start - rows.lowerBound * band.rowStride)
            for blocks in groups {
                source.run(
                    memory, image, blocks: blocks, rows: rows, to: firstRow, rowStride: band.rowStride,
                    blockStride: band.blockStride)
            }
            memory.clearHalo(to, image: image, blocks: 0..<to.blocks, rows: rows)
            pointwise.run(
                memory.reserving(end), image, pixels: rows.lowerBound * to.width..<rows.upperBound * to.width,
                blocks: 0..<to.blocks, from: firstRow, to: memory.pixels(to, image: image),
                blockStride: to.blockStride)
        }
        step.scratchBytes = end + pointwise.scratchBytes
        step.precision = pointwise.precision
        add(step)
    }

    private mutating func bandSource(_ node: PlannedNode, to between: Location) -> any BandSource {
        guard case .scale(let factor, let offset) = node.form else { return depthwiseLayer(node, to: between) }
        return ScaleLayer(
            from: location(node.inputs[0], .blocked), scale: channelScale(node, kernels, factor: factor, offset: offset)
        )
    }
}

private struct ScaleLayer: BandSource {
    let from: Location
    let scale: ChannelScale

    var algorithm: String { "scale" }
    var scratchBytes: Int { 0 }

    func run(
        _ memory: Memory, _ image: Int, blocks: Range<Int>, rows: Range<Int>, to output: UnsafeMutableRawPointer,
        rowStride: Int, blockStride: Int
    ) {
        let pixels = memory.pixels(from, image: image)
        for block in blocks {
            let work = RowWork(
                left: pixels + (block * from.blockStride + rows.lowerBound * from.rowStride),
                leftStride: from.rowStride, output: output + (block * blockStride + rows.lowerBound * rowStride),
                outputStride: rowStride, width: from.width * from.blockWidth, count: rows.count)
            scale.run(memory, work, channel: block * from.blockWidth, .block)
        }
    }
}

/// Rows of an image, split into bands of nearly equal height.
struct Bands: Sendable {
    let rows: Int
    let perBand: Int
    let count: Int

    /// The bytes of a core's cache that a band may use.
    static let budget = 256 << 10

    init(rows: Int, count: Int) { self.init(rows: rows, perBand: rows.dividedRoundingUp(by: count)) }

    init(rows: Int, perBand: Int) {
        self.rows = rows
        let count = rows.dividedRoundingUp(by: perBand)
        self.perBand = rows.dividedRoundingUp(by: count)
        self.count = rows.dividedRoundingUp(by: self.perBand)
    }

    subscript(band: Int) -> Range<Int> { band * perBand..<min((band + 1) * perBand, rows) }
}

extension Location {
    fileprivate func cut(toHeight height: Int) -> Location {
        var location = self
        location.height = height
        return location
    }
}
