import Kernels

/// How a convolution's output is split into chunks: runs of pixels times runs of groups, which share packed weights.
struct WorkPartition {
    let pixels: Int
    /// Equal parts of the pixels, each of which is split into runs.
    let shares: Int
    let pixelsPerRun: Int
    let runsPerShare: Int
    let groups: [Range<Int>]
    let groupsPerChunk: Int
    let groupChunks: Int
    /// Whether consecutive chunks have the same pixels rather than the same weights. Data that consecutive chunks share
    /// stays with one thread.
    let isByPixels: Bool
    var chunks: Int { shares * runsPerShare * groupChunks }
    /// The maximum number of pixels in a chunk. The last run of a share may have one more than the others.
    var largestRun: Int { max(pixelsPerRun, pixels.dividedRoundingUp(by: shares) - (runsPerShare - 1) * pixelsPerRun) }

    init(
        pixels: Int, shares: Int = 1, pixelsPerRun: Int, groups: [Range<Int>], groupsPerChunk: Int,
        isByPixels: Bool = false
    ) {
        self.pixels = pixels
        self.shares = shares
        self.pixelsPerRun = pixelsPerRun
        self.groups = groups
        self.groupsPerChunk = groupsPerChunk
        self.isByPixels = isByPixels
        runsPerShare = (pixels / shares).dividedRoundingUp(by: pixelsPerRun)
        groupChunks = groups.count.dividedRoundingUp(by: groupsPerChunk)
    }

    /// Splits the output so that a chunk's weights and input fit into a core's cache together, there are enough chunks to
    /// keep several threads busy, and the threads finish at about the same time.
    /// - Parameter separatesRows: Whether threads may write parts of the same planes without disturbing each other.
    init(
        pixels: Int, tile: Int, groups: [Range<Int>], groupBytes: Int, inputBytes: Int, outputBytes: Int,
        separatesRows: Bool, minimumChunks: Int, threads: Int
    ) {
        let weightBudget = 256 << 10
        let inputBudget = 256 << 10
        // Threads should avoid reading the larger of image and weights twice.
        let isByPixels =
            inputBytes + outputBytes >= groups.count * groupBytes && (separatesRows || inputBytes >= outputBytes)
        // Exactly equal parts: each thread then computes the same part of consecutive images, and reads its own results.
        let shares = isByPixels && pixels >= threads * tile * 4 ? threads : 1
        let share = pixels.dividedRoundingUp(by: shares)
        var perChunk = min(groups.count, max(1, weightBudget / groupBytes))
        let parts = max(1, (inputBytes / shares).dividedRoundingUp(by: inputBudget))
        var perRun = share.dividedRoundingUp(by: parts)
        let chunks = { share.dividedRoundingUp(by: perRun) * shares * groups.count.dividedRoundingUp(by: perChunk) }
        if chunks() < minimumChunks {
            perRun = max(tile * 4, min(perRun, pixels.dividedRoundingUp(by: minimumChunks)))
        }
        while chunks() < minimumChunks, perChunk > 1 { perChunk = perChunk.dividedRoundingUp(by: 2) }
        // Use whole tiles.
        if perRun < share { perRun = perRun.rounded(upToMultipleOf: tile) }
        let partition = WorkPartition(
            pixels: pixels, shares: shares, pixelsPerRun: perRun, groups: groups, groupsPerChunk: perChunk,
            isByPixels: isByPixels)
        self = shares == 1 ? partition.balanced(for: threads, tile: tile) : partition
    }

    /// This partition, or one with smaller chunks of at least a tile if the busiest thread then has noticeably less to do.
    private func balanced(for threads: Int, tile: Int) -> WorkPartition {
        var (best, bestLoad) = (self, load(threads: threads))
        for groupsPerChunk in (1...groupsPerChunk).reversed() {
            for count in runsPerShare...max(runsPerShare, min(2 * runsPerShare + 1, pixels / tile)) {
                // The largest share may exceed the average by 1/32.
                guard bestLoad > 1.0 + 1.0 / 32 else { return best }
                let partition = WorkPartition(
                    pixels: pixels, pixelsPerRun: pixels.dividedRoundingUp(by: count), groups: groups,
                    groupsPerChunk: groupsPerChunk, isByPixels: isByPixels)
                let load = partition.load(threads: threads)
                if load < bestLoad - 1.0 / 32 { (best, bestLoad) = (partition, load) }
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
        let runs = shares * runsPerShare
        let part = isByPixels ? chunk % groupChunks : chunk / runs
        let (share, run) = (isByPixels ? chunk / groupChunks : chunk % runs).quotientAndRemainder(
            dividingBy: runsPerShare)
        let firstPixel = pixels * share / shares + run * pixelsPerRun
        let isLast = run == runsPerShare - 1
        let last = min((part + 1) * groupsPerChunk, groups.count) - 1
        return (
            firstPixel..<(isLast ? pixels * (share + 1) / shares : firstPixel + pixelsPerRun),
            groups[part * groupsPerChunk].lowerBound..<groups[last].upperBound
        )
    }
}
