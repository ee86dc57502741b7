/// Reads the message of a Core ML model, of either dialect.
enum ModelReader {
    /// - Parameters:
    ///   - package: Where the weights of an ML Program are.
    ///   - size: The size of the image, for a model that takes several; nil for the one it says itself.
    /// - Throws: `Failure` naming what cannot be read.
    static func run(
        _ message: Message, _ package: ModelPackage? = nil, size: ImageSize? = nil
    ) throws -> (model: Model, warnings: [String]) {
        guard let kind = message.choice else { throw Failure.noModelKind() }
        let version: Int = message.specificationVersion
        guard version > 0 else { throw Failure.noVersion() }
        var model: Model
        switch kind {
        case "neuralNetwork", "neuralNetworkClassifier": model = try NeuralNetworkReader.run(message, kind, size)
        case "mlProgram": model = try ProgramReader.run(message, package, size)
        default: throw Failure.modelKind(kind)
        }
        if let image = model.image, image.sizes != .fixed {
            model.inSize = { try run(message, package, size: $0).model }
        }
        let newest = CoreMLVersion.allCases.last!.rawValue
        let least = message.leastVersion
        if version > newest { return (model, [Failure.newerVersion(version)]) }
        return (model, version < least.rawValue ? [Failure.olderVersion(version, least.rawValue)] : [])
    }
}

extension Message {
    /// The version that a model is of at least, whatever it says. Apple's own checks pass over a lower one.
    fileprivate var leastVersion: CoreMLVersion {
        if choice == "mlProgram" {
            let opsets = (self.mlProgram.functions as [Message]).map { $0.value.opset as String }
            return CoreMLVersion.allCases.last { opsets.contains($0.opset) } ?? .firstProgram
        }
        return self[choice!].arrayInputShapeMapping as String == "EXACT_ARRAY_MAPPING" ? .iOS13 : .iOS11
    }
}
