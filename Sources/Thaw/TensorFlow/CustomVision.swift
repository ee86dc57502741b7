extension PreprocessingGuess {
    /// The guess for an imported graph: first by the signature of Custom Vision, then by the names of well-known
    /// families.
    init?(_ imported: Importer.Result, _ source: GraphDefinition) {
        if let guess = PreprocessingGuess(customVision: source.nodes, input: imported.graph) {
            self = guess
        } else {
            self.init(names: imported.nodeNames)
        }
    }

    /// The guess for an early export of Custom Vision; nil unless the graph has its complete signature.
    ///
    /// These exports expect the caller to subtract the means of Caffe's models, as integers. Later ones begin with a
    /// batch normalization, `data_bn`, that contains the means.
    private init?(customVision nodes: [NodeDefinition], input graph: Graph) {
        guard let input = graph.inputs.first, input.name == "Placeholder",
            graph[input.value].shape == [1, 227, 227, 3],
            nodes.contains(where: { $0.name == "loss" && ["Sigmoid", "Softmax"].contains($0.op) })
        else { return nil }
        func contains(_ scope: String) -> Bool {
            nodes.contains { $0.name == scope || $0.name.hasPrefix(scope + "/") }
        }
        let isSqueezeNet = nodes.contains { $0.name.hasPrefix("fire") && $0.name.contains("squeeze1x1") }
        guard isSqueezeNet, contains("fc"), !contains("data_bn") else { return nil }
        reason =
            "the signature of an early Custom Vision export (SqueezeNet without 'data_bn', 'Placeholder' of 227x227 "
            + "pixels, 'fc', 'loss'): BGR minus 104, 117, 123"
        color = .bgr
        scaling = PixelScaling(scale: [1, 1, 1], bias: [-104, -117, -123])
    }
}
