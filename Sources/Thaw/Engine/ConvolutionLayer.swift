import Kernels

/// What the convolution kernel needs to know about a layer. Offsets and bias are indices into the constants.
struct ConvolutionLayer: Sendable {
    enum Weights: Sendable {
        /// Weights at this offset in the constants.
        case constant(Int)
        /// Weights computed by an earlier step, in this buffer.
        case computed(slot: Int)
    }

    let convolve: @Sendable (borrowing ConvolutionWork) -> Void
    let to: Location
    /// Offsets from the start of an image, including its halo.
    let inputOffsets: Int
    let taps: Int
    let tapCount: Int
    let depth: Int
    /// For the last block of channels, if it has fewer channels.
    let shortTaps: Int
    let shortDepth: Int
    /// Multiply-adds for each output.
    let steps: Int
    var weights: Weights
    let bias: Int
    let outputOffsets: Int
    let residual: Location?
    let residualOffsets: Int?
    let activation: UnaryFunction?
    /// A description for people.
    let algorithm: String

    /// The buffers that are read in addition to the input's.
    var reads: [Int] {
        var slots = residual.map { [$0.slot] } ?? []
        if case .computed(let slot) = weights { slots.append(slot) }
        return slots
    }

    /// - Parameters:
    ///   - input: The start of the image that is read.
    ///   - output: The first pixel of the image that is written, in its first block.
    func run(
        _ memory: Memory, _ image: Int, pixels: Range<Int>, blocks: Range<Int>, from input: UnsafePointer<Float>,
        to output: UnsafeMutablePointer<Float>, blockStride: Int
    ) {
        var work = ConvolutionWork(
            input: input, inputOffsets: memory.offsets(inputOffsets), taps: memory.offsets(taps), tapCount: tapCount,
            weights: memory.floats(weights), bias: memory.floats(bias), output: output,
            outputOffsets: memory.offsets(outputOffsets), outputBlockStride: blockStride,
            channels: to.kind == .plain ? to.channels : to.blocks * blockWidth, pixelCount: pixels.count,
            blockCount: blocks.count)
        work.depth = depth
        (work.shortTaps, work.shortDepth) = (shortTaps, shortDepth)
        work.firstPixel = pixels.lowerBound
        work.firstBlock = blocks.lowerBound
        if let residual, let residualOffsets {
            work.residual = UnsafePointer(memory.pixels(residual, image: image))
            work.residualOffsets = memory.offsets(residualOffsets)
            work.residualBlockStride = residual.blockStride
        }
        work.activate(activation)
        convolve(work)
    }
}

extension Memory {
    fileprivate func floats(_ weights: ConvolutionLayer.Weights) -> UnsafePointer<Float> {
        switch weights {
        case .constant(let offset): floats(offset)
        case .computed(let slot): UnsafePointer(slots[slot].assumingMemoryBound(to: Float.self))
        }
    }
}
