extension Graph {
    /// Removes duplicate nodes with the same inputs, such as activations and pooling, which some exporters write once
    /// per consumer.
    func withoutDuplicates() throws -> Graph {
        // Keyed by the first input; operations are compared only if they share it.
        var known: [Value: [(operation: any Operation, inputs: [Value], outputs: [Value])]] = [:]
        return try rebuilt { node, inputs, builder in
            guard let first = inputs.first else { return nil }
            let duplicate = known[first]?.first { $0.inputs == inputs && $0.operation.isEqual(to: node.operation) }
            if let duplicate { return duplicate.outputs }
            let outputs = try builder.add(node.operation, inputs, name: node.name)
            known[first, default: []].append((node.operation, inputs, outputs))
            return outputs
        }
    }
}

extension Operation {
    /// Whether both are fully described by their fields and have equal fields.
    fileprivate func isEqual(to other: any Operation) -> Bool {
        guard let one = self as? any Hashable, let other = other as? any Hashable else { return false }
        return AnyHashable(one) == AnyHashable(other)
    }
}
