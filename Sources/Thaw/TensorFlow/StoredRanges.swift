extension GraphDefinition {
    /// The graph with the stored ranges of fake quantization.
    ///
    /// Quantization-aware training updates a range in each step, and quantizes with the value that the update returns
    /// (tensorflow/contrib/quantize/python/quant_ops.py). At inference, the variable's value is used.
    func withStoredRanges() -> GraphDefinition {
        guard nodes.contains(where: { Self.fakeQuantizing.contains($0.op) }) else { return self }
        var updated: [String: String] = [:]
        for node in nodes where node.has(.update) {
            if let variable = node.data.first { updated[node.name] = variable }
        }
        var result = self
        for index in nodes.indices where Self.fakeQuantizing.contains(nodes[index].op) {
            result.nodes[index].inputs = nodes[index].inputs.map { input in
                input.hasPrefix("^") ? input : updated[GraphIndex.Reference(input).node] ?? input
            }
        }
        return result
    }

    private static let fakeQuantizing = Set(FakeQuantize.tensorFlow.flatMap(\.ops))
}
