extension Graph {
    /// The graph with each composite operation replaced by the operations that the engine computes.
    func withEngineOperations(blockWidth: Int) throws -> Graph {
        try withUnsignedQuantization().withSlices().withComposites(blockWidth: blockWidth)
    }

    /// The graph with each selection of slices at known indices replaced by these slices and their concatenation, if they are
    /// few. torch's `roll` arrives as one.
    private func withSlices() throws -> Graph {
        guard nodes.contains(where: { $0.operation.indexInput == 1 }) else { return self }
        let maximumCount = 8
        return try rebuilt { node, inputs, builder in
            guard node.operation.indexInput == 1, let known = builder.producer(of: inputs[1]), known.inputs.isEmpty
            else { return nil }
            let shape = builder[inputs[0]].shape
            let indices = try known.operation.evaluate([])[0]
            guard let (axis, ranges) = node.operation.slices(of: shape, at: indices),
                (1...maximumCount).contains(ranges.count)
            else { return nil }
            let slices = try ranges.map { range in
                let part = StridedSlice.Range(start: range.lowerBound, count: range.count)
                let slice = StridedSlice(part, along: axis, of: shape)
                return try builder.add(slice, [inputs[0]], name: node.name)[0]
            }
            return slices.count == 1 ? slices : try builder.add(Concatenation(axis: axis), slices, name: node.name)
        }
    }

    private func withComposites(blockWidth: Int) throws -> Graph {
        var parts: [Value: [any Operation]] = [:]
        for node in nodes {
            guard let composite = node.operation as? any EngineComposite else { continue }
            parts[node.outputs[0]] = composite.engineOperations(node.inputs.map { self[$0] }, blockWidth: blockWidth)
        }
        guard !parts.isEmpty else { return self }
        let counts = consumerCounts
        // Activations move before the last operation, which only moves values. There they can be fused.
        var last: [Value: (source: Value, operation: any Operation)] = [:]
        return try rebuilt { node, inputs, builder in
            var operations = [node.operation]
            var source = inputs
            if let parts = parts[node.outputs[0]] {
                operations = parts
            } else if inputs.count == 1, let before = last[inputs[0]], node.operation.isActivation(builder[inputs[0]]) {
                operations = [node.operation, before.operation]
                source = [before.source]
            }
            for operation in operations.dropLast() {
                source = try builder.add(operation, source, name: node.name + "/phases")
            }
            let result = try builder.add(operations.last!, source, name: node.name)
            if operations.count > 1, counts[node.outputs[0].index] == 1 {
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
