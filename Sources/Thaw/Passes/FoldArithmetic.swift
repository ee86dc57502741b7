extension Graph {
    /// Folds per-channel arithmetic into the preceding convolution or dense layer if that has no other consumer.
    /// Arithmetic without such a layer is merged into one batch normalization.
    ///
    /// Handles all spellings of batch normalization: the fused node, and chains of Mul, Add, Sub and Rsqrt whose
    /// constant parts were folded during import.
    func withFoldedArithmetic() throws -> Graph {
        let readers = readerCounts
        var readOnce: Set<Value> = []
        return try rebuilt { node, inputs, builder in
            guard inputs.count == 1, let arithmetic = ChannelArithmetic(node.operation, on: builder[inputs[0]]),
                builder[inputs[0]].shape == self[node.outputs[0]].shape
            else {
                let outputs = try builder.add(node.operation, inputs, name: node.name)
                for (old, new) in zip(node.outputs, outputs) where readers[old.index] == 1 { readOnce.insert(new) }
                return outputs
            }
            var operation: any Operation = node.operation
            var source = inputs
            if let before = builder.producer(of: inputs[0]), readOnce.contains(inputs[0]) {
                if let folded = before.operation.followed(by: arithmetic) {
                    (operation, source) = (folded, before.inputs)
                } else if before.inputs.count == 1,
                    let first = ChannelArithmetic(before.operation, on: builder[before.inputs[0]])
                {
                    (operation, source) = (BatchNormalization(first.followed(by: arithmetic)), before.inputs)
                }
            }
            let outputs = try builder.add(operation, source, name: node.name)
            if readers[node.outputs[0].index] == 1 { readOnce.insert(outputs[0]) }
            return outputs
        }
    }
}
