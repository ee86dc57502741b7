import Kernels

/// A graph compiled for this machine: steps, a memory plan, and packed weights.
///
/// A program holds no run state. Each run has its own memory in an `Executor`, so several threads can use one program
/// at the same time.
public final class Program: Sendable {
    package let instructionSet: InstructionSet
    /// The precision that is used: the requested one, or float32 if this machine gains nothing from it.
    public let precision: Precision
    let kernels: any KernelTable.Type
    let steps: [Step]
    let plan: MemoryPlan
    let constants: AlignedMemory
    /// Bytes of packed weights and other constants, shared by all runs.
    public let constantBytes: Int
    /// Bytes of activations that each executor allocates.
    public var arenaBytes: Int { plan.byteCount }
    /// Bytes of scratch memory for each thread of an executor.
    let scratchBytes: Int
    /// The locations of the inputs and outputs, in the graph's order.
    let inputs: [(type: TensorType, location: Location)]
    let outputs: [(type: TensorType, location: Location)]

    /// Multiply-adds of one run.
    public let multiplyAdds: Int

    /// Compiles `graph`, whose channels must be last, for the best instructions of this machine.
    /// - Parameters:
    ///   - precision: The precision of the arithmetic. A graph records no costs: `auto` is float32.
    ///   - threads: The number of threads that runs will use; the work is split accordingly. The same threads pack
    ///     the weights. A run with any other number of threads gives the same results.
    /// - Throws: `Failure` if a tensor is larger than the engine can address, if the precision needs ranges that the
    ///   graph does not have, or if `threads` is less than 1.
    public convenience init(_ graph: Graph, precision: Precision = .float32, threads: Int = 1) throws {
        try self.init(graph, instructionSet: nil, threads: threads, precision: precision)
    }

    /// Compiles a model's graph.
    /// - Throws: `Failure` if a tensor is larger than the engine can address, if the precision needs ranges that the
    ///   model does not have, or if `threads` is less than 1.
    public convenience init(_ model: Model, precision: Precision = .float32, threads: Int = 1) throws {
        let (model, precision) = try model.prepared(for: precision)
        try self.init(model.graph, precision: precision, threads: threads)
    }

    /// - Parameters:
    ///   - instructionSet: The instructions that the kernels may use; nil for the best available, unless `THAW_ISA` names
    ///     others.
    ///   - precision: In int8, everything between quantized values is computed with 8-bit integers.
    package convenience init(
        _ graph: Graph, instructionSet: InstructionSet?, threads: Int = 1, precision: Precision = .float32
    ) throws {
        try self.init(
            graph, instructionSet: instructionSet, threads: threads, choice: .cheapest, precision: precision)
    }

    /// - Parameters:
    ///   - kernels: The kernels, if not those of the instruction set.
    ///   - choice: How to choose the algorithms of convolutions.
    init(
        _ graph: Graph, instructionSet: InstructionSet?, kernels: (any KernelTable.Type)? = nil, threads: Int = 1,
        choice: AlgorithmChoice, precision: Precision = .float32
    ) throws {
        precondition(graph.channelOrder == .channelsLast, "the engine runs channels-last graphs")
        try requireThreads(threads)
        try graph.requireComputable()
        guard precision != .int8 || graph.hasRanges else { throw Failure.noRanges() }
        self.instructionSet = try instructionSet ?? .chosen()
        let lower = try precision == .bf16 ? BFloat16Choice.kernels(self.instructionSet) : nil
        let kernels = kernels ?? lower ?? self.instructionSet.kernels
        self.kernels = kernels
        let integers = self.instructionSet.integerKernels
        let prepared = try precision == .int8 ? graph.withIntegers() : graph
        let graph = try prepared.withEngineOperations(blockWidth: kernels.blockWidth)
        let compiler = try Compiler(graph, kernels: kernels, integers: integers, threads: threads, choice: choice)
        steps = compiler.steps
        self.precision = precision == .int8 ? .int8 : compiler.precision
        scratchBytes = (compiler.steps.map(\.scratchBytes).max() ?? 0).rounded(upToMultipleOf: 4096)
        inputs = graph.inputs.map { (graph[$0.value], compiler.native($0.value)) }
        outputs = graph.outputs.map { (graph[$0.value], compiler.location($0.value, .plain)) }
        multiplyAdds = steps.reduce(0) { $0 + $1.multiplyAdds }
        plan = MemoryPlan(
            Program.lifetimes(
                steps, bufferBytes: compiler.bufferBytes, inputs: inputs.map(\.location),
                outputs: outputs.map(\.location)))
        // Each thread of an executor has its own scratch memory.
        let runBytes = plan.byteCount + scratchBytes * min(threads, Workers.maximumCount)
        guard runBytes <= Limits.runMemory else { throw Failure.networkTooLarge(runBytes) }
        constantBytes = compiler.constants.byteCount
        constants = AlignedMemory(byteCount: constantBytes)
        Program.fill(constants, compiler.constants.fills, threads: threads)
    }

    /// The first and the last step that needs each buffer. Inputs are live from the start, outputs until the end.
    private static func lifetimes(
        _ steps: [Step], bufferBytes: [Int], inputs: [Location], outputs: [Location]
    ) -> [MemoryPlan.Request] {
        var first = [Int](repeating: steps.count, count: bufferBytes.count)
        var last = [Int](repeating: 0, count: bufferBytes.count)
        for (index, step) in steps.enumerated() {
            for slot in step.reads + step.writes {
                first[slot] = min(first[slot], index)
                last[slot] = index
            }
        }
        for input in inputs { first[input.slot] = 0 }
        for output in outputs { last[output.slot] = steps.count }
        return bufferBytes.indices.map {
            MemoryPlan.Request(byteCount: bufferBytes[$0], steps: min(first[$0], last[$0])...last[$0])
        }
    }

    private static func fill(_ memory: AlignedMemory, _ fills: [ConstantPool.Fill], threads: Int) {
        struct Job {
            let base: UnsafeMutableRawPointer
            let fills: [ConstantPool.Fill]
        }
        let workers = Workers(threads)
        withUnsafePointer(to: Job(base: memory.address, fills: fills)) { context in
            workers.run(chunks: fills.count, context: context) { context, index, _ in
                let job = context.assumingMemoryBound(to: Job.self).pointee
                job.fills[index](job.base)
            }
        }
    }
}

extension Graph {
    /// - Throws: `Failure` if a tensor is larger than the engine can hold.
    func requireComputable() throws {
        for type in types where type.shape.elementCount > Limits.computedElements { throw Failure.tensorTooLarge(type) }
    }
}
