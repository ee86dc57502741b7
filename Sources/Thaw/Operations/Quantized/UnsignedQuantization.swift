extension Graph {
    /// The graph with uint8 instead of int8 between quantization and dequantization, with the same results: the engine's kernels
    /// are for uint8.
    func withUnsignedQuantization() throws -> Graph {
        guard hasRanges else { return self }
        var shifted: Set<Value> = []
        let consumers = consumers
        let outputs = Set(outputs.map(\.value))
        for node in nodes {
            guard let quantize = node.operation as? AffineQuantize, quantize.element == .int8,
                quantize.unsignedScale != nil, !outputs.contains(node.outputs[0])
            else { continue }
            let areDequantized = (consumers[node.outputs[0]] ?? []).allSatisfy { consumer in
                (consumer.operation as? AffineDequantize)?.scale.shiftedToUnsigned.parameters != nil
            }
            if areDequantized { shifted.insert(node.outputs[0]) }
        }
        guard !shifted.isEmpty else { return self }
        return try rebuilt { node, inputs, builder in
            if let quantize = node.operation as? AffineQuantize, shifted.contains(node.outputs[0]) {
                let unsigned = AffineQuantize(scale: quantize.scale.shiftedToUnsigned, element: .uint8)
                return try builder.add(unsigned, inputs, name: node.name)
            }
            if let dequantize = node.operation as? AffineDequantize, shifted.contains(node.inputs[0]) {
                let unsigned = AffineDequantize(scale: dequantize.scale.shiftedToUnsigned)
                return try builder.add(unsigned, inputs, name: node.name)
            }
            return nil
        }
    }
}

extension AffineScale {
    /// The scale for uint8 instead of int8.
    var shiftedToUnsigned: AffineScale {
        var result = self
        result.zeroPoints = zeroPoints.map { $0 + 128 }
        return result
    }
}
