/// A part of a pipeline: a function of features.
protocol Stage: Sendable {
    /// The outputs for these inputs, both in the order of the description. Inputs have the types in the description.
    func evaluate(_ inputs: [FeatureValue]) throws -> [FeatureValue]
    /// The labels of a classifier.
    var labels: [FeatureKey]? { get }
    /// Keys of an input's dictionary, or values of a string or an integer, that the stage knows, in order.
    func keys(ofInput index: Int) -> [FeatureKey]
    /// The outputs of the description as later stages see them.
    func known(_ outputs: [PipelineFeature]) -> [PipelineFeature]
}

extension Stage {
    func keys(ofInput index: Int) -> [FeatureKey] { [] }
    func known(_ outputs: [PipelineFeature]) -> [PipelineFeature] { outputs }

    var labels: [FeatureKey]? { nil }
}

/// The source of a stage.
struct StageSource {
    /// The message specific to the kind of stage.
    let parameters: Message
    let inputs: [PipelineFeature]
    let outputs: [PipelineFeature]
    /// The name of a classifier's top-label output.
    let predictedFeature: String
    /// The program that trained the model, such as "scikit-learn=1.5.1"; nil if coremltools did not record it.
    let origin: String?

    /// The only input and the only output of a transformer.
    /// - Throws: `Failure` if there are more or fewer.
    func single() throws -> (input: PipelineFeature, output: PipelineFeature) {
        guard inputs.count == 1, outputs.count == 1 else {
            throw Failure.stageFeatures(inputs.count, outputs.count)
        }
        return (inputs[0], outputs[0])
    }

    /// The same for a transformer of numbers to numbers.
    func singleOfNumbers() throws -> (input: FeatureType, output: FeatureType) {
        let (input, output) = try single()
        try Self.requireNumbers([input, output])
        return (input.type, output.type)
    }

    /// The total number of elements of the inputs; nil if it is open.
    /// - Throws: `Failure` for an input that is not numeric.
    func width() throws -> Int? {
        guard !inputs.isEmpty else { throw Failure.stageFeatures(0, outputs.count) }
        try Self.requireNumbers(inputs)
        let counts = inputs.compactMap(\.type.count)
        return counts.count == inputs.count ? counts.reduce(0, +) : nil
    }

    private static func requireNumbers(_ features: [PipelineFeature]) throws {
        for feature in features where !feature.type.isNumeric {
            throw Failure.stageFeature(feature.name, feature.type, "numbers are expected")
        }
    }

    /// Strings or integers; a stage has one or the other.
    func keys(strings: String, integers: String) -> [FeatureKey] {
        if parameters.has(strings) {
            return (parameters[strings].vector as [String]).map { .string($0) }
        }
        return (parameters[integers].vector as [Int]).map { .integer($0) }
    }
}

/// A stage that returns its inputs.
struct IdentityStage: Stage {
    init(_ source: StageSource) throws {
        let (inputs, outputs) = (source.inputs, source.outputs)
        guard inputs.count == outputs.count else { throw Failure.stageFeatures(inputs.count, outputs.count) }
        for (input, output) in zip(inputs, outputs) where !input.type.fits(output.type) {
            throw Failure.stageFeature(output.name, output.type, "the input is \(input.type)")
        }
    }

    func evaluate(_ inputs: [FeatureValue]) -> [FeatureValue] { inputs }
}
