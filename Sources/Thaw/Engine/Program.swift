import Kernels

/// A graph compiled for this machine: steps, a memory plan, and packed weights.
///
/// A program holds no state of a run. Each run brings its own memory in an `Executor`, so one program serves many threads
/// at once.
public final class Program: Sendable {
    public let instructionSet: InstructionSet
    let kernels: KernelTable
    let steps: [Step]
    let plan: MemoryPlan
    let constants: AlignedMemory
    /// Bytes of packed weights and other constants, shared by all runs.
    public let constantBytes: Int
    /// Bytes of activations, which each executor has for itself.
    public var arenaBytes: Int { plan.byteCount }
    /// Bytes that each thread of an executor works in.
    let scratchBytes: Int
    /// Where the inputs are put, and the outputs found, in the graph's order.
    let inputs: [(type: TensorType, location: Location)]
    let outputs: [(type: TensorType, location: Location)]

    /// Bytes of activations beyond which a network is refused rather than tried.
    private static let largestArena = 1 << 33

    /// Multiply-adds of one run.
    public let multiplyAdds: Int

    /// The elements that an array may have at most.
    static let largestTensor = Compiler.largestTensor

    /// Compiles `graph`, whose channels must stand last.
    /// - Parameters:
    ///   - instructionSet: What the kernels may use; the best unless `THAW_ISA` or the caller names another.
    ///   - threads: How many threads a run will be spread over, by which its work is cut. They pack the weights, too. Any
    ///     other number of threads computes the same.
    /// - Throws: `Failure` when an array is larger than the engine can address.
    public convenience init(_ graph: Graph, instructionSet: InstructionSet? = nil, threads: Int = 1) throws {
        try self.init(graph, instructionSet: instructionSet, threads: threads, choice: .cheapest)
    }

    /// - Parameter choice: What convolutions are computed by.
    init(_ graph: Graph, instructionSet: InstructionSet?, threads: Int = 1, choice: AlgorithmChoice) throws {
        precondition(graph.channelOrder == .last, "the engine runs graphs whose channels stand last")
        for type in graph.types where type.shape.elementCount > Program.largestTensor {
            throw Failure.arrayTooLarge(type)
        }
        let graph = try graph.withPhases()
        self.instructionSet = try instructionSet ?? .chosen()
        kernels = self.instructionSet.kernels
        let compiler = try Compiler(graph, kernels: kernels, threads: threads, choice: choice)
        steps = compiler.steps
        scratchBytes = ((compiler.steps.map(\.scratchBytes).max() ?? 0) + 4095) / 4096 * 4096
        inputs = graph.inputs.map { (graph[$0.value], compiler.native($0.value)) }
        outputs = graph.outputs.map { (graph[$0.value], compiler.location($0.value, .plain)) }
        multiplyAdds = steps.reduce(0) { $0 + $1.multiplyAdds }
        plan = MemoryPlan(
            Program.lifetimes(
                steps, slots: compiler.slots, inputs: inputs.map(\.location), outputs: outputs.map(\.location)))
        guard plan.byteCount <= Program.largestArena else { throw Failure.networkTooLarge(plan.byteCount) }
        constantBytes = compiler.constants.byteCount
        constants = AlignedMemory(byteCount: constantBytes)
        Program.fill(constants, compiler.constants.fills, threads: threads)
    }

    /// The first and the last step that needs each buffer. Inputs are there from the start, outputs to the end.
    private static func lifetimes(_ steps: [Step], slots: [Int], inputs: [Location], outputs: [Location])
        -> [MemoryPlan.Request]
    {
        var first = [Int](repeating: steps.count, count: slots.count)
        var last = [Int](repeating: 0, count: slots.count)
        for (index, step) in steps.enumerated() {
            for slot in step.reads + step.writes {
                first[slot] = min(first[slot], index)
                last[slot] = index
            }
        }
        for input in inputs { first[input.slot] = 0 }
        for output in outputs { last[output.slot] = steps.count }
        return slots.indices.map {
            MemoryPlan.Request(byteCount: slots[$0], steps: min(first[$0], last[$0])...last[$0])
        }
    }

    private static func fill(_ memory: AlignedMemory, _ fills: [(offset: Int, fill: ConstantPool.Fill)], threads: Int) {
        let workers = Workers(threads)
        withUnsafePointer(to: (memory.address, fills)) { context in
            workers.run(chunks: fills.count, context: context) { context, index, _ in
                let (address, fills) = context.assumingMemoryBound(
                    to: (UnsafeMutableRawPointer, [(offset: Int, fill: ConstantPool.Fill)]).self
                ).pointee
                fills[index].fill(address + fills[index].offset)
            }
        }
    }
}
