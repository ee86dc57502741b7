/// A network as a stage of a pipeline. It runs on the engine.
struct NetworkStage: Stage {
    let model: Model
    private let runner: ModelRunner
    private let inputs: [PipelineFeature]
    private let outputs: [PipelineFeature]

    /// - Throws: `Failure` if the network cannot be read, or if it returns an image.
    init(_ message: Message, _ weights: (any WeightFiles)?, precision: Precision, threads: Int) throws {
        let description: Message = message["description"]
        model = try ModelReader.run(message, weights).model
        try model.requireStateless()
        (inputs, outputs) = try PipelineFeature.all(in: description)
        if let image = outputs.first(where: { if case .image = $0.type { true } else { false } }) {
            throw Failure.imageOfStage(image.name)
        }
        runner = try ModelRunner(
            model, model.features(description, arrays: message.arrays), precision: precision, threads: threads)
    }

    var labels: [FeatureKey]? {
        model.classifier.map { classifier in
            classifier.labels.map { classifier.hasIntegerLabels ? .integer(Int($0)!) : .string($0) }
        }
    }

    private func isLabel(_ feature: PipelineFeature) -> Bool {
        feature.name == model.classifier?.predictedFeature
    }

    func evaluate(_ values: [FeatureValue]) throws -> [FeatureValue] {
        let given = zip(inputs, values).map { input, value -> (name: String?, value: ModelRunner.Value) in
            switch value {
            case .image(let pixels): return (input.name, .pixels(pixels))
            default:
                let numbers = (value.numbers ?? []).map { Float($0) }
                guard case .multiArray(_, let shape) = value else {
                    return (input.name, .tensor(Tensor(numbers, shape: [numbers.count])))
                }
                return (input.name, .tensor(Tensor(numbers, shape: Shape(shape))))
            }
        }
        return try features(runner.run(given).map { ($0.name, $0.tensor) })
    }

    /// The outputs of the description for those of the graph.
    func features(_ tensors: [(name: String, tensor: Tensor)]) throws -> [FeatureValue] {
        func numbers(_ name: String) -> [Float]? {
            tensors.first { featureName($0.name) == featureName(name) }?.tensor.floats
        }
        return try outputs.map { output in
            if let labels, let classifier = model.classifier {
                let probabilities = numbers(classifier.probabilities) ?? []
                if case .dictionary = output.type {
                    return .dictionary(zip(labels, probabilities).map { (key: $0, value: Double($1)) })
                }
                if isLabel(output) { return FeatureValue(labels[probabilities.highest]) }
            }
            guard let numbers = numbers(output.name) else { throw Failure.outputMissing(output.name) }
            return try output.type.value(numbers.map(Double.init))
        }
    }
}
