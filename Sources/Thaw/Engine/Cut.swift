import Kernels

/// How a convolution's output is split into chunks: runs of pixels times runs of groups, which share packed weights.
struct Cut {
    let pixels: Int
    let pixelsPerChunk: Int
    let groups: [Range<Int>]
    let groupsPerChunk: Int
    let pixelChunks: Int
    let groupChunks: Int
    /// Whether consecutive chunks have the same pixels rather than the same weights. Data that consecutive chunks share
    /// stays with one thread.
    let isByPixels: Bool
    var chunks: Int { pixelChunks * groupChunks }

    init(pixels: Int, pixelsPerChunk: Int, groups: [Range<Int>], groupsPerChunk: Int, isByPixels: Bool = false) {
        self.pixels = pixels
        self.pixelsPerChunk = pixelsPerChunk
        self.groups = groups
        self.groupsPerChunk = groupsPerChunk
        self.isByPixels = isByPixels
        pixelChunks = (pixels + pixelsPerChunk - 1) / pixelsPerChunk
        groupChunks = (groups.count + groupsPerChunk - 1) / groupsPerChunk
    }

    /// Splits the output so that a chunk's weights and input fit into a core's cache together, there are enough chunks to
    /// keep several threads busy, and the threads finish at about the same time.
    init(
        pixels: Int, tile: Int, groups: [Range<Int>], groupBytes: Int, inputBytes: Int, outputBytes: Int,
        minimumChunks: Int, threads: Int
    ) {
        let weightBudget = 256 << 10
        let inputBudget = 256 << 10
        var perChunk = min(groups.count, max(1, weightBudget / groupBytes))
        let parts = max(1, (inputBytes + inputBudget - 1) / inputBudget)
        var pixelsPerChunk = (pixels + parts - 1) / parts
        let groupChunks = { (groups.count + perChunk - 1) / perChunk }
        let chunks = { (pixels + pixelsPerChunk - 1) / pixelsPerChunk * groupChunks() }
        if chunks() < minimumChunks {
            pixelsPerChunk = max(tile * 4, min(pixelsPerChunk, (pixels + minimumChunks - 1) / minimumChunks))
        }
        while chunks() < minimumChunks, perChunk > 1 { perChunk = (perChunk + 1) / 2 }
        // Use whole tiles.
        if pixelsPerChunk < pixels { pixelsPerChunk = (pixelsPerChunk + tile - 1) / tile * tile }
        // Threads should avoid reading the larger of image and weights twice.
        self = Cut(
            pixels: pixels, pixelsPerChunk: pixelsPerChunk, groups: groups, groupsPerChunk: perChunk,
            isByPixels: inputBytes + outputBytes >= groups.count * groupBytes
        ).balanced(for: threads, tile: tile)
    }

    /// This cut, or one with smaller chunks of at least a tile if the busiest thread then has noticeably less to do.
    private func balanced(for threads: Int, tile: Int) -> Cut {
        var (best, bestLoad) = (self, load(threads: threads))
        for groupsPerChunk in (1...groupsPerChunk).reversed() {
            for count in pixelChunks...max(pixelChunks, min(2 * pixelChunks + 1, pixels / tile)) {
                // The largest share may exceed the average by 1/32.
                guard bestLoad > 1.0 + 1.0 / 32 else { return best }
                let cut = Cut(
                    pixels: pixels, pixelsPerChunk: (pixels + count - 1) / count, groups: groups,
                    groupsPerChunk: groupsPerChunk, isByPixels: isByPixels)
                let load = cut.load(threads: threads)
                if load < bestLoad - 1.0 / 32 { (best, bestLoad) = (cut, load) }
            }
        }
        return best
    }

    /// The work of the busiest thread, relative to the average, if each thread computes its own share of the chunks.
    private func load(threads: Int) -> Double {
        let shares = (0..<threads).map { thread in
            (thread * chunks / threads..<(thread + 1) * chunks / threads).reduce(0) { sum, chunk in
                let (pixels, blocks) = self[chunk]
                return sum + pixels.count * blocks.count
            }
        }
        return Double(threads * shares.max()!) / Double(shares.reduce(0, +))
    }

    /// The pixels and blocks of a chunk.
    subscript(chunk: Int) -> (pixels: Range<Int>, blocks: Range<Int>) {
        let part = isByPixels ? chunk % groupChunks : chunk / pixelChunks
        let pixel = isByPixels ? chunk / groupChunks : chunk % pixelChunks
        let firstPixel = pixel * pixelsPerChunk
        let last = min((part + 1) * groupsPerChunk, groups.count) - 1
        return (
            firstPixel..<min(firstPixel + pixelsPerChunk, pixels),
            groups[part * groupsPerChunk].lowerBound..<groups[last].upperBound
        )
    }
}
