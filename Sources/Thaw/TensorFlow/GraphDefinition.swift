/// A TensorFlow graph as its file describes it: nodes by name, with their inputs and attributes, not yet understood.
///
/// Nothing here refers to the file's encoding; large constants are views of the mapped file.
struct GraphDefinition: Sendable {
    /// In the file's order, which need not be topological.
    var nodes: [NodeDefinition]
    /// Names of the functions that the graph carries with it.
    var functions: [String] = []
}
