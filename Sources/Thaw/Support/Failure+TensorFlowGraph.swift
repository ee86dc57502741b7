/// What is said of a TensorFlow graph as a whole: its names, its inputs and outputs, what in it cannot be converted.
extension Failure {
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

    // MARK: The input

    static func inputNotNumeric(_ node: String, _ op: String, _ type: String) -> Failure {
        refused(
            node, op, "the input is of type \(type)",
            "an image is expected; --input NODE names a node behind the decoding", code: .wrongType)
    }

    static func inputNotImage(_ node: String, _ op: String, _ shape: some CustomStringConvertible) -> Failure {
        refused(node, op, "the input has shape \(shape)", "an image of 1 or 3 channels is expected", code: .wrongShape)
    }

    static func inputTooLarge(_ node: String, _ op: String, _ shape: some CustomStringConvertible) -> Failure {
        refused(node, op, "the input of shape \(shape) is too large", code: .limitExceeded)
    }

    static func inputEmpty(_ name: String, _ shape: some CustomStringConvertible) -> Failure {
        Failure(
            .wrongShape, place: name, "the input of shape \(shape) has no elements",
            remedy: "a model needs an input of at least one"
        )
    }

    static func sizeUnknown(_ node: String, _ op: String) -> Failure {
        var failure = refused(
            node, op, "the size of the input is not known", "give it with --size WxH", code: .unknownSize)
        failure.hint =
            "--size 224x224 is what most classifiers take; thaw apply gives each picture its own size"
        return failure
    }

    /// - Parameters:
    ///   - sizes: Those that a layer takes, in rising order.
    ///   - likely: The one among them that networks are made for most often.
    static func severalSizes(_ node: String, _ op: String, _ sizes: [String], _ likely: String, layer: String)
        -> Failure
    {
        var failure = refused(
            node, op, "the size of the input is not known: \(listedSizes(sizes)) fit \(layer)",
            "give it with --size WxH", code: .unknownSize)
        failure.names = sizes
        failure.hint = "--size \(likely) is the most likely one"
        return failure
    }

    /// A note on the size that was found.
    static func sizeFound(_ size: String, _ channels: Int?, layer: String) -> String {
        "the image has \(size) pixels"
            + (channels.map { " and \($0) channel\($0 == 1 ? "" : "s")" } ?? "") + ", as nothing else fits \(layer)"
    }

    /// A hint at other sizes than the one that was given.
    static func sizesFit(_ sizes: [String], layer: String) -> String {
        "\(layer) takes images of \(listedSizes(sizes)) pixels: give --size so"
    }

    static func sizeWorks(_ size: String) -> String { "the graph takes other sizes: --size \(size) converts" }

    private static func listedSizes(_ sizes: [String]) -> String {
        guard sizes.count > 6 else { return sizes.joined(separator: ", ") }
        return "\(sizes[0]) to \(sizes[sizes.count - 1])"
    }

    static func sizeDiffers(
        _ node: String, _ op: String, _ width: Int, _ height: Int, _ fixedWidth: Int?, _ fixedHeight: Int?
    ) -> Failure {
        let fixed = [fixedWidth, fixedHeight].map { $0.map(String.init) ?? "?" }.joined(separator: "x")
        return refused(
            node, op, "--size \(width)x\(height) differs from the graph's \(fixed)", "leave --size out",
            code: .wrongSize)
    }

    static func colorDiffers(_ node: String, _ op: String, _ color: String, _ channels: Int) -> Failure {
        refused(
            node, op, "--color \(color) does not fit an input of \(channels) channel\(channels == 1 ? "" : "s")",
            code: .invalidOption)
    }

    static func rowDiffers(_ node: String, _ op: String, _ count: Int, _ shape: some CustomStringConvertible) -> Failure
    {
        refused(node, op, "a row of \(count) values is no image of shape \(shape)", code: .wrongShape)
    }

    static func needsBatch(_ batch: Int) -> Failure {
        Failure(
            .unsupportedModel, "the batch is fixed at \(batch), and this node needs all of it",
            remedy: "freeze the graph with a batch of 1, or of unknown size")
    }

    /// The first names, and how many more there are.
    static func listed(_ names: [String], quoted: Bool = true) -> String {
        let shown = names.prefix(12).map { quoted ? "'\($0)'" : $0 }.joined(separator: ", ")
        return names.count > 12 ? shown + " and \(names.count - 12) more" : shown
    }
}

// MARK: Functions

extension Failure {
    static func noSuchFunction(_ name: String) -> Failure {
        Failure(
            .invalidModel, "calls the function '\(name)', which is not in the graph's library",
            remedy: "freeze the graph again")
    }

    static func recursiveFunction(_ name: String) -> Failure {
        Failure(
            .invalidModel, "the function '\(name)' calls itself",
            remedy: "control flow must be fixed when the graph is frozen")
    }

    static func functionsTooDeep(_ limit: Int) -> Failure {
        Failure(.invalidModel, "functions call each other more than \(limit) deep")
    }

    static func functionsTooLarge() -> Failure {
        Failure(
            .invalidModel, "the functions come to more nodes than any network has",
            remedy: "the file is damaged, or made to do harm")
    }

    static func argumentCount(_ name: String, _ count: Int, _ expected: Int) -> Failure {
        Failure(.invalidModel, "gives \(count) arguments to the function '\(name)'", remedy: "it takes \(expected)")
    }

    static func missingInFunction(_ name: String, _ input: String) -> Failure {
        Failure(
            .invalidModel, "the function '\(name)' reads '\(input)', which is not in it", remedy: "the file is damaged")
    }

    static func needsTooMany(_ node: String, _ limit: Int) -> Failure {
        Failure(.limitExceeded, place: node, "depends on more than \(limit) nodes")
    }
}

// MARK: Placeholders that are set

extension Failure {
    static func noSuchPlaceholder(_ name: String, _ names: [String]) -> Failure {
        Failure(
            .noSuchNode, "--set: there is no placeholder '\(name)'",
            remedy: names.isEmpty ? "the graph has none" : "there are \(listed(names))", names: [name])
    }

    static func setTwice(_ name: String) -> Failure { Failure(.invalidOption, "--set: '\(name)' is given twice") }

    static func settingType(_ name: String, _ value: String, _ expected: String) -> Failure {
        Failure(.invalidOption, "--set \(name): '\(value)' will not do", remedy: "the placeholder takes \(expected)")
    }

    static func settingShape(_ name: String, _ count: Int, _ shape: some CustomStringConvertible) -> Failure {
        Failure(.invalidOption, "--set \(name): \(count) value\(count == 1 ? "" : "s") for an array of shape \(shape)")
    }
}
