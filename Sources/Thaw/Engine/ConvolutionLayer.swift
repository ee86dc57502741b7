import Kernels

/// The parameters of a layer for the convolution kernel. Offsets and bias are indices into the constants.
struct ConvolutionLayer: Sendable {
    enum Weights: Sendable {
        /// Weights at this offset in the constants.
        case constant(Int)
        /// Weights computed by an earlier step, in this buffer.
        case computed(slot: Int)
    }

    let kernels: any KernelTable.Type
    let to: Location
    /// Offsets from the start of an image, including its halo.
    let inputOffsets: Int
    let taps: Int
    let steps: ConvolutionSteps
    var weights: Weights
    let bias: Int
    let outputOffsets: Int
    var residual: Location?
    let residualOffsets: Int?
    let activation: UnaryFunction?
    /// A description for users.
    let algorithm: String

    /// The precision of the products.
    var precision: Precision { Precision(kernels.valueType) }

    /// Bytes of scratch memory that each thread needs.
    var scratchBytes: Int { kernels.scratchBytes(steps) }

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
        _ memory: Memory, _ image: Int, pixels: Range<Int>, blocks: Range<Int>, from input: UnsafeRawPointer,
        to output: UnsafeMutableRawPointer, blockStride: Int
    ) {
        var work = ConvolutionWork(
            input: input, inputOffsets: memory.integers(inputOffsets), taps: memory.integers(taps), steps: steps,
            weights: memory.address(weights), bias: memory.floats(bias), output: output,
            outputOffsets: memory.integers(outputOffsets), outputBlockStride: blockStride,
            channels: to.kind == .plain ? to.channels : to.blocks * to.blockWidth, pixelCount: pixels.count,
            blockCount: blocks.count)
        work.writesPlain = to.kind == .plain
        work.firstPixel = pixels.lowerBound
        work.firstBlock = blocks.lowerBound
        if let residual, let residualOffsets {
            work.residual = UnsafeRawPointer(memory.pixels(residual, image: image))
            work.residualOffsets = memory.integers(residualOffsets)
            work.residualBlockStride = residual.blockStride
            work.addsPlain = residual.kind == .plain
        }
        work.activate(activation)
        work.scratch = memory.scratch
        kernels.convolve(work)
    }
}

extension Memory {
    fileprivate func address(_ weights: ConvolutionLayer.Weights) -> UnsafeRawPointer {
        switch weights {
        case .constant(let offset): constants + offset
        case .computed(let slot): UnsafeRawPointer(slots[slot])
        }
    }
}
