/// The body of a function, with names for the graph that calls it.
struct FunctionBody {
    let function: FunctionDefinition
    private let functions: [String: FunctionDefinition]
    /// The arguments of the call, by the names of the function's inputs.
    private let arguments: [String: String]
    /// The names in the calling graph, and the operations, by the nodes' names in the body.
    private var nodes: [String: (name: String, op: String)] = [:]

    /// - Throws: `Failure` for two nodes with the same name.
    init(
        of function: FunctionDefinition, calledBy call: NodeDefinition, _ functions: [String: FunctionDefinition],
        _ usedNames: inout Set<String>
    ) throws {
        (self.function, self.functions) = (function, functions)
        arguments = Dictionary(zip(function.inputs, call.data), uniquingKeysWith: { $1 })
        for node in function.nodes {
            let unique = usedNames.insertUnique(call.name + "/" + node.name)
            guard nodes.updateValue((unique, node.op), forKey: node.name) == nil else {
                throw Failure.duplicateInFunction(function.name, node.name)
            }
        }
    }

    /// A node of the body, renamed for the calling graph.
    func renamed(_ node: NodeDefinition) throws -> NodeDefinition {
        var node = node
        node.name = nodes[node.name]!.name
        node.inputs = try node.inputs.compactMap(reference)
        return node
    }

    /// The calling graph's reference for an input in the body; nil for control inputs, which carry no value.
    func reference(_ input: String) throws -> String? {
        guard !input.hasPrefix("^") else { return nil }
        let reference = FunctionReference(input)
        if reference.outputName == nil, let argument = arguments[reference.node] { return argument }
        guard let target = nodes[reference.node], let output = reference.outputIndex(of: target.op, functions) else {
            throw Failure.missingInFunction(function.name, input)
        }
        return output == 0 ? target.name : "\(target.name):\(output)"
    }
}
