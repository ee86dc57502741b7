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
                    (operation, source) = (first.followed(by: arithmetic).operation, before.inputs)
                }
            }
            let outputs = try builder.add(operation, source, name: node.name)
            if readers[node.outputs[0].index] == 1 { readOnce.insert(outputs[0]) }
            return outputs
        }
    }
}

extension Operation {
    /// This layer with the arithmetic on its output channels folded into its weights and bias, or nil if it has none.
    fileprivate func followed(by arithmetic: ChannelArithmetic) -> (any Operation)? {
        func bias(_ bias: Tensor?) -> Tensor? {
            let old = bias?.floats
            let new = arithmetic.offset.indices.map { i in
                Float(Double(old?[i] ?? 0) * arithmetic.scale[i] + arithmetic.offset[i])
            }
            return Tensor(new, shape: [new.count])
        }
        switch self {
        case var convolution as Convolution:
            convolution.filters = convolution.filters.scaled(lastAxes: arithmetic.scale)
            convolution.bias = bias(convolution.bias)
            return convolution
        case var convolution as DepthwiseConvolution:
            let channels = convolution.filters.shape
            let flat = convolution.filters.reshaped([channels[0], channels[1], convolution.outputChannels])
            convolution.filters = flat.scaled(lastAxes: arithmetic.scale).reshaped(channels)
            convolution.bias = bias(convolution.bias)
            return convolution
        case var convolution as TransposedConvolution:
            let perGroup = convolution.filters.shape[2]
            let channels = convolution.filters.shape[3]
            let perInput = channels / convolution.groups
            let factors = (0..<perGroup * channels).map { i in
                arithmetic.scale[i % channels / perInput * perGroup + i / channels]
            }
            convolution.filters = convolution.filters.scaled(lastAxes: factors)
            convolution.bias = bias(convolution.bias)
            return convolution
        case var dense as Dense:
            dense.matrix = dense.matrix.scaled(lastAxes: arithmetic.scale)
            dense.bias = bias(dense.bias)
            return dense
        case let normalization as Normalization:
            return normalization.followed(scale: arithmetic.scale, offset: arithmetic.offset)
        default: return nil
        }
    }
}

extension Tensor {
    /// The tensor with each element along the last axes multiplied by its factor, or the tensor itself if all factors
    /// are 1.
    func scaled(lastAxes factors: [Double]) -> Tensor {
        if factors.allSatisfy({ $0 == 1 }) { return self }
        let from = asFloat32
        // The copy replaces weights of a mapped file.
        defer { storage.release() }
        return Tensor(shape: shape) { out in
            withExtendedLifetime(from.storage) {
                let numbers = from.bytes
                for row in stride(from: 0, to: out.count, by: factors.count) {
                    for index in row..<row + factors.count {
                        let number = numbers.loadUnaligned(fromByteOffset: index * 4, as: Float.self)
                        out[index] = Float(Double(number) * factors[index - row])
                    }
                    if row * 4 / Tensor.pieceSize != (row + factors.count) * 4 / Tensor.pieceSize { storage.release() }
                }
            }
        }
    }
}
