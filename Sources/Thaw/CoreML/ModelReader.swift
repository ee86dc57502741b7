/// Reads the message of a Core ML model, of either dialect.
enum ModelReader {
    /// - Parameter package: Where the weights of an ML Program are.
    /// - Throws: `Failure` naming what cannot be read.
    static func run(_ message: Message, _ package: ModelPackage? = nil) throws -> (model: Model, warnings: [String]) {
        guard let kind = message.choice else { throw Failure.noModelKind() }
        let version: Int = message.specificationVersion
        guard version > 0 else { throw Failure.noVersion() }
        let model: Model
        switch kind {
        case "neuralNetwork", "neuralNetworkClassifier": model = try NeuralNetworkReader.run(message, kind)
        case "mlProgram": model = try ProgramReader.run(message, package)
        default: throw Failure.modelKind(kind)
        }
        let newest = CoreMLVersion.allCases.last!.rawValue
        return (model, version > newest ? [Failure.newerVersion(version)] : [])
    }
}
