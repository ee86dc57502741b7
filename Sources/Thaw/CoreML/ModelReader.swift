/// Reads the message of a Core ML model, of either dialect.
enum ModelReader {
    /// - Parameters:
    ///   - weights: The files with the weights of an ML Program.
    ///   - size: The size of the image, for a model that takes several; nil for its default size.
    ///   - function: The function of an ML Program; nil for its default.
    /// - Throws: `Failure` naming what cannot be read.
    static func run(
        _ message: Message, _ weights: (any WeightFiles)? = nil, size: ImageSize? = nil, function: String? = nil
    ) throws -> (model: Model, warnings: [Note]) {
        let message = try message.selecting(function)
        guard let kind = message.choice else { throw Failure.noModelKind() }
        let version: Int = message.specificationVersion
        guard version > 0 else { throw Failure.noVersion() }
        var model: Model
        switch kind {
        case "neuralNetwork", "neuralNetworkClassifier": model = try NeuralNetworkReader.run(message, kind, size)
        case "mlProgram": model = try ProgramReader.run(message, weights, size)
        default: throw message.refusedKind(kind)
        }
        if let image = model.image, image.sizes != .fixed {
            model.resizer = Source(message: message, weights: weights)
        }
        model.arrays = try ArrayInput.all(in: message["description"])
        if !model.isStateful, model.arrays.values.contains(where: { $0.shapes != .fixed }) {
            model.reshaper = Source(message: message, weights: weights)
        }
        var warnings = warnings(of: message) + (model.classifier?.warnings ?? [])
        if let warning = model.readQuantization(message) { warnings.append(warning) }
        return (model, warnings)
    }

    /// Reads a message again, with an image of another size or arrays of other shapes.
    private struct Source: ModelResizer, ModelReshaper {
        let message: Message
        let weights: (any WeightFiles)?

        func model(at size: ImageSize) throws -> Model { try run(message, weights, size: size).model }

        func model(at shapes: [String: [Int]], _ size: ImageSize?) throws -> Model {
            var message = message
            var inputs: [Message] = message.description.input
            for index in inputs.indices {
                guard let shape = shapes[inputs[index].name] else { continue }
                // The readers take open sizes from the default shape.
                inputs[index].type.multiArrayType.shape = shape
            }
            message.description.input = inputs
            do { return try run(message, weights, size: size).model } catch let failure as Failure {
                let text = shapes.sorted(on: \.key).map { "'\($0.key)' of shape \($0.value)" }
                throw failure.withShapes(text.joined(separator: ", "))
            }
        }
    }

    /// Warnings about a model that could be read.
    private static func warnings(of message: Message) -> [Note] {
        let version: Int = message.specificationVersion
        let minimum = message.minimumVersion.rawValue
        var warnings: [Note] = []
        if version > CoreMLVersion.allCases.last!.rawValue {
            warnings.append(.newerVersion(version))
        } else if version < minimum {
            warnings.append(.olderVersion(version, minimum))
        }
        if message.choice == "mlProgram", message.mlProgram.version as Int > 1 {
            warnings.append(.newerProgram(message.mlProgram.version))
        }
        if let opset = message.unknownOpset { warnings.append(.unknownOpset(opset)) }
        return warnings
    }
}

extension Model {
    /// Reads the record of the quantization in the metadata, if it matches the network.
    /// - Returns: A warning if it does not match.
    fileprivate mutating func readQuantization(_ message: Message) -> Note? {
        let metadata: [String: String] = message.description["metadata"].userDefined
        guard let text = metadata[QuantizationRecord.key] else { return nil }
        do {
            quantization = try QuantizationRecord(json: text)
            _ = try rangedValues()
            return nil
        } catch {
            quantization = nil
            return .quantizationIgnored((error as? Failure)?.problem ?? "\(error)")
        }
    }
}

/// The kinds of models, grouped by how they are run, with the format's names.
enum ModelKinds {
    static let networks: Set = ["neuralNetwork", "neuralNetworkClassifier", "mlProgram"]
    static let pipelines: Set = ["pipeline", "pipelineClassifier", "pipelineRegressor"]
    /// Kinds that are stages of a pipeline, or a pipeline of one stage.
    static let stages: Set = [
        "arrayFeatureExtractor", "categoricalMapping", "dictVectorizer", "featureVectorizer", "identity", "imputer",
        "nonMaximumSuppression", "normalizer", "oneHotEncoder", "scaler", "glmClassifier", "glmRegressor",
        "kNearestNeighborsClassifier", "supportVectorClassifier", "supportVectorRegressor", "treeEnsembleClassifier",
        "treeEnsembleRegressor",
    ]
}

extension Message {
    /// The failure for a kind of model that is not a network. For a pipeline it names the first unsupported member.
    func refusedKind(_ kind: String) -> Failure {
        let members = pipelineMembers()
        return members.isEmpty
            ? Failure.modelKind(kind, isStage: ModelKinds.stages.contains(kind)) : Failure.pipeline(kind, members)
    }

    /// The messages of a pipeline's models; nil if this is not a pipeline.
    var pipelineModels: [Message]? {
        guard let choice, ModelKinds.pipelines.contains(choice) else { return nil }
        let pipeline: Message = choice == "pipeline" ? self["pipeline"] : self[choice]["pipeline"]
        return pipeline.models
    }

    /// The members of a pipeline, with nested pipelines replaced by their members.
    func pipelineMembers(_ prefix: String = "") -> [(position: String, kind: String, isSupported: Bool)] {
        (pipelineModels ?? []).enumerated().flatMap { index, model in
            let position = prefix + "\(index + 1)"
            let inner = model.pipelineMembers(position + ".")
            let kind = model.choice ?? "none"
            let isSupported = ModelKinds.networks.contains(kind) || ModelKinds.stages.contains(kind)
            return inner.isEmpty ? [(position, kind, isSupported)] : inner
        }
    }
}

extension Failure {
    /// The failure of reading a model with other shapes.
    fileprivate func withShapes(_ shapes: String) -> Failure {
        var copy = self
        copy.location = ["with \(shapes)", location].compactMap { $0 }.joined(separator: ", ")
        return copy
    }
}
