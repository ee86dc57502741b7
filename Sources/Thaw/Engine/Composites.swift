extension Graph {
    /// The graph with each operation that the engine computes by others replaced by them.
    func withEngineOperations(blockWidth: Int) throws -> Graph {
        guard nodes.contains(where: { $0.operation is any EngineComposite }) else { return self }
        let readers = readerCounts
        // Activations move before the last operation, which only moves values. There they can be fused.
        var last: [Value: (source: Value, operation: any Operation)] = [:]
        return try rebuilt { node, inputs, builder in
            var operations = [node.operation]
            var source = inputs
            if let composite = node.operation as? any EngineComposite {
                let parts = composite.engineOperations(inputs.map { builder[$0] }, blockWidth: blockWidth)
                guard let parts else { return nil }
                operations = parts
            } else if inputs.count == 1, let before = last[inputs[0]], node.operation.isActivation(builder[inputs[0]]) {
                operations = [node.operation, before.operation]
                source = [before.source]
            }
            for operation in operations.dropLast() {
                source = try builder.add(operation, source, name: node.name + "/phases")
            }
            let result = try builder.add(operations.last!, source, name: node.name)
            if operations.count > 1, readers[node.outputs[0].index] == 1 {
                last[result[0]] = (source[0], operations.last!)
            }
            return result
        }
    }
}

extension Operation {
    /// Whether it is a function of single values that keeps the lanes past the last channel harmless.
    fileprivate func isActivation(_ type: TensorType) -> Bool {
        guard case .unary(let function) = (self as? any EngineOperation)?.engineForm([type], type) else { return false }
        return function.isFiniteAtZero
    }
}
