extension Graph {
    /// Folds zero padding into the convolution that reads it, or into average pooling that counts its padding.
    func withFusedPadding() throws -> Graph {
        guard nodes.contains(where: { $0.operation is Pad }) else { return self }
        return try rebuilt { node, inputs, builder in
            guard let input = inputs.first, let producer = builder.producer(of: input),
                let pad = producer.operation as? Pad,
                let fused = node.operation.padded(by: pad)
            else { return nil }
            return try builder.add(fused, [producer.inputs[0]] + inputs.dropFirst(), name: node.name)
        }
    }
}

extension Operation {
    /// The operation with this padding included, or nil if the padding cannot be expressed.
    fileprivate func padded(by pad: Pad) -> (any Operation)? {
        guard pad.value == 0, pad.before.count == 4, pad.before[0] + pad.after[0] + pad.before[3] + pad.after[3] == 0
        else { return nil }
        func padded(_ window: Window) -> Window {
            var window = window
            window.height.before += pad.before[1]
            window.height.after += pad.after[1]
            window.width.before += pad.before[2]
            window.width.after += pad.after[2]
            return window
        }
        switch self {
        case var convolution as Convolution:
            convolution.window = padded(convolution.window)
            return convolution
        case var convolution as DepthwiseConvolution:
            convolution.window = padded(convolution.window)
            return convolution
        case var pooling as Pooling where pooling.function == .average:
            // The padding counts toward the mean, but existing padding of the pooling might not.
            guard pooling.countsPadding || !pooling.window.hasPadding else { return nil }
            pooling.window = padded(pooling.window)
            pooling.countsPadding = true
            return pooling
        default: return nil
        }
    }
}
