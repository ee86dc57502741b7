/// Graphs of one input, whose size may be inferred, and which may be convertible in part.
extension Importer {
    /// - Throws: `Failure` for nodes that cannot be converted, with the size or the cut that would help if there is one.
    static func runWithOneInput(_ flat: FlatGraph, _ options: ImportOptions) throws -> Result {
        let input = try InputNode(flat.graph, outputs: flat.names, given: options.input, size: options.size)
        let options = options.forInput(input.name)
        let known = try withOpenSize(flat, input, options)
        do {
            var result = try run(flat, flat.outputs, [input], known.options)
            result.notes.insert(contentsOf: known.notes, at: 0)
            return result
        } catch let unsupported as UnsupportedNodes {
            throw try failure(unsupported, flat, input, given: options, known: known.options)
        }
    }

    /// The failure of a graph with nodes that cannot be converted.
    /// - Parameter known: The options with the size that the graph's layers determine.
    private static func failure(
        _ unsupported: UnsupportedNodes, _ flat: FlatGraph, _ input: InputNode, given options: ImportOptions,
        known: ImportOptions
    ) throws -> Failure {
        if unsupported.withoutRule.isEmpty, let hint = try sizeHint(flat, input, options) {
            var failure = unsupported.failure(hint: nil)
            failure.hint = hint
            return failure
        }
        let nodes = try input.graph.nodes(neededBy: flat.names)
        // A cut before or after them would leave most of the network out.
        if let trained = nodes.first(where: { unsupported.nodes.contains($0.name) && $0.isInTrainingMode }) {
            guard options.batchNorm == .inference else { return unsupported.failure(hint: nil) }
            return Failure.noNormalizationAverages(trained.name)
        }
        guard !unsupported.hasVariables else { return unsupported.failure(hint: nil) }
        let search = CutSearch(nodes, input: input.name, outputs: flat.names, refused: unsupported.nodes)
        let words = search.optionsText(input.graph.node(input.name)?.imageSize) { name, outputs, size in
            var cut = known
            cut.input = name ?? options.input
            cut.size = size ?? (name == nil ? known : options).size
            return try? weights(
                flat, outputs == flat.names ? flat.outputs : outputs.map { FlatGraph.Output($0) }, cut)
        }
        return unsupported.failure(hint: words)
    }

    /// The number of weights of the graph with this cut.
    private static func weights(_ flat: FlatGraph, _ outputs: [FlatGraph.Output], _ options: ImportOptions) throws
        -> Int
    {
        let input = try InputNode(
            flat.graph, outputs: outputs.map(\.reference.node), given: options.input, size: options.size)
        return try run(flat, outputs, [input], options).graph.parameterCount
    }
}
