/// A TensorFlow graph as a whole: its names, its outputs, and the nodes that cannot be converted.
extension Failure {
    static func missingOutput(_ node: String, _ op: String, _ reference: String) -> Failure {
        refused(node, op, "reads '\(reference)', which is not computed", code: .invalidModel)
    }

    static func argMaxUnsupported(_ node: String, _ op: String, _ pooling: String) -> Failure {
        refused(
            node, op, "reads the indices of the maxima from MaxPoolWithArgmax '\(pooling)'",
            "only the maxima themselves are supported")
    }

    static func quantizedOutput(_ node: String, _ op: String) -> Failure {
        refused(node, op, "returns quantized values", "select the Dequantize after it with \(option: .outputs)")
    }

    static func duplicateNode(_ name: String) -> Failure {
        Failure(.invalidModel, location: name, "two nodes have this name")
    }

    static func noSuchNode(_ name: String, _ option: OptionName, nearest: String?) -> Failure {
        Failure(
            .noSuchNode, "\(option: option): there is no node '\(name)'", hint: nearest.map { "did you mean '\($0)'?" },
            names: [name])
    }

    static func readsMissingNode(_ node: String, _ op: String, _ missing: String) -> Failure {
        refused(
            node, op, "reads '\(missing)', which is not in the graph", "the graph may be incomplete",
            code: .invalidModel)
    }

    static func cycle(_ node: String, _ op: String) -> Failure {
        refused(node, op, "the node depends on its own result", "loops are not supported")
    }

    static func noOutput() -> Failure {
        Failure(
            .noOutput, "no output found: every node that depends on a placeholder has a consumer",
            remedy: "select the output with \(option: .outputs) NODE")
    }

    static func outputTwice(_ name: String) -> Failure {
        Failure(.invalidOption, "\(option: .outputs) names '\(name)' twice", remedy: "omit one of them")
    }

    static func severalOutputs(_ names: [String]) -> Failure {
        Failure(
            .ambiguousOutputs, "the graph has \(names.count) possible outputs: \(listed(names))",
            remedy: "select one or more",
            hint: "\(option: .outputs) \(names.last!)", names: names)
    }

    static func noInput(_ outputs: [String]) -> Failure {
        Failure(
            .noInput, "none of the graph's placeholders is needed by \(outputs.quotedList())",
            remedy: "select the node that the image replaces with \(option: .input) NODE")
    }

    /// - Parameters:
    ///   - settable: The inputs that `placeholderValues` can set.
    ///   - haveOpenSizes: Whether several are images, which convert together once their size is known.
    static func severalInputs(_ names: [String], settable: Set<String>, haveOpenSizes: Bool) -> Failure {
        let others = names.dropFirst().filter(settable.contains)
        return Failure(
            .ambiguousInputs, "the graph has \(names.count) inputs: \(listed(names))",
            remedy: "select the image, and set the others",
            hint: ((haveOpenSizes ? ["\(option: .size) WxH keeps all of them; for one alone,"] : [])
                + ["\(option: .input) \(names[0])"]
                + others.prefix(4).map { "\(option: .placeholderValues) \($0)=VALUE" }).joined(separator: " "),
            names: names)
    }

    static func booleansUnset(_ names: [String]) -> Failure {
        let isOne = names.count == 1
        let values: [Phrase] = names.prefix(4).map {
            "\(option: .placeholderValues) \($0)=true or \(option: .placeholderValues) \($0)=false"
        }
        return Failure(
            .unsetPlaceholders,
            isOne
                ? "the value of the placeholder \(listed(names)) at inference is unknown"
                : "the values of the placeholders \(listed(names)) at inference are unknown",
            remedy: "set \(isOne ? "it" : "them") with \(values.joined(separator: ", "))",
            names: names)
    }

    static func outputIndependentOfInput(_ outputs: [String], _ input: String?, others: [String] = []) -> Failure {
        let input = "the input" + (input.map { " '\($0)'" } ?? "")
        return Failure(
            .noInput,
            outputs.count == 1
                ? "the output \(outputs.quotedList()) does not depend on \(input)"
                : "the outputs \(outputs.quotedList()) do not depend on \(input)",
            hint: others.isEmpty ? nil : others.map { "\(option: .outputs) \($0)" }.joined(separator: " "))
    }

    /// - Parameters:
    ///   - isIndex: Whether the output consists of indices, not of the highest scores.
    ///   - front: The node before the ArgMax or TopK.
    static func choiceHint(_ output: String, isIndex: Bool, _ front: String) -> Phrase {
        let what = isIndex ? "is the index of the top class" : "has only the highest scores"
        return "the output '\(output)' \(what); \(option: .outputs) \(front) returns the score of each class"
    }

    static func outputNotComputed(_ node: String, _ index: Int) -> Failure {
        Failure(
            .noSuchNode, "the output '\(node):\(index)' is not computed",
            remedy: "select another with \(option: .outputs)", names: ["\(node):\(index)"])
    }

    static func dataDependent(_ node: String, _ op: String) -> Failure {
        refused(
            node, op, "its branch depends on the input", "control flow must be fixed when the graph is frozen")
    }

    /// All unsupported operations, each with its kind and its nodes, and the nodes that are refused although their
    /// operation is supported.
    static func unsupported(
        _ groups: [(op: String, kind: String?, names: [String])], _ failures: [Failure], hint: Phrase?
    ) -> Failure {
        let operations: [Phrase] = groups.map { group in
            "\n  \(group.op)\(group.kind.map { " (\($0))" } ?? ""): \(group.names.listed())"
        }
        let others: Phrase = failures.isEmpty ? "" : "\nand these nodes cannot be converted:\(lines(failures))"
        return Failure(
            .unsupportedOperations,
            "\(groups.count) operation\(groups.count == 1 ? " is" : "s are") not supported:\(operations.joined())\(others)",
            hint: hint,
            nodes: groups.flatMap { group in group.names.map { Node(name: $0, op: group.op) } } + nodes(failures))
    }

    /// - Parameter optionsText: The options of a cut with which the graph converts.
    static func cutHint(_ optionsText: Phrase) -> Phrase { "\(optionsText) converts the rest of the graph" }

    static let variablesHint: Phrase = "use the SavedModel or the checkpoint with the variables, or freeze the graph"

    static func severalRefusals(_ failures: [Failure]) -> Failure {
        // If all of them have the same code, this failure has it too.
        Failure(
            Set(failures.map(\.code)).count == 1 ? failures[0].code : .unsupportedOperations,
            "\(failures.count) nodes cannot be converted:\(lines(failures))",
            nodes: nodes(failures), names: failures.flatMap(\.names))
    }

    private static func lines(_ failures: [Failure]) -> Phrase { failures.map { "\n  \($0)" }.joined() }

    /// The nodes of several failures, each once.
    private static func nodes(_ failures: [Failure]) -> [Node] { failures.flatMap(\.nodes).unique }

    /// The first names in quotes, and how many more there are.
    static func listed(_ names: [String], atMost limit: Int = 12) -> String {
        names.map { "'\($0)'" }.listed(atMost: limit)
    }
}

/// Notes on inferred and assumed properties of a graph.
extension Note {
    static func placeholderAssumed(_ name: String, _ value: Bool) -> Note {
        Note(
            .placeholderAssumed,
            "the placeholder '\(name)' is \(value), as at inference; \(option: .placeholderValues) \(name)=\(!value) overrides this"
        )
    }

    static func dropoutRemoved(_ nodes: [String]) -> Note {
        Note(
            .dropoutRemoved,
            "dropout at \(Failure.listed(nodes)) was removed, because it has no effect at inference")
    }

    static func batchCombined(_ node: String) -> Note {
        Note(.batchCombined, "'\(node)' combines the images of a batch; the model takes them one at a time")
    }
}
