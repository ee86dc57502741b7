extension Graph {
    /// The graph with every operation that a dialect of Core ML lacks decomposed into others. A writer then maps each
    /// operation to one layer.
    ///
    /// The last part of a decomposed node takes the node's name; the others have the node's name as a prefix.
    /// - Throws: `Failure` naming the node that cannot be decomposed.
    func legalized(for dialect: CoreMLDialect) throws -> Graph {
        var parts = Decomposition(dialect)
        let result = try rebuilt { node, inputs, builder in
            guard let operation = node.operation as? any CoreMLOperation else { return nil }
            // The parts go into the same graph. The builder is moved, because a copy of it would be expensive.
            swap(&parts.context.builder, &builder)
            defer { swap(&parts.context.builder, &builder) }
            let operands = inputs.map { Operand.edge($0, parts.context.builder[$0]) }
            let result = try naming(node: node.identity, location: node.name) {
                try parts.result(of: operation, operands, node: node.name)
            }
            guard let result else { return nil }
            guard result.type == self[node.outputs[0]] else {
                throw Failure.invalidGraph(node.name, "its parts compute another type")
            }
            return [try parts.context.edge(result, name: node.name)]
        }
        try naming(location: "pass 'decompose operations'") { try result.validate() }
        return dialect.isProgram ? try result.withFloat32Steps() : result
    }
}
