extension Graph {
    /// The graph in which what is done to the same value twice is done once: activations and pooling, of which some
    /// exporters write one for every reader.
    func withoutDuplicates() throws -> Graph {
        struct Key: Hashable {
            let operation: AnyHashable
            let inputs: [Value]
        }
        var known: [Key: [Value]] = [:]
        return try rebuilt { node, inputs, builder in
            guard let operation = node.operation as? any Hashable & Operation else { return nil }
            let key = Key(operation: AnyHashable(operation), inputs: inputs)
            if let values = known[key] { return values }
            let values = try builder.add(operation, inputs, name: node.name)
            known[key] = values
            return values
        }
    }
}
