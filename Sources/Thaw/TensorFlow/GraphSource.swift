/// A frozen TensorFlow graph, read from a frozen graph's file, a SavedModel or a checkpoint.
struct GraphSource {
    var definition: GraphDefinition
    /// The signature with its inputs and outputs.
    var signature: MetaGraph.Signature?
    /// The outputs given by the user or the signature, or detected; empty if they have not been detected yet.
    var outputs: [String]

    /// The graph with its variables; nil for a frozen graph.
    static func live(_ path: String, _ format: ModelFormat, tag: String?, isMapped: Bool = true) throws -> LiveGraph? {
        switch format {
        case .checkpoint: try LiveGraph(checkpoint: path, isMapped: isMapped)
        case .savedModel: try LiveGraph(savedModel: path, tag: tag, isMapped: isMapped)
        case .frozenGraph, .coreML, .coreMLPackage: nil
        }
    }

    init(definition: GraphDefinition, signature: MetaGraph.Signature? = nil, outputs: [String]) {
        (self.definition, self.signature, self.outputs) = (definition, signature, outputs)
    }

    /// - Throws: `Failure` naming the file at fault.
    init(_ path: String, _ options: ImportOptions, tag: String?, signature name: String?) throws {
        // A file that is not a graph at all is refused when it is read as a frozen graph.
        let isMapped = options.mapsFiles
        let kind = try naming(file: path) { try FileKind.at(path, isMapped: isMapped) }
        let format = ModelFormat(kind, path) ?? .frozenGraph
        let option: OptionName? = tag != nil ? .tag : name != nil ? .signature : nil
        if format != .savedModel, let option {
            throw Failure.optionForSavedModels(option).inFile(path)
        }
        guard let live = try GraphSource.live(path, format, tag: tag, isMapped: isMapped) else {
            self.init(definition: try GraphDefinition(contentsOfFile: path, isMapped: isMapped), outputs: [])
            return
        }
        var signature = format == .savedModel ? try naming(file: path) { try live.signature(name) } : nil
        let graph = live.meta.graph
        if !options.outputs.isEmpty {
            let signatureOutputs = signature?.outputs ?? []
            // Users know an output by its key in the signature.
            signature?.outputs = options.outputs.map { name in
                let isNode = graph.nodes.contains { $0.name == GraphSurvey.Reference(name).node }
                let found = isNode ? nil : signatureOutputs.first { $0.key == name }
                return found ?? (key: GraphSurvey.Reference(name).text, tensor: name)
            }
            if let key = signature?.outputs.map(\.key).firstRepeated { throw Failure.outputTwice(key).inFile(path) }
        }
        var outputs = signature?.outputs.map(\.tensor) ?? options.outputs
        let bundle = live.variables
        let source = try naming(file: path) {
            if outputs.isEmpty, format == .savedModel, !graph.takesNumbers { throw Failure.noSignature() }
            let survey = try GraphSurvey(graph.nodes)
            if outputs.isEmpty { outputs = try FlatGraph.findOutputs(survey, fed: options.fed) }
            let keys = try bundle.map(ObjectGraph.keys) ?? [:]
            let frozen = try VariableFreezing.frozen(
                graph, survey, outputs: outputs, source: bundle.map { $0.prefix + ".index" } ?? path
            ) { key, part in
                guard let bundle else { return nil }
                return try bundle.value(key, part: part) ?? keys[key].flatMap { try bundle.value($0, part: part) }
            }
            return GraphSource(definition: frozen, signature: signature, outputs: outputs)
        }
        self = source
    }
}

extension GraphDefinition {
    /// Whether a node outside the functions can take an image or an array. A graph saved by TensorFlow 2 without a
    /// signature takes only a file name.
    fileprivate var takesNumbers: Bool {
        nodes.contains { node in
            (node.has(.fed) && node.dataType != .string) || node.has([.decoder, .iterator])
        }
    }
}
