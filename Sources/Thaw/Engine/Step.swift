/// A unit of a program's work.
struct Step: Sendable {
    enum Work: Sendable {
        /// Kernels over buffers: the number of chunks, which any thread may run in any order, and a function that runs the
        /// chunk with a given index. The results do not depend on how the work is split.
        case chunks(Int, @Sendable (Memory, Int) -> Void)
        /// The operation's reference implementation, because there is no kernel. Throws `Failure` if a loop does not end.
        case reference(@Sendable (Memory) throws -> Void)
    }

    /// The node's name in the graph.
    let name: String
    /// The kind of step, for example "Convolution" or "Unblock".
    let kind: String
    /// The algorithm, if there are several.
    let algorithm: String
    let reads: [Int]
    let writes: [Int]
    let multiplyAdds: Int
    let work: Work
    /// The precision of the products.
    var precision = Precision.float32
    /// Whether each thread's share of the chunks is a part of the output's rows, with all blocks of channels: for steps that
    /// quantized depthwise convolutions may follow.
    var isByRows = false
    /// Bytes of scratch memory that each thread needs.
    var scratchBytes = 0

    /// A step that converts a value to another layout.
    init(
        name: String, kind: String, reads: [Int], writes: [Int], chunks: Int,
        run: @escaping @Sendable (Memory, Int) -> Void
    ) {
        (self.name, self.kind, algorithm, multiplyAdds) = (name, kind, "", 0)
        (self.reads, self.writes) = (reads, writes)
        work = .chunks(chunks, run)
    }

    /// A step that computes a node, or a part of it.
    /// - Parameter kind: The kind of step, if not the node's.
    init(
        _ node: PlannedNode, kind: String? = nil, algorithm: String = "", reads: [Int], writes: [Int],
        multiplyAdds: Int = 0, chunks: Int = 1, run: @escaping @Sendable (Memory, Int) -> Void
    ) {
        (name, self.kind) = (node.name, kind ?? node.operation.kind)
        (self.algorithm, self.multiplyAdds) = (algorithm, multiplyAdds)
        (self.reads, self.writes) = (reads, writes)
        work = .chunks(chunks, run)
    }

    /// A step that computes a node without a kernel.
    init(
        reference node: PlannedNode, reads: [Int], writes: [Int], run: @escaping @Sendable (Memory) throws -> Void
    ) {
        (name, kind, algorithm, multiplyAdds) = (node.name, node.operation.kind, "", node.multiplyAdds)
        (self.reads, self.writes) = (reads, writes)
        work = .reference(run)
    }

    /// Whether there is no kernel for it.
    var isReference: Bool { if case .reference = work { true } else { false } }

    /// How many rows of `width` values make a chunk of inexpensive work: enough to be worth handing to a thread, few enough to
    /// stay in its cache.
    static func rowsPerChunk(width: Int) -> Int { max(1, (1 << 14) / max(1, width)) }
}
