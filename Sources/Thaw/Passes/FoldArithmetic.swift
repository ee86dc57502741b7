extension Graph {
    /// Folds per-channel arithmetic into the preceding convolution or dense layer if that has no other consumer.
    /// Arithmetic without such a layer is merged into one batch normalization.
    ///
    /// Reshapes between the two that keep the channels are no obstacle: coremltools writes reshapes around dense layers.
    ///
    /// Handles all spellings of batch normalization: the fused node, and chains of Mul, Add, Sub and Rsqrt whose
    /// constant parts were folded during import.
    func withFoldedArithmetic() throws -> Graph {
        let counts = consumerCounts
        var readOnce: Set<Value> = []
        return try rebuilt { node, inputs, builder in
            guard inputs.count == 1, let arithmetic = ChannelArithmetic(node.operation, on: builder[inputs[0]]),
                builder[inputs[0]].shape == self[node.outputs[0]].shape
            else {
                let outputs = try builder.add(node.operation, inputs, name: node.name)
                for (old, new) in zip(node.outputs, outputs) where counts[old.index] == 1 { readOnce.insert(new) }
                return outputs
            }
            var operation: any Operation = node.operation
            var source = inputs
            if let before = builder.producer(of: inputs[0]), readOnce.contains(inputs[0]) {
                if let value = before.inputs.first, readOnce.contains(value), before.operation.regroups(builder[value]),
                    builder[value].shape.last == builder[inputs[0]].shape.last,
                    let layer = builder.producer(of: value), let folded = layer.operation.followed(by: arithmetic)
                {
                    (operation, source) = (before.operation, try builder.add(folded, layer.inputs, name: node.name))
                } else if let folded = before.operation.followed(by: arithmetic) {
                    (operation, source) = (folded, before.inputs)
                } else if before.inputs.count == 1,
                    let first = ChannelArithmetic(before.operation, on: builder[before.inputs[0]])
                {
                    (operation, source) = (BatchNormalization(first.followed(by: arithmetic)), before.inputs)
                }
            }
            let outputs = try builder.add(operation, source, name: node.name)
            if counts[node.outputs[0].index] == 1 { readOnce.insert(outputs[0]) }
            return outputs
        }
    }
}

extension Operation {
    /// Whether it changes only the shape, and not the order of the elements.
    fileprivate func regroups(_ type: TensorType) -> Bool {
        keepsElements && type.shape.rank > 0 && use(ofAxis: 0, of: 0, [type]) == .regrouped
    }
}
