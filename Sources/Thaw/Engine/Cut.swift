import Kernels

/// How a convolution's output is cut into chunks: runs of pixels times runs of groups, which share packed weights.
struct Cut {
    let pixels: Int
    let pixelsPerChunk: Int
    let groups: [Range<Int>]
    let groupsPerChunk: Int
    let pixelChunks: Int
    let groupChunks: Int
    /// Whether chunks of the same pixels follow each other, and not those of the same weights. What chunks that follow each
    /// other share stays with one thread.
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

    /// Cuts so that a chunk's weights and input fit into a core's cache together, and that there are enough chunks to
    /// keep several threads busy.
    init(pixels: Int, tile: Int, groups: [Range<Int>], groupBytes: Int, inputBytes: Int, fewest: Int) {
        let weightBudget = 256 << 10
        let inputBudget = 256 << 10
        var perChunk = min(groups.count, max(1, weightBudget / groupBytes))
        let parts = max(1, (inputBytes + inputBudget - 1) / inputBudget)
        var pixelsPerChunk = (pixels + parts - 1) / parts
        let groupChunks = { (groups.count + perChunk - 1) / perChunk }
        let chunks = { (pixels + pixelsPerChunk - 1) / pixelsPerChunk * groupChunks() }
        if chunks() < fewest {
            pixelsPerChunk = max(tile * 4, min(pixelsPerChunk, (pixels + fewest - 1) / fewest))
        }
        while chunks() < fewest, perChunk > 1 { perChunk = (perChunk + 1) / 2 }
        // Whole tiles; where few tiles do for all pixels, they are made of equal size instead. An even number of chunks
        // lets two threads end together.
        if pixelsPerChunk < pixels {
            let tiles = (pixels + tile - 1) / tile
            var tilesPerChunk = (pixelsPerChunk + tile - 1) / tile
            let isOdd = { groupChunks() % 2 * ((tiles + $0 - 1) / $0 % 2) == 1 }
            if let even = (max(1, tilesPerChunk * 2 / 3)...tilesPerChunk).last(where: { !isOdd($0) }) {
                tilesPerChunk = even
            }
            pixelsPerChunk = tilesPerChunk * tile
        }
        // The larger of image and weights is what threads had better not both read.
        let outputBytes = pixels * (groups.last?.upperBound ?? 0) * blockWidth * 4
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
