import Kernels

/// Runs a program, again and again, in memory of its own. Nothing is allocated in a run of steps that have kernels.
///
/// One executor is for one thread at a time; it may have several helpers. Results do not depend on their number.
public final class Executor {
    public let program: Program
    private let arena: AlignedMemory
    private let slots: UnsafeMutablePointer<UnsafeMutableRawPointer>
    private let workers: Workers
    private let scratch: AlignedMemory

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

    /// Takes over an input's array. Loading must be done anew for every run: a run overwrites what was loaded.
    public func load(_ tensor: Tensor, input index: Int) {
        let (type, place) = program.inputs[index]
        precondition(tensor.type == type, "the input is \(tensor.type), not \(type)")
        guard place.kind == .rows else {
            slots[place.slot].copyMemory(from: tensor)
            return
        }
        tensor.withFloats { floats in
            let width = place.width * place.channels
            for image in 0..<place.images {
                memory.clearHalo(place, image: image, blocks: 0..<1)
                let target = memory.pixels(place, image: image)
                let source = floats.baseAddress! + image * place.height * width
                for row in 0..<place.height {
                    (target + row * place.rowStride).update(from: source + row * width, count: width)
                }
            }
        }
    }

    /// Takes over an image of 8-bit pixels, channel last, as `scale · pixel + bias`.
    /// - Parameters:
    ///   - pixels: height · width · channels bytes, in the input's size, without gaps.
    ///   - scaling: One factor and one summand a channel, of which there are 1, 3 or 4.
    ///   - image: Which image of the batch.
    public func load(
        pixels: UnsafeBufferPointer<UInt8>, _ scaling: PixelScaling, input index: Int, image: Int = 0
    ) {
        let place = program.inputs[index].place
        let width = place.width * place.channels
        precondition(pixels.count == place.height * width && scaling.scale.count == place.channels)
        precondition(program.inputs[index].type.element == .float32)
        if place.kind == .rows { memory.clearHalo(place, image: image, blocks: 0..<1) }
        let pattern = { (numbers: [Double]) in
            (0..<PixelLoadWork.patternWidth).map { Float(numbers[$0 % numbers.count]) }
        }
        pattern(scaling.scale).withUnsafeBufferPointer { scale in
            pattern(scaling.bias).withUnsafeBufferPointer { bias in
                program.kernels.loadPixels(
                    PixelLoadWork(
                        pixels: pixels.baseAddress!, pixelRowStride: width, scale: scale.baseAddress!,
                        bias: bias.baseAddress!, output: memory.pixels(place, image: image),
                        outputRowStride: place.rowStride, width: width, rowCount: place.height))
            }
        }
    }

    /// Does all steps.
    public func run() {
        for index in program.steps.indices { run(step: index) }
    }

    /// Does one step; for profiling. Those before it must have been done.
    func run(step index: Int) {
        program.steps.withUnsafeBufferPointer { steps in
            var job = Job(step: steps.baseAddress! + index, memory: memory, scratchBytes: program.scratchBytes)
            workers.run(chunks: steps[index].chunks, context: &job) { context, chunk, worker in
                let job = context.assumingMemoryBound(to: Job.self)
                var memory = job.pointee.memory
                memory.scratch += worker * job.pointee.scratchBytes
                job.pointee.step.pointee.run(memory, chunk)
            }
        }
    }

    private struct Job {
        let step: UnsafePointer<Step>
        let memory: Memory
        let scratchBytes: Int
    }

    /// Calls `body` with an output's numbers, in place. The output must be float32.
    public func withOutput<Result>(_ index: Int, _ body: (UnsafeBufferPointer<Float>) throws -> Result) rethrows
        -> Result
    {
        let (type, place) = program.outputs[index]
        precondition(type.element == .float32)
        return try body(UnsafeBufferPointer(start: memory.start(place, image: 0), count: type.shape.elementCount))
    }

    /// A copy of an output.
    public func output(_ index: Int) -> Tensor {
        let (type, place) = program.outputs[index]
        let view = Tensor(viewing: slots[place.slot], type: type)
        let storage = Tensor.Storage(byteCount: view.bytes.count) { $0.copyMemory(from: view.bytes) }
        return Tensor(shape: type.shape, element: type.element, storage: storage)
    }
}

extension Program {
    /// Computes the outputs for one set of inputs. For many, keep an `Executor`.
    public func run(_ inputs: [Tensor], threads: Int = 1) -> [Tensor] {
        let executor = Executor(self, threads: threads)
        for (index, tensor) in inputs.enumerated() { executor.load(tensor, input: index) }
        executor.run()
        return outputs.indices.map { executor.output($0) }
    }
}
