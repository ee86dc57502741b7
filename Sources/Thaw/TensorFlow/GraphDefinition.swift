/// A TensorFlow graph as its file describes it: nodes by name, with their inputs and attributes, not yet understood.
///
/// Nothing here refers to the file's encoding; large constants are views of the mapped file.
public struct GraphDefinition: Sendable {
    /// In the file's order, which need not be topological.
    public var nodes: [NodeDefinition]
    /// The functions that nodes may call, by attribute or by their own operation's name.
    public var functions: [FunctionDefinition]

    public init(nodes: [NodeDefinition], functions: [FunctionDefinition] = []) {
        self.nodes = nodes
        self.functions = functions
    }
}

/// A function of a graph's library. Inside, `node:output:0` names an output by the operation's own word for it, and the
/// name of an argument alone that argument.
public struct FunctionDefinition: Sendable {
    public var name: String
    /// The names of the arguments, in their order.
    public var inputs: [String]
    /// The names of what is returned, in their order.
    public var outputs: [String]
    public var nodes: [NodeDefinition]
    /// Where each of `outputs` comes from inside the function.
    public var results: [String: String]

    public init(name: String, inputs: [String], outputs: [String], nodes: [NodeDefinition], results: [String: String]) {
        (self.name, self.inputs, self.outputs, self.nodes, self.results) = (name, inputs, outputs, nodes, results)
    }
}
