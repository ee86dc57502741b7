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

    /// Splits the output so that a chunk's weights and input fit into a core's cache together and there are enough
    /// chunks to keep several threads busy.
    init(
        pixels: Int, tile: Int, groups: [Range<Int>], groupBytes: Int, inputBytes: Int, outputBytes: Int,
        minimumChunks: Int
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
        // Use whole tiles. If a few tiles cover all pixels, make them equal in size instead. An even number of chunks
        // lets two threads finish together.
        if pixelsPerChunk < pixels {
            let tiles = (pixels + tile - 1) / tile
            var tilesPerChunk = (pixelsPerChunk + tile - 1) / tile
            let isOdd = { groupChunks() % 2 * ((tiles + $0 - 1) / $0 % 2) == 1 }
            if let even = (max(1, tilesPerChunk * 2 / 3)...tilesPerChunk).last(where: { !isOdd($0) }) {
                tilesPerChunk = even
            }
            pixelsPerChunk = tilesPerChunk * tile
        }
        // Threads should avoid reading the larger of image and weights twice.
        self.init(
            pixels: pixels, pixelsPerChunk: pixelsPerChunk, groups: groups, groupsPerChunk: perChunk,
            isByPixels: inputBytes + outputBytes >= groups.count * groupBytes)
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
