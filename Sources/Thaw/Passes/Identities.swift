extension Graph {
    /// Removes nodes that return their input unchanged and merges consecutive reshapes.
    func withoutIdentities() throws -> Graph {
        try rebuilt { node, inputs, builder in
            guard let input = inputs.first else { return nil }
            if inputs.count == 1, node.operation.isIdentity([builder[input]]) { return inputs }
            guard let reshape = node.operation as? Reshape, let before = builder.producer(of: input),
                before.operation is Reshape
            else { return nil }
            let source = before.inputs[0]
            return reshape.isIdentity([builder[source]])
                ? [source] : try builder.add(reshape, [source], name: node.name)
        }
    }
}
