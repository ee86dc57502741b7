extension Graph {
    /// Merges consecutive lower and upper bounds into one operation, Relu6 for 0 and 6.
    func withJoinedBounds() throws -> Graph {
        let readers = readerCounts
        var readOnce: Set<Value> = []
        return try rebuilt { node, inputs, builder in
            var operation = node.operation
            var source = inputs
            if let bound = Bound(node.operation) {
                operation = bound.operation
                if let before = builder.producer(of: inputs[0]), readOnce.contains(inputs[0]),
                    let first = Bound(before.operation)
                {
                    (operation, source) = (first.followed(by: bound).operation, before.inputs)
                }
            }
            let outputs = try builder.add(operation, source, name: node.name)
            for (old, new) in zip(node.outputs, outputs) where readers[old.index] == 1 { readOnce.insert(new) }
            return outputs
        }
    }
}

/// A clamp to a range.
private struct Bound {
    var low = -Float.infinity
    var high = Float.infinity

    /// The bounds that an operation applies to all elements, or nil.
    init?(_ operation: any Operation) {
        switch operation {
        case let unary as Unary:
            switch unary.function {
            case .relu: low = 0
            case .relu6: (low, high) = (0, 6)
            case .clip(let low, let high): (self.low, self.high) = (low, high)
            default: return nil
            }
        case let binary as Binary:
            guard let constant = binary.constant, constant.elementCount == 1, constant.shape.rank == 0,
                constant.element == .float32
            else { return nil }
            switch binary.function {
            case .maximum: low = constant.floats[0]
            case .minimum: high = constant.floats[0]
            default: return nil
            }
        default: return nil
        }
    }

    private init(low: Float, high: Float) {
        self.low = low
        self.high = high
    }

    /// These bounds followed by `next`.
    func followed(by next: Bound) -> Bound {
        let hold = { (value: Float) in min(max(value, next.low), next.high) }
        return Bound(low: hold(low), high: hold(high))
    }

    /// The equivalent operation.
    var operation: any Operation {
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
