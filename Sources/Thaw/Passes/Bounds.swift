extension Graph {
    /// Merges consecutive lower and upper bounds into one operation, Relu6 for 0 and 6.
    func withMergedBounds() throws -> Graph {
        let counts = consumerCounts
        var readOnce: Set<Value> = []
        return try rebuilt { node, inputs, builder in
            var operation = node.operation
            var source = inputs
            if let bound = node.operation.bound {
                operation = bound.operation
                if let before = builder.producer(of: inputs[0]), readOnce.contains(inputs[0]),
                    let first = before.operation.bound
                {
                    (operation, source) = (first.followed(by: bound).operation, before.inputs)
                }
            }
            let outputs = try builder.add(operation, source, name: node.name)
            for (old, new) in zip(node.outputs, outputs) where counts[old.index] == 1 { readOnce.insert(new) }
            return outputs
        }
    }
}

extension Bound {
    /// The equivalent operation.
    fileprivate var operation: any Operation {
        switch (low, high) {
        case (0, .infinity): Unary(.relu)
        case (0, 6): Unary(.relu6)
        case (-.infinity, .infinity): Unary(.clip(low, high))
        case (-.infinity, _): Binary(.minimum, constant: Tensor([high], shape: []))
        case (_, .infinity): Binary(.maximum, constant: Tensor([low], shape: []))
        default: Unary(.clip(low, high))
        }
    }
}
