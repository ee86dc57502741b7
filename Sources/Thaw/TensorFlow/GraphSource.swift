/// A frozen TensorFlow graph, read from a frozen graph's file, a SavedModel or a checkpoint.
struct GraphSource {
    let definition: GraphDefinition
    /// The index of its nodes, which every conversion of the graph begins with.
    let index: GraphIndex
    /// The signature with its inputs and outputs.
    let signature: MetaGraph.Signature?
    /// The outputs given by the user or the signature, or detected; empty if they have not been detected yet.
    let outputs: [String]
    /// Whether the outputs were detected, in a graph that was made for training.
    let isForTraining: Bool
    /// A note on moving averages of its variables; nil if there are none.
    private(set) var noteOnAverages: Note?

    /// The graph with its variables; nil for a frozen graph.
    static func live(_ path: String, _ format: ModelFormat, tag: String?, isMapped: Bool = true) throws -> LiveGraph? {
        switch format {
        case .checkpoint: try LiveGraph(checkpoint: path, isMapped: isMapped)
        case .savedModel: try LiveGraph(savedModel: path, tag: tag, isMapped: isMapped)
        case .frozenGraph, .coreML, .coreMLPackage: nil
        }
    }

    /// - Throws: `Failure` for two nodes with the same name.
    init(
        definition: GraphDefinition, signature: MetaGraph.Signature? = nil, outputs: [String],
        isForTraining: Bool = false
    ) throws {
        let definition = definition.withStoredRanges()
        index = try GraphIndex(definition.nodes)
        (self.definition, self.signature, self.outputs) = (definition, signature, outputs)
        self.isForTraining = isForTraining
    }

    /// The graph with its variables replaced by their values. Its outputs are detected if none are given, because only
    /// the variables that they need must have values.
    ///
    /// - Parameters:
    ///   - arrayInputs: Placeholders whose arrays the caller supplies.
    ///   - keys: The keys of variables in a checkpoint, by the variable's node, if they are certain.
    ///   - file: The file that the values come from, for error messages.
    ///   - hasValue: Whether there is a variable with this key or name.
    ///   - usesAverages: Whether moving averages of variables replace their values.
    ///   - value: The value of a variable by its key or name, or of a part of it; nil if there is none.
    /// - Throws: `Failure` naming the node and the variable if one is missing or has another shape or type.
    init(
        freezing graph: GraphDefinition, signature: MetaGraph.Signature? = nil, outputs: [String],
        arrayInputs: Set<String>,
        keys: [String: String] = [:], file: String?, usesAverages: Bool, hasValue: (String) -> Bool,
        value: (String, [Range<Int>]?) throws -> Tensor?
    ) throws {
        let graph = graph.withStoredRanges()
        let live = try GraphIndex(graph.nodes)
        let found = try outputs.isEmpty ? live.onlyOutput(arrayInputs: arrayInputs) : nil
        let outputs = found.map { [$0.name] } ?? outputs
        var averaged: Set<String> = []
        let frozen = try VariableFreezing.frozen(graph, live, outputs: outputs, keys: keys, source: file) { key, part in
            // The name that TensorFlow's ExponentialMovingAverage gives.
            let average = key + "/ExponentialMovingAverage"
            guard hasValue(average) else { return try value(key, part) }
            averaged.insert(key)
            return try value(usesAverages ? average : key, part)
        }
        if usesAverages, averaged.isEmpty { throw Failure.noVariableAverages() }
        try self.init(
            definition: frozen, signature: signature, outputs: outputs, isForTraining: found?.isForTraining ?? false)
        if !averaged.isEmpty { noteOnAverages = .variableAverages(averaged.count, areUsed: usesAverages) }
    }

    /// - Throws: `Failure` naming the file at fault.
    init(_ path: String, _ options: ImportOptions, tag: String?, signature name: String?) throws {
        // A file that is not a graph at all is refused when it is read as a frozen graph.
        let isMapped = options.mapsFiles
        let kind = try naming(file: path) { try FileKind.at(path, isMapped: isMapped) }
        let format = ModelFormat(kind, path) ?? .frozenGraph
        try naming(file: path) { try GraphSource.check(options, tag: tag, signature: name, for: format) }
        guard let live = try GraphSource.live(path, format, tag: tag, isMapped: isMapped) else {
            let definition = try GraphDefinition(contentsOfFile: path, kind: kind, isMapped: isMapped)
            self = try naming(file: path) { try GraphSource(definition: definition, outputs: []) }
            return
        }
        let (graph, variables) = (live.meta.graph, live.variables)
        self = try naming(file: path) {
            let given = format == .savedModel ? try live.signature(name) : nil
            let signature = try given?.selecting(options.outputs, in: graph)
            let outputs = signature?.outputs.map(\.tensor) ?? options.outputs
            if outputs.isEmpty, format == .savedModel, !graph.takesNumbers { throw Failure.noSignature() }
            let objects = try variables.map(ObjectGraph.init)
            return try GraphSource(
                freezing: graph, signature: signature, outputs: outputs, arrayInputs: options.arrayInputs,
                keys: objects?.keys(in: graph, live.meta.captures) ?? [:],
                file: variables?.index ?? path, usesAverages: options.usesMovingAverages,
                hasValue: { variables?.contains($0) ?? false },
                value: { key, part in
                    guard let variables else { return nil }
                    if let value = try variables.value(key, part: part) { return value }
                    return try objects?.keys[key].flatMap { try variables.value($0, part: part) }
                })
        }
    }

    /// - Throws: `Failure` for options that graphs in this format do not have.
    private static func check(_ options: ImportOptions, tag: String?, signature: String?, for format: ModelFormat)
        throws
    {
        let option: OptionName? = tag != nil ? .tag : signature != nil ? .signature : nil
        if format != .savedModel, let option { throw Failure.optionForSavedModels(option) }
        if options.usesMovingAverages, ![.savedModel, .checkpoint].contains(format) {
            throw Failure.noVariableAverages()
        }
    }

    /// Whether an input takes strings.
    func isText(_ tensor: String) -> Bool { index.producer(of: tensor)?.dataType == .string }
}

extension GraphDefinition {
    /// Whether a node outside the functions can take an image or an array. A graph saved by TensorFlow 2 without a
    /// signature takes only a file name.
    fileprivate var takesNumbers: Bool {
        nodes.contains { node in
            (node.has(.anyPlaceholder) && node.dataType != .string) || node.has([.decoder, .iterator])
        }
    }
}
