/// A unit of a program's work: kernels over buffers, split into chunks that any thread may run in any order.
struct Step: Sendable {
    /// The node's name in the graph.
    var name: String
    /// The kind of step, for example "Convolution" or "Unblock".
    var kind: String
    /// The algorithm, if there are several.
    var algorithm = ""
    var reads: [Int]
    var writes: [Int]
    var multiplyAdds = 0
    /// The precision of the products.
    var precision = Precision.float32
    var chunks = 1
    /// Whether each thread's share of the chunks is a part of the output's rows, with all blocks of channels: for steps that
    /// quantized depthwise convolutions may follow.
    var isByRows = false
    /// Bytes of scratch memory that each thread needs.
    var scratchBytes = 0
    /// Runs the chunk with the given index. The results do not depend on how the work is split.
    var run: @Sendable (Memory, Int) -> Void = { _, _ in }
    /// Runs the operation's reference implementation, because there is no kernel.
    /// - Throws: `Failure` if a loop does not end.
    var reference: (@Sendable (Memory) throws -> Void)?

    /// How many rows of `width` values make a chunk of inexpensive work: enough to be worth handing to a thread, few enough to
    /// stay in its cache.
    static func rowsPerChunk(width: Int) -> Int { max(1, (1 << 14) / max(1, width)) }
}
