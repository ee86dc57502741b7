import Kernels

// Steps over the planes of an image in the blocked layout.

/// Some rows of a plane: what one chunk of a step computes.
struct Plane {
    var image: Int
    var block: Int
    var rows: Range<Int>
}

extension Compiler {
    /// Adds a step that computes an image plane by plane, and writes the border.
    /// - Parameters:
    ///   - strips: The rows of each chunk, if a plane is more than one.
    ///   - isByRows: Whether each thread's share is a part of the rows rather than of the planes.
    ///   - scratchBytes: Bytes of scratch memory that each thread needs.
    mutating func addPlanes(
        _ node: PlannedNode, algorithm: String = "", reads: [Int], to: Location, strips: Bands? = nil,
        isByRows: Bool = false, scratchBytes: Int = 0, _ body: @escaping @Sendable (Memory, Plane) -> Void
    ) {
        let strips = strips ?? Bands(rows: to.height, count: 1)
        var step = Step(
            node, algorithm: algorithm, reads: reads, writes: [to.slot],
            multiplyAdds: node.multiplyAdds, chunks: to.images * to.blocks * strips.count
        ) { memory, chunk in
            let (image, part) = chunk.quotientAndRemainder(dividingBy: to.blocks * strips.count)
            let (strip, block) =
                isByRows
                ? part.quotientAndRemainder(dividingBy: to.blocks) : (part % strips.count, part / strips.count)
            let rows = strips[strip]
            memory.clearHalo(to, image: image, blocks: block..<block + 1, rows: rows)
            body(memory, Plane(image: image, block: block, rows: rows))
        }
        step.isByRows = isByRows
        step.scratchBytes = scratchBytes
        add(step)
    }

    /// Adds a step that reduces each channel of an image in blocks to one plain value. Each chunk is some blocks.
    mutating func addPixelReduction(
        _ node: PlannedNode, from: Location, to: Location,
        _ body: @escaping @Sendable (Memory, _ image: Int, _ blocks: Range<Int>) -> Void
    ) {
        let perChunk = 8
        let chunks = from.blocks.dividedRoundingUp(by: perChunk)
        add(
            Step(
                node, reads: [from.slot], writes: [to.slot],
                chunks: from.images * chunks
            ) { memory, chunk in
                let (image, part) = chunk.quotientAndRemainder(dividingBy: chunks)
                body(memory, image, part * perChunk..<min((part + 1) * perChunk, from.blocks))
            })
    }

    /// Rows of a plane in runs that are long enough to be worth a chunk: by rows, equally many for each thread.
    func strips(of location: Location, isByRows: Bool = false) -> Bands {
        let rows = Step.rowsPerChunk(width: location.width * location.blockWidth)
        let bands = Bands(rows: location.height, perBand: rows)
        return isByRows ? Bands(rows: bands.rows, count: bands.count.rounded(upToMultipleOf: threads)) : bands
    }
}

extension Memory {
    /// The first pixel of a plane.
    func pixels(_ location: Location, _ plane: Plane) -> UnsafeMutableRawPointer {
        pixels(location, image: plane.image) + plane.block * location.blockStride
    }
}
