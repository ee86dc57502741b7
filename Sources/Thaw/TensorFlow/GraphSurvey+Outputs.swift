extension GraphSurvey {
    /// The detected outputs: nodes without consumers that depend on the image but not on labels. Nodes that only train, save,
    /// report or compare with labels do not count.
    func outputs() throws -> [String] { try outputs(TruthSearch(self).truths(fed: [])) }

    private func outputs(_ truths: Set<Reference>) throws -> [String] {
        let search = try OutputSearch(self)
        let outputs = search.outputs(truths)
        return outputs.isEmpty && !truths.isEmpty ? search.outputs([]) : outputs
    }

    /// The detected output, if there is only one, and whether the graph contains more than the network: an optimizer, or what
    /// losses and metrics need.
    ///
    /// - Parameter fed: Placeholders that get arrays, and therefore are not labels.
    /// - Throws: `Failure` if there is none, or if there are several.
    func onlyOutput(fed: Set<String>) throws -> (name: String, isForTraining: Bool) {
        let truths = try TruthSearch(self).truths(fed: fed)
        var outputs = try outputs(truths)
        // Quantized values for an operation that another optimizer step removed are not results.
        let answers = outputs.filter { node($0).flatMap { UnsupportedKind($0.op) } != .quantized }
        if answers.count == 1 { outputs = answers }
        guard outputs.count == 1 else {
            throw outputs.isEmpty ? Failure.noOutput() : Failure.severalOutputs(outputs)
        }
        return (outputs[0], !truths.isEmpty || contains(.optimizer))
    }

    /// The names of the nodes whose values, not only their sizes, depend on these.
    func nodesComputed(from inputs: Set<String>) throws -> Set<String> {
        var found = inputs
        for index in try order(from: nodes.map(\.name)) where !nodes[index].has(.size) {
            if data[index].contains(where: { found.contains($0.node) }) { found.insert(nodes[index].name) }
        }
        return found
    }

    /// Whether a node is a mean or a sum over the images of a batch.
    func reducesBatch(_ node: NodeDefinition) -> Bool {
        guard node.has(.total), node.data.count == 2 else { return false }
        let axes = producer(of: node.data[1])
        // A reduction over all axes has a range that depends on the rank.
        guard axes?.has(.constant) ?? false else { return axes?.has(.range) ?? false }
        return axes?.constant?.integers.contains(0) ?? false
    }
}

extension NodeDefinition {
    /// Whether a node only trains, evaluates, saves or reports, according to its operation or its name scope.
    var onlyTrains: Bool { has(.leftover) || isInTrainingScope }

    /// Whether a node is in a scope of gradients or assertions.
    var isInTrainingScope: Bool {
        name.utf8.split(separator: UInt8(ascii: "/")).contains { part in
            part.starts(with: "gradients".utf8) || part.starts(with: "assert_".utf8)
        }
    }

    /// The width and height that a placeholder declares for an image.
    var imageSize: ImageSize? {
        guard let sizes = declaredShape(0), sizes.count >= 3 else { return nil }
        let (height, width) = (sizes[sizes.count - 3], sizes[sizes.count - 2])
        return height > 0 && width > 0 ? ImageSize(width: width, height: height) : nil
    }
}
