/// A TensorFlow graph made ready for the importer: placeholders set, functions inlined, what optimisers fused taken apart,
/// dropout gone; and the outputs that are wanted of it.
struct FlatGraph {
    /// An output of the graph: where it comes from, and what it is called.
    struct Output {
        var name: String
        var reference: GraphSurvey.Reference

        init(_ text: String, at reference: GraphSurvey.Reference? = nil) {
            self.reference = reference ?? GraphSurvey.Reference(text)
            name = GraphSurvey.Reference(text).text
        }
    }

    let survey: GraphSurvey
    let outputs: [Output]
    /// The truth values that were chosen for placeholders, by their names.
    private let assumed: [String: Bool]
    /// The nodes that told which branches of conditions to take; what computes the outputs needs them no more.
    private let deciding: Set<String>
    /// The nodes that were dropout and became identities.
    private let dropout: [String]
    /// The predicates that told which branches are taken, by the nodes that hand on what the branches give.
    private let predicates: [String: String]
    /// Batch normalization that is still in training mode.
    let training: TrainingNormalization
    /// What was done with batch normalization in training mode.
    private let normalizationNote: String?

    /// The nodes that the outputs are of.
    var names: [String] { outputs.map(\.reference.node) }

    /// - Throws: `Failure` where the outputs cannot be told, and for functions and settings that cannot be followed.
    init(_ definition: GraphDefinition, _ options: ImportOptions) throws {
        // What is no node of the graph itself may be one of a function.
        let names = Set(definition.nodes.map(\.name))
        let isOuter = { (setting: Setting) in
            definition.functions.isEmpty || names.contains(GraphSurvey.Reference(setting.name).node)
        }
        let fixed = try FixedPlaceholders(
            definition.nodes, options.settings.filter(isOuter), input: options.input, fed: options.fed)
        // Outputs are sought in the graph as it is: without its dropout, and in the bodies of its functions, parts are read
        // by nobody.
        let found =
            try options.outputs.isEmpty
            ? FlatGraph.findOutputs(GraphSurvey(fixed.nodes), fed: options.fed) : options.outputs
        let texts = found.map { GraphSurvey.Reference($0).text }
        if !options.mayRepeatOutputs, let name = texts.firstRepeated { throw Failure.outputTwice(name) }
        let inlined = try Inlining(GraphDefinition(nodes: fixed.nodes, functions: definition.functions))
        let inner = try FixedPlaceholders(
            inlined.nodes, options.settings.filter { !isOuter($0) }, input: options.input, fed: options.fed)
        assumed = fixed.assumed.merging(inner.assumed) { outer, _ in outer }
        let branches = try KnownBranches(MappedFiles.run(inner.nodes))
        let (nodes, removed) = try Dropout.removed(from: Unfusing.run(branches.nodes))
        dropout = removed
        let survey = try GraphSurvey(nodes)
        outputs = try found.map { text in
            Output(text, at: try survey.named(inlined.resolved(text), option: "--output"))
        }
        let training = try TrainingNormalization(survey, neededBy: outputs.map(\.reference.node))
        let usesAverages = options.batchNorm == .inference
        self.survey = try usesAverages ? training.replaced() : survey
        self.training = usesAverages ? .none : training
        normalizationNote = usesAverages ? training.replacementNote : nil
        deciding = inlined.deciding
        predicates = branches.predicates
    }

    /// What was assumed of placeholders that these nodes are or conditions needed, and of random numbers among them, a
    /// sentence each.
    func assumptions(of needed: [String]) -> [String] {
        let order = try? survey.order(from: needed.compactMap { predicates[$0] }, stoppingAt: [])
        let deciding = deciding.union((order ?? []).map { survey.nodes[$0].name })
        let settings = (needed + deciding.subtracting(needed).sorted()).compactMap { name in
            assumed[name].map {
                "the placeholder '\(name)' is \($0), as at inference; --set \(name)=\(!$0) says otherwise"
            }
        }
        let needed = Set(needed)
        let dropped = dropout.filter(needed.contains)
        let removed = dropped.isEmpty ? nil : Failure.dropout(dropped)
        return settings + [removed, normalizationNote].compactMap { $0 }
    }

    /// The one output that shows itself.
    /// - Throws: `Failure` where there is none, or several.
    static func findOutputs(_ survey: GraphSurvey, fed: Set<String> = []) throws -> [String] {
        var outputs = try survey.outputs(fed: fed)
        // Numbers quantised for an operation that another step of the optimiser took away are no answers.
        let answers = outputs.filter { survey.node($0).flatMap { Refusal.Kind($0.op) } != .quantized }
        if answers.count == 1 { outputs = answers }
        guard outputs.count == 1 else {
            throw outputs.isEmpty ? Failure.noOutput() : Failure.severalOutputs(outputs)
        }
        return outputs
    }
}

extension [String] {
    /// The first element that appeared before.
    var firstRepeated: String? {
        var seen = Set<String>()
        return first { !seen.insert($0).inserted }
    }
}
