/// A graph with its signatures. A SavedModel contains one or several, a checkpoint's `.meta` file one.
struct MetaGraph {
    /// The tags that select a graph of a SavedModel, such as `serve`.
    var tags: [String]
    var graph: GraphDefinition
    var signatures: [Signature]
    /// The objects, by their indices in the graph of objects, that each function of TensorFlow 2 takes after its arguments:
    /// the variables that it uses.
    var captures: [String: [FileNumber]]

    /// The inputs and outputs for a use of the graph: tensors by key, sorted by key.
    struct Signature: Sendable {
        var name: String
        var inputs: [(key: String, tensor: String)]
        var outputs: [(key: String, tensor: String)]
        /// The keys of outputs that are strings.
        var textOutputs: [String]
        /// The keys of outputs that were dropped because they do not depend on the inputs.
        var constantOutputs: [String] = []

        /// The signature with the outputs of these names, which are keys or nodes. Without names, it has the numeric
        /// outputs that depend on the inputs, if there are any.
        ///
        /// - Throws: `Failure` for two names of the same output.
        func selecting(_ names: [String], in graph: GraphDefinition) throws -> Signature {
            var result = self
            guard !names.isEmpty else {
                // Text outputs, such as the label next to the scores, are dropped, and so is a list of all classes.
                let numeric = outputs.filter { !textOutputs.contains($0.key) }
                if !numeric.isEmpty { result.outputs = numeric }
                // The only output stays.
                guard result.outputs.count > 1 else { return result }
                let nodes = Set(inputs.map { GraphIndex.Reference($0.tensor).node })
                let dependent = try GraphIndex(graph.nodes).nodesComputed(from: nodes)
                let constant = result.outputs.filter { !dependent.contains(GraphIndex.Reference($0.tensor).node) }
                if constant.count < result.outputs.count {
                    result.constantOutputs = constant.map(\.key)
                    result.outputs.removeAll { result.constantOutputs.contains($0.key) }
                }
                return result
            }
            // Users know an output by its key in the signature.
            result.outputs = names.map { name in
                let isNode = graph.nodes.contains { $0.name == GraphIndex.Reference(name).node }
                let found = isNode ? nil : outputs.first { $0.key == name }
                return found ?? (key: GraphIndex.Reference(name).text, tensor: name)
            }
            if let key = result.outputs.map(\.key).firstRepeated { throw Failure.outputTwice(key) }
            return result
        }
    }

    private enum Field {
        static let info = 1, graph = 2, signature = 5
        static let tag = 4
        static let input = 1, output = 2, tensor = 1, type = 2, string = 7
        static let objectGraph = 7, function = 2, captures = 2
    }

    /// Reads the MetaGraphDef message.
    /// - Throws: `Failure` if it is corrupt.
    init(_ message: RawMessage) throws {
        tags = try MetaGraph.tags(message)
        guard let graph = try message.message(Field.graph) else { throw Failure.emptyGraph() }
        self.graph = try GraphDefinition(graph.file, at: graph.range)
        signatures = try message.map(Field.signature).map { entry in
            func tensors(_ number: Int) throws -> [(key: String, tensor: String)] {
                try entry.value.map(number).map { ($0.key, try $0.value.string(Field.tensor)) }.sorted(on: \.0)
            }
            let textOutputs = try entry.value.map(Field.output).filter {
                try $0.value.integer(Field.type) == FileNumber(Field.string)
            }
            return Signature(
                name: entry.key, inputs: try tensors(Field.input), outputs: try tensors(Field.output),
                textOutputs: textOutputs.map(\.key).sorted())
        }.sorted(on: \.name)
        let functions = try message.message(Field.objectGraph)?.map(Field.function) ?? []
        captures = try functions.reduce(into: [:]) { $0[$1.key] = try $1.value.integers(Field.captures) }
    }

    /// The tags of the MetaGraphDef message, without the rest of it.
    static func tags(_ message: RawMessage) throws -> [String] {
        try message.message(Field.info)?.strings(Field.tag).sorted() ?? []
    }
}
