/// Nodes of a TensorFlow graph that cannot be converted, collected during the import and reported together.
struct UnsupportedNodes: Error {
    /// Nodes whose operation is not supported.
    private(set) var withoutRule: [(op: String, name: String)] = []
    /// The failures of nodes whose operation is supported, but not in this form.
    private(set) var failures: [Failure] = []
    /// The names of all of these nodes.
    private(set) var nodes: Set<String> = []

    var isEmpty: Bool { nodes.isEmpty }

    mutating func add(_ node: NodeDefinition) {
        withoutRule.append((node.op, node.name))
        nodes.insert(node.name)
    }

    mutating func add(_ failure: Failure, of node: NodeDefinition) {
        failures.append(failure)
        nodes.insert(node.name)
    }

    /// Whether the graph contains variables: then it is not frozen, and cutting does not help.
    var hasVariables: Bool { withoutRule.contains { UnsupportedKind($0.op) == .variable } }

    /// One failure for all of them.
    ///
    /// - Parameter hint: The options that convert a part of the graph, if there are any.
    func failure(hint: Phrase?) -> Failure {
        guard !withoutRule.isEmpty else {
            var failure = failures.count == 1 ? failures[0] : Failure.severalRefusals(failures)
            failure.hint = failure.hint ?? hint.map(Failure.cutHint)
            return failure
        }
        var groups: [(op: String, names: [String])] = []
        for node in withoutRule {
            if let index = groups.firstIndex(where: { $0.op == node.op }) {
                groups[index].names.append(node.name)
            } else {
                groups.append((node.op, [node.name]))
            }
        }
        var failure = Failure.unsupported(
            groups.map { ($0.op, UnsupportedKind($0.op)?.rawValue, $0.names) }, failures,
            hint: hasVariables ? Failure.variablesHint : hint.map(Failure.cutHint))
        if hasVariables { failure.code = .missingVariables }
        return failure
    }
}
