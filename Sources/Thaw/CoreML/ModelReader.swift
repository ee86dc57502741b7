/// Reads the message of a Core ML model, of either dialect.
enum ModelReader {
    /// - Parameters:
    ///   - weights: The files with the weights of an ML Program.
    ///   - size: The size of the image, for a model that takes several; nil for its default size.
    /// - Throws: `Failure` naming what cannot be read.
    static func run(
        _ message: Message, _ weights: (any WeightFiles)? = nil, size: ImageSize? = nil
    ) throws -> (model: Model, warnings: [Note]) {
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
            model.resizer = Resizer(message: message, weights: weights)
        }
        return (model, warnings(of: message))
    }

    /// Reads the message again at another size.
    private struct Resizer: ModelResizer {
        let message: Message
        let weights: (any WeightFiles)?

        func model(at size: ImageSize) throws -> Model { try run(message, weights, size: size).model }
    }

    /// What may be wrong although the model could be read.
    private static func warnings(of message: Message) -> [Note] {
        let version: Int = message.specificationVersion
        let least = message.leastVersion.rawValue
        var warnings: [Note] = []
        if version > CoreMLVersion.allCases.last!.rawValue {
            warnings.append(.newerVersion(version))
        } else if version < least {
            warnings.append(.olderVersion(version, least))
        }
        if message.choice == "mlProgram", message.mlProgram.version as Int > 1 {
            warnings.append(.newerProgram(message.mlProgram.version))
        }
        if let opset = message.unknownOpset { warnings.append(.unknownOpset(opset)) }
        return warnings
    }
}

extension Message {
    /// The failure for an unsupported kind of model. For a pipeline it names the first unsupported member.
    func refusedKind(_ kind: String) -> Failure {
        let members = pipelineMembers()
        return members.isEmpty ? Failure.modelKind(kind) : Failure.pipeline(kind, members)
    }

    /// The members of a pipeline, with nested pipelines replaced by their members.
    private func pipelineMembers(_ prefix: String = "") -> [(position: String, kind: String, isSupported: Bool)] {
        let pipeline: Message
        switch choice {
        case "pipeline"?: pipeline = self["pipeline"]
        case "pipelineClassifier"?: pipeline = self["pipelineClassifier"]["pipeline"]
        case "pipelineRegressor"?: pipeline = self["pipelineRegressor"]["pipeline"]
        default: return []
        }
        return (pipeline.models as [Message]).enumerated().flatMap { index, model in
            let position = prefix + "\(index + 1)"
            let inner = model.pipelineMembers(position + ".")
            let kind = model.choice ?? "none"
            let isSupported = ["neuralNetwork", "neuralNetworkClassifier", "mlProgram"].contains(kind)
            return inner.isEmpty ? [(position, kind, isSupported)] : inner
        }
    }
}
