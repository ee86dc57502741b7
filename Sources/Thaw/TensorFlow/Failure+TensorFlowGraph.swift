/// A TensorFlow graph as a whole: its names, its outputs, and what cannot be converted.
extension Failure {
    static func missingOutput(_ node: String, _ op: String, _ reference: String) -> Failure {
        refused(node, op, "reads '\(reference)', which is not computed", code: .invalidModel)
    }

    static func positionsOfLargest(_ node: String, _ op: String, _ pooling: String) -> Failure {
        refused(
            node, op, "reads the positions of the largest values, which MaxPoolWithArgmax '\(pooling)' gives",
            "only the values themselves are supported")
    }

    static func quantizedOutput(_ node: String, _ op: String) -> Failure {
        refused(node, op, "gives quantized numbers", "name the Dequantize behind it with --output")
    }

    static func nodeStandsTwice(_ name: String) -> Failure {
        Failure(.invalidModel, place: name, "two nodes have this name")
    }

    static func noSuchNode(_ name: String, _ option: String, nearest: String?) -> Failure {
        Failure(
            .noSuchNode, "\(option): there is no node '\(name)'", hint: nearest.map { "did you mean '\($0)'?" },
            names: [name])
    }

    static func readsMissingNode(_ node: String, _ op: String, _ missing: String) -> Failure {
        refused(
            node, op, "reads '\(missing)', which is not in the graph", "the graph may be truncated or badly cut",
            code: .invalidModel)
    }

    static func circle(_ node: String, _ op: String) -> Failure {
        refused(node, op, "the node depends on its own result", "loops are not supported")
    }

    static func noOutput() -> Failure {
        Failure(
            .noOutput, "no node depends on a placeholder and is read by nobody",
            remedy: "name the output with --output NODE")
    }

    static func outputTwice(_ name: String) -> Failure {
        Failure(.invalidOption, "--output names '\(name)' twice", remedy: "leave one of them out")
    }

    static func severalOutputs(_ names: [String]) -> Failure {
        Failure(
            .ambiguousOutputs, "the graph has \(names.count) possible outputs: " + listed(names),
            remedy: "say which one is meant",
            hint: "--output \(names.last!)", names: names)
    }

    static func noInput(_ outputs: [String]) -> Failure {
        Failure(
            .noInput, "the graph has no placeholder that '\(outputs.joined(separator: "', '"))' depends on",
            remedy: "name the node that the image takes the place of with --input NODE")
    }

    /// - Parameter settable: Those among them that `--set` takes.
    static func severalInputs(_ names: [String], settable: Set<String>) -> Failure {
        let others = names.dropFirst().filter(settable.contains)
        return Failure(
            .ambiguousInputs, "the graph has \(names.count) inputs: " + listed(names),
            remedy: "say which one is the image, and what the others are",
            hint: (["--input \(names[0])"] + others.prefix(4).map { "--set \($0)=VALUE" }).joined(separator: " "),
            names: names)
    }

    static func switchesOpen(_ names: [String]) -> Failure {
        Failure(
            .unsetPlaceholders,
            "nothing tells whether \(names.count == 1 ? "the placeholder" : "the placeholders") \(listed(names)) "
                + "\(names.count == 1 ? "is" : "are") true or false at inference",
            remedy: "say it with "
                + names.prefix(4).map { "--set \($0)=true or --set \($0)=false" }.joined(separator: ", "),
            names: names)
    }

    static func outputIndependentOfInput(_ outputs: [String], _ input: String?, others: [String] = []) -> Failure {
        Failure(
            .noInput,
            "the output '\(outputs.joined(separator: "', '"))' does not depend on the input"
                + (input.map { " '\($0)'" } ?? ""),
            hint: others.isEmpty ? nil : others.map { "--output \($0)" }.joined(separator: " "))
    }

    /// - Parameter front: The node whose numbers the output chooses the largest of.
    static func choiceHint(_ output: String, _ front: String) -> String {
        "the output '\(output)' is the number of the best class; --output \(front) gives a number for each class"
    }

    static func outputNotComputed(_ node: String, _ index: Int) -> Failure {
        Failure(.noSuchNode, "the output '\(node):\(index)' is not computed", remedy: "name another with --output")
    }

    /// A note on dropout that was replaced.
    static func dropout(_ nodes: [String]) -> String {
        "the graph drops values at random at \(listed(nodes)): at inference nothing is dropped, so "
            + (nodes.count == 1 ? "this dropout does nothing" : "these dropouts do nothing")
    }

    static func dataDependent(_ node: String, _ op: String) -> Failure {
        refused(
            node, op, "which way it goes depends on the input", "control flow must be fixed when the graph is frozen")
    }

    /// All operations that are not supported, each with what it is and the nodes that need it, and the nodes that are refused
    /// although their operation is supported.
    static func unsupported(
        _ groups: [(op: String, kind: String?, names: [String])], _ failures: [Failure], hint: String?
    ) -> Failure {
        let lines = groups.map { group in
            "\n  \(group.op)" + (group.kind.map { " (\($0))" } ?? "") + ": " + listed(group.names, quoted: false)
        }
        let others =
            failures.isEmpty ? "" : "\nand these nodes cannot be converted:" + failures.map { "\n  \($0)" }.joined()
        return Failure(
            .unsupportedOperations,
            "\(groups.count) operation\(groups.count == 1 ? " is" : "s are") not supported:" + lines.joined() + others,
            hint: hint,
            nodes: groups.flatMap { group in group.names.map { Node(name: $0, op: group.op) } } + nodes(failures))
    }

    /// - Parameter words: The options that cut a graph so that it converts.
    static func cutHint(_ words: String) -> String { "\(words) converts the rest of the graph" }

    static let variablesHint = "give the SavedModel or the checkpoint that holds the variables, or freeze the graph"

    static func severalRefusals(_ failures: [Failure]) -> Failure {
        // Of one kind, they are a failure of that kind.
        Failure(
            Set(failures.map(\.code)).count == 1 ? failures[0].code : .unsupportedOperations,
            "\(failures.count) nodes cannot be converted:" + failures.map { "\n  \($0)" }.joined(),
            nodes: nodes(failures), names: failures.flatMap(\.names))
    }

    /// The nodes of several failures, each once.
    private static func nodes(_ failures: [Failure]) -> [Node] {
        var seen: Set<Node> = []
        return failures.flatMap(\.nodes).filter { seen.insert($0).inserted }
    }

    /// The first names, and how many more there are.
    static func listed(_ names: [String], quoted: Bool = true) -> String {
        let shown = names.prefix(12).map { quoted ? "'\($0)'" : $0 }.joined(separator: ", ")
        return names.count > 12 ? shown + " and \(names.count - 12) more" : shown
    }
}
