/// A TensorFlow graph as its file describes it: nodes with names, inputs and attributes, not yet interpreted.
///
/// Nothing here refers to the file's encoding; large constants are views of the mapped file.
public struct GraphDefinition: Sendable {
    /// The nodes in the file's order, which need not be topological.
    public var nodes: [NodeDefinition]
    /// The functions that nodes may call, by an attribute or by the name of their operation.
    public var functions: [FunctionDefinition]

    /// A graph of these nodes, which may call these functions.
    public init(nodes: [NodeDefinition], functions: [FunctionDefinition] = []) {
        self.nodes = nodes
        self.functions = functions
    }
}

/// A function of a graph's library. In its body, `node:output:0` refers to an output by the operation's name for it, and an
/// argument's name refers to the argument.
public struct FunctionDefinition: Sendable {
    /// The name by which nodes call it.
    public var name: String
    /// The names of the arguments, in order.
    public var inputs: [String]
    /// The names of the results, in order.
    public var outputs: [String]
    /// The nodes of its body.
    public var nodes: [NodeDefinition]
    /// The source of each of `outputs` in the function.
    public var results: [String: String]

    /// A function as in a GraphDef's library.
    public init(name: String, inputs: [String], outputs: [String], nodes: [NodeDefinition], results: [String: String]) {
        (self.name, self.inputs, self.outputs, self.nodes, self.results) = (name, inputs, outputs, nodes, results)
    }
}
