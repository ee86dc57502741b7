extension GraphIndex {
    /// The detected outputs: nodes without consumers that depend on the image but not on labels. Nodes that only train, save,
    /// report or compare with labels do not count.
    func outputs() throws -> [String] { try outputs(arrayInputs: []).names }

    /// The detected outputs, and the inputs with which they are only compared.
    private func outputs(arrayInputs: Set<String>) throws -> (names: [String], groundTruthInputs: Set<Reference>) {
        let graph = try TopologicalGraph(self)
        let groundTruthInputs = GroundTruthSearch(graph).groundTruthInputs(arrayInputs: arrayInputs)
        let search = OutputSearch(graph)
        let outputs = search.outputs(groundTruthInputs)
        return (outputs.isEmpty && !groundTruthInputs.isEmpty ? search.outputs([]) : outputs, groundTruthInputs)
    }

    /// The detected output, if there is only one, and whether the graph contains more than the network: an optimizer, or what
    /// losses and metrics need.
    ///
    /// - Parameter arrayInputs: Placeholders whose arrays the caller supplies, and which therefore are not labels.
    /// - Throws: `Failure` if there is none, or if there are several.
    func onlyOutput(arrayInputs: Set<String>) throws -> (name: String, isForTraining: Bool) {
        var (outputs, groundTruthInputs) = try outputs(arrayInputs: arrayInputs)
        // Quantized values for an operation that another optimizer step removed are not results.
        let candidates = outputs.filter { node($0).flatMap { UnsupportedKind($0.op) } != .quantized }
        if candidates.count == 1 { outputs = candidates }
        guard outputs.count == 1 else {
            throw outputs.isEmpty ? Failure.noOutput() : Failure.severalOutputs(outputs)
        }
        return (outputs[0], !groundTruthInputs.isEmpty || contains(.optimizer))
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
