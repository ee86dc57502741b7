import Kernels

/// Runs a program repeatedly, in its own memory. A run allocates nothing if all steps have kernels.
///
/// Only one thread at a time may use an executor, but the executor may have several helper threads. The results do not
/// depend on how many.
public final class Executor {
    /// The program that it runs.
    public let program: Program
    private let arena: AlignedMemory
    private let slots: UnsafeMutablePointer<UnsafeMutableRawPointer>
    private let workers: Workers
    private let scratch: AlignedMemory

    /// Allocates the memory for the runs of a program.
    /// - Parameter threads: The number of threads that work on each run; 1 if it is less.
    public init(_ program: Program, threads: Int = 1) {
        self.program = program
        arena = AlignedMemory(byteCount: program.plan.byteCount)
        let offsets = program.plan.offsets
        slots = .allocate(capacity: max(offsets.count, 1))
        for (slot, offset) in offsets.enumerated() { (slots + slot).initialize(to: arena.address + offset) }
        workers = Workers(threads)
        scratch = AlignedMemory(byteCount: program.scratchBytes * workers.count)
    }

    deinit { slots.deallocate() }

    private var memory: Memory { Memory(slots: slots, constants: program.constants.address, scratch: scratch.address) }

    /// Loads the tensor of an input. Every run overwrites its inputs, so load all of them again before each run.
    public func load(_ tensor: Tensor, forInputAt index: Int) {
        let (type, location) = program.inputs[index]
        precondition(tensor.type == type, "the input is \(tensor.type), not \(type)")
        guard location.kind == .rows else {
            slots[location.slot].copyMemory(from: tensor)
            return
        }
        tensor.withFloats { floats in
            let width = location.width * location.channels
            for image in 0..<location.images {
                memory.clearHalo(location, image: image, blocks: 0..<1)
                program.kernels.copyRows(
                    RowWork(
                        left: floats.baseAddress! + image * location.height * width,
                        leftStride: width * MemoryLayout<Float>.size, output: memory.pixels(location, image: image),
                        outputStride: location.rowStride, width: width, count: location.height))
            }
        }
    }

    /// Loads an image of 8-bit pixels, channels last, as `scale · pixel + bias`.
    /// - Parameters:
    ///   - pixels: height · width · channels bytes, in the input's size, without gaps.
    ///   - scaling: A scale and a bias for each of 1, 3 or 4 channels.
    ///   - image: The index of the image in the batch.
    public func load(
        pixels: UnsafeBufferPointer<UInt8>, _ scaling: PixelScaling, forInputAt index: Int, image: Int = 0
    ) {
        let location = program.inputs[index].location
        let width = location.width * location.channels
        precondition(pixels.count == location.height * width && scaling.scale.count == location.channels)
        precondition(program.inputs[index].type.element == .float32 && 0..<location.images ~= image)
        if location.kind == .rows { memory.clearHalo(location, image: image, blocks: 0..<1) }
        let pattern = { (values: [Double]) in
            (0..<PixelLoadWork.patternWidth).map { Float(values[$0 % values.count]) }
        }
        pattern(scaling.scale).withUnsafeBufferPointer { scale in
            pattern(scaling.bias).withUnsafeBufferPointer { bias in
                load(
                    PixelLoadWork(
                        pixels: pixels.baseAddress!, pixelRowStride: width, scale: scale.baseAddress!,
                        bias: bias.baseAddress!, output: memory.pixels(location, image: image),
                        outputRowStride: location.rowStride, width: width, rowCount: location.height),
                    rounded: location.element == .bfloat16)
            }
        }
    }

    private func load(_ work: PixelLoadWork, rounded: Bool) {
        let kernels = program.kernels
        guard rounded else { return kernels.plain.loadPixels(work) }
        withUnsafeTemporaryAllocation(of: Float.self, capacity: work.width) { floats in
            for row in 0..<work.rowCount {
                var part = work
                part.pixels += row * work.pixelRowStride
                part.output = UnsafeMutableRawPointer(floats.baseAddress!)
                part.rowCount = 1
                kernels.plain.loadPixels(part)
                kernels.copyRows(
                    RowWork(
                        left: floats.baseAddress!, leftStride: 0, output: work.output + row * work.outputRowStride,
                        outputStride: 0, width: work.width, count: 1))
            }
        }
    }

    /// Runs all steps.
    /// - Throws: `Failure` naming the node if a loop does not end.
    public func run() throws {
        for index in program.steps.indices { try run(step: index) }
    }

    /// Runs one step, for profiling. The steps before it must have run.
    func run(step index: Int) throws {
        switch program.steps[index].work {
        case .reference(let run): try run(memory)
        case .chunks(let count, let run):
            var job = Job(run: run, memory: memory, scratchBytes: program.scratchBytes)
            withUnsafeMutablePointer(to: &job) { job in
                workers.run(chunks: count, context: job) { context, chunk, worker in
                    let job = context.assumingMemoryBound(to: Job.self)
                    var memory = job.pointee.memory
                    memory.scratch += worker * job.pointee.scratchBytes
                    job.pointee.run(memory, chunk)
                }
            }
        }
    }

    private struct Job {
        let run: @Sendable (Memory, Int) -> Void
        let memory: Memory
        let scratchBytes: Int
    }

    /// Calls `body` with an output's values, without copying them. The output must be float32.
    public func withOutput<Result>(
        at index: Int, _ body: (UnsafeBufferPointer<Float>) throws -> Result
    ) rethrows -> Result {
        let (type, location) = program.outputs[index]
        precondition(type.element == .float32)
        return try body(UnsafeBufferPointer(start: memory.floats(slot: location.slot), count: type.shape.elementCount))
    }

    /// A copy of an output.
    public func output(at index: Int) -> Tensor {
        let (type, location) = program.outputs[index]
        let view = Tensor(viewing: slots[location.slot], type: type)
        let storage = Tensor.Storage(byteCount: view.bytes.count) { $0.copyMemory(from: view.bytes) }
        return Tensor(shape: type.shape, element: type.element, storage: storage)
    }
}

extension Program {
    /// Computes the outputs for one set of inputs. To run a program repeatedly, keep an `Executor`.
    /// - Throws: `Failure` naming the node if a loop does not end, or if `threads` is less than 1.
    public func run(_ inputs: [Tensor], threads: Int = 1) throws -> [Tensor] {
        try requireThreads(threads)
        let executor = Executor(self, threads: threads)
        for (index, tensor) in inputs.enumerated() { executor.load(tensor, forInputAt: index) }
        try executor.run()
        return outputs.indices.map { executor.output(at: $0) }
    }
}
