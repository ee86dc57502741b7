/// A Core ML model that is a sequence of stages on named features, such as coremltools' conversions of scikit-learn
/// pipelines.
///
///     let pipeline = try Pipeline(contentsOfFile: "Iris.mlmodel")
///     let outputs = try pipeline.run(["input": .multiArray([5.1, 3.5, 1.4, 0.2], shape: [4])])
///
/// A classifier or regressor without other stages is a pipeline too. A pipeline may be used from several threads at once.
public final class Pipeline: Sendable {
    /// The inputs, in the model's order.
    public let inputs: [PipelineFeature]
    /// The outputs, in the model's order.
    public let outputs: [PipelineFeature]
    /// The stages, with inner pipelines replaced by their stages.
    public let stages: [StageDescription]
    /// The labels of a classifier; nil if the pipeline does not end in one.
    public let labels: [FeatureKey]?
    /// The name of a classifier's top-label output; empty if there is none.
    public let predictedFeature: String
    /// The name of a classifier's class-probability output; empty if there is none.
    public let probabilities: String
    let sequence: StageSequence

    /// Reads a Core ML model that is not a network.
    /// - Parameters:
    ///   - precision: The precision that networks are computed in.
    ///   - threads: The threads that share the work of a network.
    /// - Throws: `Failure` naming the file, and the stage that cannot be read, or if `threads` is less than 1.
    public convenience init(
        contentsOfFile path: String, precision: Precision = .float32, threads: Int = 1
    ) throws {
        try requireThreads(threads)
        let file = try Pipeline.file(path)
        let pipeline = try naming(file: path) {
            try Pipeline.sequence(file.message(), file.weights, precision: precision, threads: threads)
        }
        self.init(pipeline.sequence, pipeline.description)
    }

    /// A model in memory.
    convenience init(
        _ message: Message, _ weights: (any WeightFiles)? = nil, precision: Precision = .float32, threads: Int = 1
    ) throws {
        try requireThreads(threads)
        let pipeline = try Pipeline.sequence(message, weights, precision: precision, threads: threads)
        self.init(pipeline.sequence, pipeline.description)
    }

    /// - Throws: `Failure` naming the file if it is a graph.
    static func file(_ path: String, isMapped: Bool = true) throws -> CoreMLFile {
        let format = try ModelFormat(of: path, isMapped: isMapped)
        guard format.isCoreML else { throw Failure.expectedCoreMLModel().inFile(path) }
        return try CoreMLFile(path, format, isMapped: isMapped)
    }

    private static func sequence(
        _ message: Message, _ weights: (any WeightFiles)?, precision: Precision, threads: Int
    ) throws -> (sequence: StageSequence, description: Message) {
        guard message.choice != nil else { throw Failure.noModelKind() }
        guard message.specificationVersion as Int > 0 else { throw Failure.noVersion() }
        let sequence = try StageSequence(message) {
            try NetworkStage($0, weights, precision: precision, threads: threads)
        }
        return (sequence, message["description"])
    }

    private init(_ sequence: StageSequence, _ description: Message) {
        self.sequence = sequence
        (inputs, outputs, stages, labels) = (sequence.inputs, sequence.outputs, sequence.stages, sequence.labels)
        predictedFeature = description.predictedFeatureName
        probabilities = description.predictedProbabilitiesName
    }

    /// Whether the file is a Core ML model that is not a network.
    /// - Throws: `Failure` naming the file if it is not a model.
    public static func isPipeline(contentsOfFile path: String) throws -> Bool {
        let format = try ModelFormat(of: path)
        guard format.isCoreML else { return false }
        let file = try CoreMLFile(path, format)
        return try naming(file: path) { try isPipeline(RawMessage(file.bytes)) }
    }

    /// Whether the content of an `.mlmodel` file is a model that is not a network.
    /// - Throws: `Failure` if it is corrupt.
    public static func isPipeline(decoding bytes: UnsafeRawBufferPointer) throws -> Bool {
        guard !bytes.isEmpty, FileKind(bytes) == .coreMLModel else { return false }
        return try isPipeline(RawMessage(ByteView(copying: bytes)))
    }

    private static func isPipeline(_ model: RawMessage) throws -> Bool {
        var isPipeline = false
        try model.forEachField { field in
            guard let known = MessageType.model.fields.first(where: { $0.id == field.number }), known.isChoice
            else { return }
            isPipeline = !ModelKinds.networks.contains(String(cString: known.name))
        }
        return isPipeline
    }

    /// The graphs of its networks.
    var graphs: [Graph] { sequence.leaves.compactMap { ($0 as? NetworkStage)?.model.graph } }

    /// The number of parameters of its networks.
    public var parameterCount: Int { graphs.reduce(0) { $0 + $1.parameterCount } }

    /// The number of multiply-adds of its networks.
    public var multiplyAdds: Int { graphs.reduce(0) { $0 + $1.multiplyAdds } }

    /// The precision that its networks are computed in.
    public var precision: Precision {
        sequence.leaves.lazy.compactMap { ($0 as? NetworkStage)?.precision }.first ?? .float32
    }

    /// The seconds that each stage takes for a row.
    func stageTimes(_ values: [String: FeatureValue]) throws -> [Double] {
        var times: [Double] = []
        _ = try sequence.evaluate(checked(values), firstOutputs: nil) { times.append($0 / .seconds(1)) }
        return times
    }

    /// The outputs for these inputs, in the order of the description.
    ///
    /// - Throws: `Failure` for an input that is unknown, missing or invalid, and naming a stage that does not accept
    ///   its input.
    public func run(_ values: [String: FeatureValue]) throws -> [(name: String, value: FeatureValue)] {
        let values = try checked(values)
        do {
            return Array(zip(outputs, try sequence.evaluate(values))).map { ($0.name, $1) }
        } catch let failure as Failure where failure.code == .noInput && failure.names.isEmpty {
            // The stage that needs the number does not know which input it comes from.
            var named = Failure.missingNumber(zip(inputs, values).filter { $1.containsNaN }.map { $0.0.name })
            named.location = failure.location
            throw named
        }
    }

    /// The values of all inputs, in order.
    private func checked(_ values: [String: FeatureValue]) throws -> [FeatureValue] {
        let names = inputs.map(\.name)
        if let unknown = values.keys.filter({ !names.contains($0) }).min() {
            throw Failure.unknownPipelineInput(unknown, names)
        }
        return try inputs.map { input in
            guard let value = values[input.name] ?? input.missingValue else {
                throw Failure.pipelineInput(input.name, input.type)
            }
            return try naming(location: "input '\(input.name)'") { try input.checked(value) }
        }
    }

    /// The probability of each label in a classifier's outputs: 1 for the top label if it returns no probabilities. Nil
    /// if the pipeline is not a classifier.
    public func probabilities(_ outputs: [(name: String, value: FeatureValue)]) -> [Float]? {
        labels.map { labelProbabilities(outputs, $0, predictedFeature) }
    }

    /// The input of this name, or the only one if there is no name.
    /// - Throws: `Failure` if there is no such input.
    package func input(named name: String?) throws -> PipelineFeature {
        let names = inputs.map(\.name)
        guard let name = name ?? (names.count == 1 ? names[0] : nil) else { throw Failure.valueWithoutName(names) }
        guard let input = inputs.first(where: { $0.name == name }) else {
            throw Failure.unknownPipelineInput(name, names)
        }
        return input
    }

    /// The first network of a pipeline from images to labels, followed by the other stages.
    /// - Throws: `Failure` for other pipelines.
    package func imageClassifier() throws -> Conversion {
        guard inputs.count == 1, case .image = inputs[0].type, let labels,
            let network = sequence.steps.first?.stage as? NetworkStage, !network.returnsImages
        else { throw Failure.noImageClassifier(stages.map(\.kind), isDetector: sequence.detection != nil) }
        var model = network.model
        let names = model.graph.outputs.map(\.name)
        model.classifier = ClassifierConfiguration(
            labels: labels.map(\.description), hasIntegerLabels: labels.first?.isInteger == true,
            predictedFeature: predictedFeature,
            probabilities: probabilities)
        model.laterStages = StagesAfterNetwork(
            sequence: sequence, network: network, names: names, labels: labels, predictedFeature: predictedFeature)
        return Conversion(model: model, notes: [], warnings: [], isGraph: false)
    }
}

/// The stages of a pipeline after its network.
private struct StagesAfterNetwork: LaterStages {
    let sequence: StageSequence
    let network: NetworkStage
    /// The names of the outputs of the network's graph.
    let names: [String]
    let labels: [FeatureKey]
    let predictedFeature: String

    func probabilities(_ outputs: [Tensor]) throws -> [Float] {
        let features = try network.features(Array(zip(names, outputs)).map { (name: $0, tensor: $1) })
        // The only input is the image, which no later stage takes.
        let values = try sequence.evaluate([.integer(0)], firstOutputs: features)
        return labelProbabilities(Array(zip(sequence.outputs.map(\.name), values)), labels, predictedFeature)
    }
}

/// The probability of each label; 1 for the top label of a classifier without probabilities.
private func labelProbabilities(
    _ outputs: [(name: String, value: FeatureValue)], _ labels: [FeatureKey], _ predictedFeature: String
) -> [Float] {
    for case (_, .dictionary(let entries)) in outputs {
        let byLabel = entries.firstByKey(\.key)
        return labels.map { Float(byLabel[$0]?.value ?? .nan) }
    }
    let top = outputs.first { $0.name == predictedFeature }?.value.key
    return labels.map { $0 == top ? 1 : 0 }
}
