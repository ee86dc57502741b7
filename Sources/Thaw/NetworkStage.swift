/// A network as a stage of a pipeline. It runs on the engine.
struct NetworkStage: Stage {
    let model: Model
    private let runner: ModelRunner
    private let inputs: [PipelineFeature]
    private let outputs: [PipelineFeature]

    /// - Throws: `Failure` if the network cannot be read, or if it returns an image of 16-bit values.
    init(_ message: Message, _ weights: (any WeightFiles)?, precision: Precision, threads: Int) throws {
        let description: Message = message["description"]
        model = try ModelReader.run(message, weights).model
        try model.requireStateless()
        (inputs, outputs) = try PipelineFeature.all(in: description)
        let features = try model.features(description, arrays: message.arrays)
        for feature in features.inputs + features.outputs {
            if case .image(let image) = feature.kind, image.isFloat16 { throw Failure.stageImage16Bit(feature.name) }
        }
        runner = try ModelRunner(model, features, precision: precision, threads: threads)
    }

    /// The precision that it is computed in.
    var precision: Precision { runner.precision }

    var returnsImages: Bool { outputs.contains { if case .image = $0.type { true } else { false } } }

    /// The outputs as later stages see them: if an input is flexible, the shapes of arrays are open.
    func known(_ outputs: [PipelineFeature]) -> [PipelineFeature] {
        guard inputs.contains(where: { $0.shapes != .fixed }) else { return outputs }
        return outputs.map { output in
            var output = output
            if case .multiArray = output.type { output.type = .multiArray(shape: nil) }
            return output
        }
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
        let features = try features(runner.run(given).map { ($0.name, $0.tensor) })
        if labels != nil, values.contains(where: \.containsNaN), features.contains(where: \.containsNaN) {
            throw Failure.missingNumber()
        }
        return features
    }

    /// Converts the graph's outputs to those of the description.
    func features(_ tensors: [(name: String, tensor: Tensor)]) throws -> [FeatureValue] {
        func tensor(_ name: String) -> Tensor? {
            tensors.first { featureName($0.name) == featureName(name) }?.tensor
        }
        return try outputs.map { output in
            if let labels, let classifier = model.classifier {
                let probabilities = tensor(classifier.probabilities)?.floats ?? []
                if case .dictionary = output.type {
                    return .dictionary(zip(labels, probabilities).map { (key: $0, value: Double($1)) })
                }
                if isLabel(output) { return FeatureValue(labels[probabilities.highest]) }
            }
            guard let tensor = tensor(output.name) else { throw Failure.outputMissing(output.name) }
            if case .image = output.type { return .image(tensor.pixels) }
            let numbers = tensor.floats.map(Double.init)
            if case .multiArray(let shape) = output.type, shape?.reduce(1, *) != numbers.count {
                return .multiArray(numbers, shape: tensor.shape.dimensions)
            }
            return try output.type.value(numbers)
        }
    }
}

extension Tensor {
    /// The pixels in a tensor of shape height, width, 3, or height, width.
    fileprivate var pixels: Pixels {
        Pixels(width: shape[1], height: shape[0], channels: shape.rank == 3 ? shape[2] : 1, bytes: Array(bytes))
    }
}
