/// Graphs of several inputs that become a model of several: two images that are compared, an image and a mask, an image and a
/// row of numbers.
enum SeveralInputs {
    /// The inputs, each found in the graph that the one before it left.
    ///
    /// - Returns: nil for a graph of one input, where the user names one, and where it is not known of all what they take: a
    ///   number that chooses something is set.
    /// - Throws: `Failure` for what is said of an input that is not there.
    static func find(_ flat: FlatGraph, _ options: ImportOptions) throws -> [InputNode]? {
        guard options.input == nil else { return nil }
        let candidates = try InputNode.candidates(flat.survey, flat.names)
        guard candidates.count > 1 else { return nil }
        let nodes = candidates.map { flat.survey.node($0.node)! }
        guard nodes.allSatisfy({ takesArray($0, options) }) else { return nil }
        var survey = flat.survey
        var inputs: [InputNode] = []
        for node in nodes {
            let input = try InputNode(
                survey, outputs: flat.names, given: node.name, size: options.forInput(node.name).size)
            survey = try GraphSurvey(input.nodes)
            inputs.append(input)
        }
        return inputs
    }

    /// Whether a placeholder takes numbers along axes whose sizes are known, but for those of the batch and of images.
    private static func takesArray(_ node: NodeDefinition, _ options: ImportOptions) -> Bool {
        guard node.op == "Placeholder" || node.op == "PlaceholderV2", (node.dataType ?? .float).element != nil,
            let shape = node.shapeAttribute, !shape.isEmpty
        else { return false }
        if shape.count >= 3, options.forInput(node.name).size != nil || options.openSize != nil {
            return true
        }
        return !shape.dropFirst(shape.count == 3 ? 0 : 1).contains { $0 < 0 }
    }
}
