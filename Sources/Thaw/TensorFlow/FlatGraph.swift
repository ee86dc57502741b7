/// A TensorFlow graph prepared for the importer, with its requested outputs: placeholders are set, functions are inlined,
/// nodes fused by optimizers are split, and dropout is removed.
struct FlatGraph {
    /// An output of the graph: its source and its name.
    struct Output {
        var name: String
        var reference: GraphIndex.Reference

        init(_ text: String, at reference: GraphIndex.Reference? = nil) {
            self.reference = reference ?? GraphIndex.Reference(text)
            name = GraphIndex.Reference(text).text
        }
    }

    let graph: GraphIndex
    let outputs: [Output]
    /// Whether the output was detected, in a graph that was made for training.
    let isForTraining: Bool
    /// The Boolean values that were chosen for placeholders, by name.
    private let assumed: [String: Bool]
    /// The nodes that decided conditions, which the outputs no longer need.
    private let deciding: Set<String>
    /// The nodes that were dropout and became identities.
    private let dropout: [String]
    /// The predicates of resolved conditions, by the nodes that pass on the branches' results.
    private let predicates: [String: String]
    /// Batch normalization that is still in training mode.
    let training: TrainingNormalization?
    /// A note on batch normalization in training mode that was replaced.
    private let normalizationNote: Note?

    /// The names of the output nodes.
    var names: [String] { outputs.map(\.reference.node) }

    /// - Parameters:
    ///   - original: The graph as it was read.
    ///   - functions: The functions that its nodes may call.
    /// - Throws: `Failure` if the outputs cannot be determined, and for functions and settings that cannot be resolved.
    init(_ original: GraphIndex, _ functions: [FunctionDefinition], _ options: ImportOptions) throws {
        // A name that is not a node of the graph itself may belong to a function.
        let isOuter = { (value: PlaceholderValue) in
            functions.isEmpty || original.nodeIndices[GraphIndex.Reference(value.name).node] != nil
        }
        let fixed = try FixedPlaceholders(
            original, options.placeholderValues.filter(isOuter), input: options.input, arrayInputs: options.arrayInputs)
        // Outputs are searched in the original graph: without dropout, and in the bodies of functions, some nodes have no
        // consumers.
        let detected = try options.outputs.isEmpty ? fixed.graph.onlyOutput(arrayInputs: options.arrayInputs) : nil
        let found = detected.map { [$0.name] } ?? options.outputs
        isForTraining = detected?.isForTraining ?? false
        let texts = found.map { GraphIndex.Reference($0).text }
        if !options.mayRepeatOutputs, let name = texts.firstRepeated { throw Failure.outputTwice(name) }
        let inlined = try Inlining(GraphDefinition(nodes: fixed.graph.nodes, functions: functions))
        let inner = try FixedPlaceholders(
            inlined.graph(of: fixed.graph), options.placeholderValues.filter { !isOuter($0) }, input: options.input,
            arrayInputs: options.arrayInputs)
        assumed = fixed.assumed.merging(inner.assumed) { outer, _ in outer }
        let branches = try KnownBranches(UnrolledMaps.run(inner.graph))
        let (graph, removed) = try Dropout.removed(from: Unfusing.run(branches.graph))
        dropout = removed
        outputs = try found.map { text in
            Output(text, at: try graph.named(inlined.resolved(text), option: .outputs))
        }
        let training = try TrainingNormalization(graph, neededBy: outputs.map(\.reference.node))
        let usesAverages = options.batchNorm == .inference
        self.graph = usesAverages ? try training.replaced() : graph
        self.training = usesAverages ? nil : training
        normalizationNote = usesAverages ? training.replacementNote : nil
        deciding = inlined.deciding
        predicates = branches.predicates
    }

    /// Notes on assumptions: about placeholders that are among these nodes or decided conditions, and about dropout among
    /// them.
    func assumptions(of needed: [String]) -> [Note] {
        let predicateNodes = try? graph.nodes(neededBy: needed.compactMap { predicates[$0] })
        let deciding = deciding.union((predicateNodes ?? []).map(\.name))
        let settings = (needed + deciding.subtracting(needed).sorted()).compactMap { name in
            assumed[name].map { Note.placeholderAssumed(name, $0) }
        }
        let needed = Set(needed)
        let dropped = dropout.filter(needed.contains)
        let removed = dropped.isEmpty ? nil : Note.dropoutRemoved(dropped)
        return settings + [removed, normalizationNote].compactMap { $0 }
    }
}
