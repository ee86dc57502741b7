extension Model {
    /// Whether the network is quantized, or the metadata have quantization parameters for it.
    public var isQuantized: Bool { graph.isQuantized || quantization?.parameters.isEmpty == false }

    /// The network in which values are rounded to quantized values and back, for 8-bit integer arithmetic; nil if the
    /// model is not quantized.
    ///
    /// It is the network itself if the model's format has operations for quantization; otherwise it follows from the
    /// metadata, or from the levels of quantization-aware training.
    /// - Throws: `Failure` if the metadata do not belong to the network.
    func quantizedGraph() throws -> Graph? {
        if graph.isQuantized { return graph }
        guard let quantization, !quantization.parameters.isEmpty else { return try graph.quantizedAsTrained() }
        let values = try rangedValues()
        return try graph.quantized(values.parameters, keeping: values.kept)
    }

    /// The layers that int8 computes with 8-bit integers, and those it does not; empty if the model is not quantized.
    /// - Throws: `Failure` if the metadata do not belong to the network.
    public func layerPrecisions() throws -> [LayerPrecision] { try quantizedGraph()?.layerPrecisions() ?? [] }

    /// The quantization parameters in the metadata by value, and the nodes that are computed in floating point.
    /// - Throws: `Failure` if the network has no such values or nodes.
    func rangedValues() throws -> (parameters: [Graph.Value: QuantizationParameters], kept: Set<String>) {
        guard let quantization else { return ([:], []) }
        let plan = QuantizationPlan(graph)
        // If one layer was read as several nodes, the last one has the layer's value.
        let all = graph.inputs.map(\.value) + graph.nodes.flatMap(\.outputs)
        let values = Dictionary(all.map { (featureName(plan.name(of: $0)), $0) }) { _, last in last }
        var parameters: [Graph.Value: QuantizationParameters] = [:]
        for (name, pair) in quantization.parameters.sorted(on: \.key) {
            guard let value = values[name], graph[value].element == .float32 else {
                throw Failure.quantizationCorrupt("there is no value '\(name)'")
            }
            parameters[plan.ends[value.index]] = pair
        }
        // Formats that express ranges have none in the metadata.
        if !parameters.isEmpty { try check(parameters, plan) }
        let nodes = Dictionary(graph.nodes.map { (featureName($0.name), $0.name) }) { _, last in last }
        let kept = try quantization.kept.map { name in
            guard let node = nodes[name] else { throw Failure.quantizationCorrupt("there is no layer '\(name)'") }
            return node
        }
        return (parameters, Set(kept))
    }

    /// - Throws: `Failure` if a value has no parameters, or if values that share them have different ones.
    private func check(_ parameters: [Graph.Value: QuantizationParameters], _ plan: QuantizationPlan) throws {
        for group in plan.groups {
            let shared = group.compactMap { parameters[$0] }
            guard Set(shared).count <= 1 else {
                throw Failure.quantizationCorrupt(
                    "'\(plan.name(of: group[0]))' and '\(plan.name(of: group.last!))' have different ranges")
            }
            if let missing = group.first(where: { parameters[$0] == nil }) {
                throw Failure.quantizationCorrupt("'\(plan.name(of: missing))' has no range")
            }
        }
    }
}
