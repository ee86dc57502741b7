// The rewriting of a graph into a quantized one, and of one that was trained with rounding.

extension Graph {
    /// The graph without the rounding of quantization-aware training, and the parameters of the values that were
    /// rounded. They are still clamped to the range of the levels, which may be fewer than 256.
    func withoutLevels() -> (graph: Graph, parameters: [Value: QuantizationParameters]) {
        var result = self
        var found: [(value: Value, parameters: QuantizationParameters)] = []
        for (index, node) in nodes.enumerated() {
            guard let levels = node.operation.levels, let parameters = QuantizationParameters(levels) else { continue }
            result.nodes[index].operation = Unary(.clip(levels.low, levels.high))
            found.append((node.outputs[0], parameters))
        }
        let plan = QuantizationPlan(result)
        return (result, Dictionary(found.map { (plan.ends[$0.value.index], $0.parameters) }) { _, last in last })
    }

    /// The quantized network: values are rounded to quantized values and back before the nodes that read quantized
    /// values.
    ///
    /// - Parameters:
    ///   - parametersByValue: The parameters of the values that are rounded.
    ///   - kept: The names of the nodes that read unrounded values. So do the nodes whose results only they read.
    func quantized(
        _ parametersByValue: [Value: QuantizationParameters], keeping kept: Set<String> = []
    ) throws -> Graph {
        try quantizing(parametersByValue, keeping: kept) {
            [
                ("quantized", AffineQuantize(scale: $0.affine, element: .uint8)),
                ("dequantized", AffineDequantize(scale: $0.affine)),
            ]
        }
    }

    /// The same values computed by arithmetic for which the engine has kernels.
    func rounded(_ parametersByValue: [Value: QuantizationParameters], keeping kept: Set<String> = []) throws -> Graph {
        try quantizing(parametersByValue, keeping: kept) { parameters in
            let scale = Tensor([parameters.scale], shape: [])
            return [
                ("scaled", Binary(.divide, constant: scale)), ("rounded", Unary(.round)),
                ("clamped", Unary(.clip(Float(-parameters.zeroPoint), Float(255 - parameters.zeroPoint)))),
                ("rescaled", Binary(.multiply, constant: scale)),
            ]
        }
    }

    /// The network quantized with the parameters of quantization-aware training; nil if it was not trained so.
    func quantizedAsTrained() throws -> Graph? {
        var (result, parametersByValue) = withoutLevels()
        guard !parametersByValue.isEmpty else { return nil }
        for group in QuantizationPlan(result).groups {
            guard let parameters = group.lazy.compactMap({ parametersByValue[$0] }).first else { continue }
            for value in group where parametersByValue[value] == nil { parametersByValue[value] = parameters }
        }
        for index in result.nodes.indices {
            guard let layer = nodes[index].operation as? any QuantizableLayer,
                parametersByValue[nodes[index].inputs[0]] != nil,
                layer.symmetricWeights == nil
            else { continue }
            result.nodes[index].operation = layer.withRoundedWeights
        }
        return try result.quantized(parametersByValue)
    }

    private func quantizing(
        _ parametersByValue: [Value: QuantizationParameters], keeping kept: Set<String>,
        _ steps: (QuantizationParameters) -> [(name: String, operation: any Operation)]
    ) throws -> Graph {
        let plan = QuantizationPlan(self)
        let rounding = plan.namesOfRounding(keeping: kept)
        var rounded: [Value: Value] = [:]
        return try rebuilt { node, inputs, builder in
            guard rounding.contains(node.name), node.inputs.allSatisfy({ parametersByValue[$0] != nil })
            else { return nil }
            var roundedInputs = inputs
            for (index, value) in node.inputs.enumerated() {
                if rounded[value] == nil {
                    let name = plan.name(of: value)
                    rounded[value] = try steps(parametersByValue[value]!).reduce(inputs[index]) { value, step in
                        try builder.add(step.operation, [value], name: "\(name)/\(step.name)")[0]
                    }
                }
                roundedInputs[index] = rounded[value]!
            }
            return try builder.add(node.operation, roundedInputs, name: node.name)
        }
    }

    /// Whether values are quantized.
    var isQuantized: Bool {
        nodes.contains { $0.operation.family == .quantization && self[$0.outputs[0]].element != .float32 }
    }
}
