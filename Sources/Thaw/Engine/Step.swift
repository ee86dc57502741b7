/// One piece of a program's work: kernels over buffers, cut into chunks that any thread may do in any order.
struct Step: Sendable {
    /// The node's name in the graph.
    var name: String
    /// What is done, in the field's words: "Convolution", "Unblock".
    var kind: String
    /// How, where there are several ways.
    var algorithm = ""
    var reads: [Int]
    var writes: [Int]
    var multiplyAdds = 0
    var chunks = 1
    /// Bytes that a thread needs to work in.
    var scratchBytes = 0
    /// Does chunk number so-and-so. What it computes does not depend on how the work is cut.
    var run: @Sendable (Memory, Int) -> Void
}
