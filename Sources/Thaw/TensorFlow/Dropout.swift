/// Finds dropout that a graph was frozen with. At inference nothing is dropped: what is multiplied by a random mask is
/// handed on as it was before it was scaled for the mask.
struct Dropout {
    private let survey: GraphSurvey

    /// The nodes, those that multiply by a mask being identities of the input that inference uses in their place.
    /// - Throws: `Failure` for two nodes of one name.
    static func removed(from nodes: [NodeDefinition]) throws -> [NodeDefinition] {
        guard nodes.contains(where: { $0.op == "RandomUniform" }) else { return nodes }
        let dropout = Dropout(survey: try GraphSurvey(nodes))
        return nodes.map { node in
            guard node.op == "Mul", node.inputs.count >= 2 else { return node }
            for (value, mask) in [(0, 1), (1, 0)] where dropout.isMask(node.inputs[mask]) {
                return NodeDefinition(name: node.name, op: "Identity", inputs: [dropout.unscaled(node.inputs[value])])
            }
            return node
        }
    }

    /// Whether `input` is a mask of zeros and ones drawn at random: floor(keep + random), or random ≥ rate as a number.
    private func isMask(_ input: String) -> Bool {
        guard let node = node(input) else { return false }
        switch node.op {
        case "Floor": return self.node(node.inputs.first)?.op.hasPrefix("Add") == true && isRandom(node.inputs[0])
        case "Cast":
            return ["GreaterEqual", "Greater", "Less", "LessEqual"].contains(self.node(node.inputs.first)?.op)
                && isRandom(node.inputs[0])
        case "Identity": return node.inputs.first.map(isMask) ?? false
        default: return false
        }
    }

    /// Whether `input` is a random number or a sum, product or comparison of one.
    private func isRandom(_ input: String, depth: Int = 0) -> Bool {
        guard let node = node(input), depth < 8 else { return false }
        if node.op == "RandomUniform" { return true }
        guard
            ["Add", "AddV2", "Mul", "Sub", "GreaterEqual", "Greater", "Less", "LessEqual", "Identity"].contains(node.op)
        else { return false }
        return node.inputs.contains { isRandom($0, depth: depth + 1) }
    }

    /// The value before it was divided by the probability to keep it.
    private func unscaled(_ input: String) -> String {
        guard let node = node(input), ["RealDiv", "Div", "Mul"].contains(node.op), node.inputs.count >= 2 else {
            return input
        }
        let constants = node.inputs.prefix(2).map { isConstant($0) }
        if constants[1] { return node.inputs[0] }
        return node.op == "Mul" && constants[0] ? node.inputs[1] : input
    }

    /// Whether `input` is a number that the graph fixes: the probability to keep a value.
    private func isConstant(_ input: String, depth: Int = 0) -> Bool {
        guard let node = node(input), depth < 8 else { return false }
        if ["Const", "PlaceholderWithDefault"].contains(node.op) { return true }
        return ["Identity", "Sub", "RealDiv"].contains(node.op)
            && node.inputs.allSatisfy { isConstant($0, depth: depth + 1) }
    }

    private func node(_ input: String?) -> NodeDefinition? {
        input.flatMap { survey.node(GraphSurvey.Reference($0).node) }
    }
}
