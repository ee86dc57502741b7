/// Graphs of several inputs that become a model of several: two images that are compared, an image and a mask, an image and a
/// vector.
enum SeveralInputs {
    /// The inputs, each found in the graph that the previous one returned.
    ///
    /// - Returns: nil for a graph of one input, if the user names one, and if the shape of any is unknown. Scalars must be
    ///   set.
    /// - Throws: `Failure` for options for an unknown input.
    static func find(_ flat: FlatGraph, _ options: ImportOptions) throws -> [InputNode]? {
        guard options.input == nil else { return nil }
        let candidates = try InputNode.candidates(flat.graph, flat.names)
        guard candidates.count > 1 else { return nil }
        let nodes = candidates.map { flat.graph.node($0.node)! }
        guard nodes.allSatisfy({ takesArray($0, options) }) else { return nil }
        var graph = flat.graph
        var inputs: [InputNode] = []
        for node in nodes {
            let input = try InputNode(
                graph, outputs: flat.names, given: node.name, size: options.forInput(node.name).size)
            graph = input.graph
            inputs.append(input)
        }
        return inputs
    }

    /// Whether a placeholder is numeric and all its sizes are known, except the batch size and the sizes of images.
    private static func takesArray(_ node: NodeDefinition, _ options: ImportOptions) -> Bool {
        guard node.has(.placeholder), (node.dataType ?? .float).element != nil,
            let shape = node.shapeAttribute, !shape.isEmpty
        else { return false }
        if options.forInput(node.name).shape != nil { return true }
        if shape.count >= 3, options.forInput(node.name).size != nil || options.openSize != nil {
            return true
        }
        return !shape.dropFirst(shape.count == 3 ? 0 : 1).contains { $0 < 0 }
    }
}
