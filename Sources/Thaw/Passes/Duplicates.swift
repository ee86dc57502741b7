extension Graph {
    /// The graph in which what is done to the same value twice is done once: activations and pooling, of which some
    /// exporters write one for every reader.
    func withoutDuplicates() throws -> Graph {
        // By the first value that they read; operations are compared only where two read the same.
        var known: [Value: [(operation: any Operation, inputs: [Value], outputs: [Value])]] = [:]
        return try rebuilt { node, inputs, builder in
            guard let first = inputs.first else { return nil }
            let twin = known[first]?.first { $0.inputs == inputs && $0.operation.isEqual(to: node.operation) }
            if let twin { return twin.outputs }
            let outputs = try builder.add(node.operation, inputs, name: node.name)
            known[first, default: []].append((node.operation, inputs, outputs))
            return outputs
        }
    }
}

extension Operation {
    /// Whether both are told from others by their fields, and have the same.
    fileprivate func isEqual(to other: any Operation) -> Bool {
        guard let one = self as? any Hashable, let other = other as? any Hashable else { return false }
        return AnyHashable(one) == AnyHashable(other)
    }
}
