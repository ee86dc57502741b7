/// A summary of a model file, even if it can be neither converted nor run.
package struct FileContents: Sendable {
    package let format: ModelFormat
    package let byteCount: Int
    /// The version of Core ML's format.
    package private(set) var version: Int?
    /// The version whose systems can load a Core ML model with these contents; nil if it is newer than any known one.
    package private(set) var loadableVersion: CoreMLVersion?
    /// TensorFlow's operations, Core ML's layers, or a pipeline's stages, the most frequent first.
    package private(set) var parts: [(kind: String, count: Int)] = []
    /// Whether it is an ML Program.
    package private(set) var isProgram = false
    /// Whether it is a pipeline, or a model of a single stage. Then `parts` are the kinds of its stages.
    package private(set) var isPipeline = false
    /// The weights by storage type, those with the most bytes first; empty for graphs whose variables are stored elsewhere.
    package private(set) var weights: [StoredWeights] = []
    /// A graph's placeholders as it declares them, with `?` for what it leaves open.
    package private(set) var placeholders: [(name: String, type: String)] = []

    /// The names of an ML Program's functions if it has several, the default first.
    package private(set) var functions: [String] = []
    /// A SavedModel's signatures: their inputs and outputs.
    package private(set) var signatures: [String] = []
    /// The names of the inputs and outputs that are arrays or grayscale images of float16.
    package private(set) var halfFeatures: Set<String> = []
    /// The number of variables that a SavedModel or a checkpoint stores; nil if it stores none.
    package private(set) var variableCount: Int?

    /// - Throws: `Failure` naming the file if it is neither a TensorFlow graph nor a Core ML model, or is corrupt.
    package init(contentsOfFile path: String, tag: String? = nil, function: String? = nil) throws {
        format = try ModelFormat(of: path)
        switch format {
        case .frozenGraph:
            byteCount = try MappedFile(path: path).bytes.count
            try naming(file: path) { try read(GraphDefinition(contentsOfFile: path)) }
        case .savedModel, .checkpoint:
            let live = try GraphSource.live(path, format, tag: tag)!
            byteCount = live.byteCount
            variableCount = live.variables?.names.count
            signatures = live.meta.signatures.map { signature in
                func list(_ tensors: [(key: String, tensor: String)]) -> String {
                    tensors.map { "\($0.key) (\($0.tensor))" }.joined(separator: ", ")
                }
                return "\(signature.name): \(list(signature.inputs)) → \(list(signature.outputs))"
            }
            read(live.meta.graph)
        case .coreML, .coreMLPackage:
            let file = try CoreMLFile(path, format)
            byteCount = file.byteCount
            try naming(file: path) { try read(file.message(), function) }
        }
    }

    private mutating func read(_ graph: GraphDefinition) {
        parts = FileContents.counted(graph.nodes.map(\.op))
        weights = StoredWeights.summed(graph.nodes.compactMap(\.storedWeights))
        placeholders = graph.nodes.filter { $0.has(.anyPlaceholder) }.map { node in
            var type = ""
            if let element = node.dataType { type = "\(element)" }
            if case .shape(let sizes?)? = node.attributes["shape"] {
                type += "[" + sizes.map { $0 < 0 ? "?" : "\($0)" }.joined(separator: ", ") + "]"
            }
            return (node.name, type)
        }
    }

    private mutating func read(_ message: Message, _ function: String?) throws {
        functions = message.functionNames
        if let description = try? message.selecting(function)["description"] {
            let features: [Message] = (description.input as [Message]) + description.output
            halfFeatures = Set(features.filter(\.isHalfFeature).map { featureName($0.name) })
        }
        version = message.specificationVersion
        guard let kind = message.choice else { throw Failure.noModelKind() }
        isProgram = kind == "mlProgram"
        switch kind {
        case "neuralNetwork", "neuralNetworkClassifier":
            parts = FileContents.counted((message[kind].layers as [Message]).map { $0.choice ?? "unknown" })
        case "mlProgram": parts = FileContents.counted(try ProgramReader.kinds(message.selecting(function)))
        case _ where ModelKinds.pipelines.contains(kind) || ModelKinds.stages.contains(kind):
            isPipeline = true
            let members = message.pipelineMembers().map(\.kind)
            parts = FileContents.counted(members.isEmpty ? [kind] : members)
        default: throw message.refusedKind(kind)
        }
        weights = StoredWeights.all(in: message)
        guard message.unknownOpset == nil else { return }
        loadableVersion = CoreMLVersion(rawValue: message.specificationVersion).map {
            isPipeline ? $0 : max($0, message.minimumVersion)
        }
    }

    /// How often each of `kinds` occurs, the most frequent first. Ties are in alphabetical order.
    static func counted(_ kinds: some Sequence<String>) -> [(kind: String, count: Int)] {
        var counts: [String: Int] = [:]
        for kind in kinds { counts[kind, default: 0] += 1 }
        let pairs = counts.map { (kind: $0.key, count: $0.value) }
        return pairs.sorted { $0.count == $1.count ? $0.kind < $1.kind : $0.count > $1.count }
    }
}

extension Graph {
    /// How often each kind of operation occurs, the most frequent first. Ties are in alphabetical order.
    public var operationCounts: [(kind: String, count: Int)] { FileContents.counted(nodes.map(\.kind)) }
}

extension NodeDefinition {
    /// The weights of a constant, unless they are integers or Booleans, which are parameters such as shapes and axes.
    fileprivate var storedWeights: StoredWeights? {
        guard has(.constant), let tensor = constant, tensor.shape.rank > 0,
            ![.int32, .int64, .bool].contains(tensor.element)
        else { return nil }
        return StoredWeights(
            form: tensor.element.rawValue, count: tensor.elementCount, bytes: tensor.elementCount * tensor.element.size)
    }
}
