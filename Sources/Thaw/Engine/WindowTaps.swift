import Kernels

/// The taps of a window over an image in rows or in blocks, in the order in which convolution kernels read them.
struct WindowTaps {
    /// The offset of each tap from the first one.
    private(set) var offsets: [Int32] = []
    /// The rows of the filters by which each tap's adjacent values are multiplied.
    private(set) var rows: [Range<Int>] = []
    /// The adjacent values that a tap has memory for.
    let depth: Int
    /// The taps of the last block, if it has fewer channels than others, and the values of each. They come last.
    private(set) var shortTaps = 0
    private(set) var shortDepth = 0

    var steps: ConvolutionSteps {
        var steps = ConvolutionSteps(tapCount: offsets.count, depth: depth)
        (steps.shortTaps, steps.shortDepth) = (shortTaps, shortDepth)
        return steps
    }

    init(_ from: Location, _ window: Window) {
        let (height, width, channels) = (window.height, window.width, from.channels)
        if from.kind == .rows {
            // A row of the window is contiguous.
            depth = width.size * channels
            for tap in 0..<height.size {
                offsets.append(Int32(tap * height.dilation * from.rowStride))
                rows.append(tap * depth..<(tap + 1) * depth)
            }
            return
        }
        depth = from.blockWidth
        let area = height.size * width.size
        if channels % depth > 0 { (shortTaps, shortDepth) = (area, channels % depth) }
        for block in 0..<from.blocks {
            let (first, end) = (block * depth, min((block + 1) * depth, channels))
            for tap in 0..<area {
                let (y, x) = tap.quotientAndRemainder(dividingBy: width.size)
                let pixel = y * height.dilation * from.rowStride + x * width.dilation * from.pixelStride
                offsets.append(Int32(block * from.blockStride + pixel))
                rows.append(tap * channels + first..<tap * channels + end)
            }
        }
    }
}
