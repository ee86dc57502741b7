/// The stages of a pipeline in order. Each takes features by name: inputs of the pipeline, or outputs of earlier
/// stages. A stage may return a feature under the name of an earlier one, which it replaces.
struct StageSequence: Stage {
    /// A stage with the indices of its inputs and outputs among all features.
    struct Step: Sendable {
        /// The stage's name in messages.
        let location: String
        let description: StageDescription
        var stage: any Stage
        let inputs: [Int]
        let outputs: [Int]
        /// The required number of elements of array inputs whose shape is not known in advance.
        let counts: [Int?]
    }

    private(set) var inputs: [PipelineFeature]
    let outputs: [PipelineFeature]
    private(set) var steps: [Step]
    private let featureCount: Int
    /// The index of each output among all features.
    private let results: [Int]

    /// Creates a stage for a network.
    typealias MakeNetwork = (Message) throws -> any Stage

    /// - Parameters:
    ///   - model: A model of any kind. One that is not a pipeline is the only stage.
    ///   - prefix: The prefix for the positions of the stages, in a pipeline that is itself a stage.
    ///   - origin: The program that trained the outer pipeline, in a pipeline that is itself a stage.
    /// - Throws: `Failure` naming the stage that cannot be read.
    init(_ model: Message, prefix: String = "", origin: String? = nil, network: MakeNetwork) throws {
        let description: Message = model["description"]
        let metadata: [String: String] = description["metadata"].userDefined
        let origin = metadata["com.github.apple.coremltools.source"] ?? origin
        (inputs, outputs) = try PipelineFeature.all(in: description)
        guard !outputs.isEmpty else { throw Failure.noOutputsDescribed() }
        var features = KnownFeatures()
        try features.define(inputs)
        let models = model.pipelineModels ?? [model]
        guard !models.isEmpty else { throw Failure.noStages() }
        var steps: [Step] = []
        for (index, model) in models.enumerated() {
            let position = prefix + "\(index + 1)"
            let location = "stage \(position) (\(model.choice ?? "of no kind"))"
            try naming(location: location) {
                steps.append(try Self.step(model, location, position, origin, &features, network))
            }
        }
        self.steps = steps
        results = try features.indices(of: outputs) { Failure.pipelineOutput($0) }
        featureCount = features.count
        // Without them, the thresholds of the stage itself apply.
        for step in steps where step.stage is NonMaximumSuppression {
            for index in step.inputs where index < inputs.count && inputs[index].type == .number {
                inputs[index].isOptional = true
            }
        }
    }

    private static func step(
        _ model: Message, _ location: String, _ position: String, _ origin: String?,
        _ features: inout KnownFeatures, _ network: MakeNetwork
    ) throws -> Step {
        guard let kind = model.choice else { throw Failure.noModelKind() }
        let description: Message = model["description"]
        let (described, outputs) = try PipelineFeature.all(in: description)
        let inputs =
            kind == "nonMaximumSuppression"
            ? features.withThresholds(described, .init(model[kind])) : described
        let indices = try features.indices(of: inputs) { Failure.stageInput($0) }
        let stage: any Stage
        if ModelKinds.networks.contains(kind) {
            stage = try network(model)
        } else if ModelKinds.pipelines.contains(kind) {
            stage = try StageSequence(model, prefix: position + ".", origin: origin, network: network)
        } else if let make = Stages.all[kind] {
            // If a description leaves the number of values open, the feature's own number is known.
            let known = zip(inputs, indices).map { $0.type.count == nil ? features.types[$1] : $0.type }
            let source = StageSource(
                parameters: model[kind],
                inputs: zip(inputs, known).map { input, type in
                    var input = input
                    input.type = type
                    return input
                },
                outputs: outputs, predictedFeature: description.predictedFeatureName, origin: origin)
            stage = try make(source)
        } else {
            throw Failure.stageKind(kind)
        }
        return Step(
            location: location,
            description: StageDescription(
                position: position, kind: kind, inputs: inputs.map(\.name), outputs: outputs.map(\.name)),
            stage: stage, inputs: indices, outputs: try features.define(stage.known(outputs)),
            counts: zip(inputs, indices).map { features.types[$1].count == nil ? $0.type.count : nil })
    }

    func evaluate(_ inputs: [FeatureValue]) throws -> [FeatureValue] { try evaluate(inputs, firstOutputs: nil) }

    func keys(ofInput index: Int) -> [FeatureKey] {
        let step = steps.first { $0.inputs.contains(index) }
        return step?.stage.keys(ofInput: step!.inputs.firstIndex(of: index)!) ?? []
    }

    /// - Parameters:
    ///   - firstOutputs: The outputs of the first stage, if they are known.
    ///   - onStageTime: Called with the time taken by each stage.
    func evaluate(
        _ inputs: [FeatureValue], firstOutputs: [FeatureValue]?, onStageTime: ((Duration) -> Void)? = nil
    ) throws -> [FeatureValue] {
        var features = inputs + [FeatureValue](repeating: .integer(0), count: featureCount - inputs.count)
        for (stepIndex, step) in steps.enumerated() {
            let known = stepIndex == 0 ? firstOutputs : nil
            let start = ContinuousClock.now
            defer { onStageTime?(ContinuousClock.now - start) }
            let outputs =
                try known
                ?? naming(location: step.location) {
                    try step.stage.evaluate(step.checked(step.inputs.map { features[$0] }))
                }
            for (index, output) in zip(step.outputs, outputs) { features[index] = output }
        }
        return results.map { features[$0] }
    }

    /// The stage that detects objects by their boxes, and the indices of its confidences and coordinates among the
    /// outputs; nil if there is none, or if the outputs do not include both.
    var detection: (step: Int, stage: NonMaximumSuppression, confidence: Int, coordinates: Int)? {
        for (index, step) in steps.enumerated().reversed() {
            guard let stage = step.stage as? NonMaximumSuppression else { continue }
            let names = stage.outputNames
            func outputIndex(_ name: String) -> Int? {
                step.description.outputs.firstIndex(of: name).flatMap { results.firstIndex(of: step.outputs[$0]) }
            }
            guard let confidence = outputIndex(names.confidence), let coordinates = outputIndex(names.coordinates)
            else { return nil }
            return (index, stage, confidence, coordinates)
        }
        return nil
    }

    /// The same sequence with one stage replaced by another one with the same features.
    func replacing(_ step: Int, by stage: any Stage) -> StageSequence {
        var copy = self
        copy.steps[step].stage = stage
        return copy
    }

    /// The descriptions of all stages, with inner pipelines replaced by their stages.
    var stages: [StageDescription] {
        steps.flatMap { ($0.stage as? StageSequence)?.stages ?? [$0.description] }
    }

    /// The stages of all nested pipelines that are not pipelines themselves.
    var leaves: [any Stage] {
        steps.flatMap { ($0.stage as? StageSequence)?.leaves ?? [$0.stage] }
    }

    /// The labels of the last classifier; nil if there is none.
    var labels: [FeatureKey]? { steps.reversed().lazy.compactMap(\.stage.labels).first }
}

extension StageSequence.Step {
    /// The inputs, if they have the numbers of values for which the stage was created.
    fileprivate func checked(_ inputs: [FeatureValue]) throws -> [FeatureValue] {
        for (input, count) in zip(inputs, counts) {
            if let count, let numbers = input.numbers, numbers.count != count {
                throw Failure.valueCount(numbers.count, count)
            }
        }
        return inputs
    }
}

/// A stage of a pipeline.
public struct StageDescription: Equatable, Sendable {
    /// The position in the pipeline, from 1 on; `2.1` is the first stage of the pipeline that is the second stage.
    public var position: String
    /// The kind's name in Core ML's format.
    public var kind: String
    /// The names of the features that it takes.
    public var inputs: [String]
    /// The names of the features that it returns.
    public var outputs: [String]
}

/// The features known at some point of a pipeline.
private struct KnownFeatures {
    private(set) var types: [FeatureType] = []
    private var indexByName: [String: Int] = [:]

    var count: Int { types.count }

    /// Adds features. Each gets a new index, even if its name is already known.
    @discardableResult
    mutating func define(_ features: [PipelineFeature]) throws -> [Int] {
        guard Set(features.map(\.name)).count == features.count else {
            throw Failure.featuresOfOneName(features.map(\.name))
        }
        return features.map { feature in
            indexByName[feature.name] = types.count
            types.append(feature.type)
            return types.count - 1
        }
    }

    /// The inputs of a non-maximum suppression stage: thresholds need not be in its description or among the known
    /// features.
    func withThresholds(
        _ described: [PipelineFeature], _ names: NonMaximumSuppression.Names
    ) -> [PipelineFeature] {
        let known = described.filter { !names.thresholds.contains($0.name) || indexByName[$0.name] != nil }
        let further = names.thresholds.filter { name in
            indexByName[name] != nil && !described.contains { $0.name == name }
        }
        return known + further.map { PipelineFeature(name: $0, type: types[indexByName[$0]!]) }
    }

    func indices(of features: [PipelineFeature], unknown: (String) -> Failure) throws -> [Int] {
        try features.map { feature in
            guard let index = indexByName[feature.name] else { throw unknown(feature.name) }
            guard types[index].fits(feature.type) else {
                throw Failure.stageFeature(feature.name, feature.type, "the feature of this name is \(types[index])")
            }
            return index
        }
    }
}
