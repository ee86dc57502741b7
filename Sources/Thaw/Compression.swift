/// A Core ML model whose weights are stored anew in less.
///
///     let compression = try Compression(contentsOf: "Net.mlmodel", weights: WeightStorage(.palette6))
///     try compression.write(to: "Small.mlmodel")
///
/// Within its dialect all else of the model stays as it is, except that a layer may be followed by a scale of its output channels:
/// one palette does not serve channels that differ much in scale. A model is written anew where it goes into the other dialect, where
/// an ML Program of single precision is to compute in half precision, and where its target is newer than it is.
public struct Compression: Sendable {
    /// The model as it was.
    public let original: Conversion
    /// The bytes that it took, a package with all that is in it.
    public let byteCount: Int
    private let message: Message
    private let package: ModelPackage?
    private let weights: WeightStorage

    /// - Throws: `Failure` naming the file when it is no Core ML model that can be read, and where its weights are compressed
    ///   already or may be trained on.
    public init(contentsOf path: String, weights: WeightStorage) throws {
        let format = try ModelFormat(of: path)
        guard format == .coreML || format == .coreMLPackage else { throw Failure.graphCompressed().inFile(path) }
        let file = try CoreMLFile(path, format)
        (package, byteCount, self.weights) = (file.package, file.byteCount, weights)
        (message, original) = try naming(file: path) {
            let message = try file.message()
            let original = try file.conversion(of: message)
            if message.hasCompressedWeights { throw Failure.compressedAlready() }
            if message.isUpdatable { throw Failure.trainable() }
            if !weights.type.isSelective, !message.hasSinglePrecision { throw Failure.halfAlready() }
            return (message, original)
        }
    }

    /// Writes the model with its new weights, whole or not at all: as a neural network where `path` ends in `.mlmodel`, as an
    /// ML Program where it ends in `.mlpackage`. It may take the place of the model that was read.
    ///
    /// - Parameters:
    ///   - target: The oldest systems that must load it; nil takes those of the model, or the oldest that know such weights.
    ///   - mayReplace: Whether what is there already may be replaced.
    /// - Returns: What was written.
    /// - Throws: `Failure` where no array of weights is large enough, where the systems do not know such weights, and when the
    ///   file cannot be written.
    @discardableResult
    public func write(
        to path: String, target: CoreMLVersion? = nil, mayReplace: Bool = true
    ) throws -> WrittenModel {
        let isAsItIs = weights.type.isSelective && target ?? .iOS15 <= CompressedProgram.version(of: message)
        switch (message.choice, ModelFormat(pathToWrite: path)) {
        case ("mlProgram", .coreMLPackage) where isAsItIs && package != nil:
            var result = try CompressedProgram.run(message, .package(package!), weights, target: target)
            guard result.report.layerCount > 0 else { throw Failure.nothingToCompress(weights.minimumCount) }
            result.program.report = result.report
            return try Model.write(result.program, to: path, mayReplace: mayReplace)
        case ("neuralNetwork", .coreML), ("neuralNetworkClassifier", .coreML):
            if let target, target < message.knownVersion {
                throw Failure.targetTooOld("the model", needs: message.knownVersion.systems, target.name)
            }
            var network = message
            let (isChanged, report) = try network.storeWeights(as: weights, target: target)
            guard isChanged else { throw Failure.nothingToCompress(weights.minimumCount) }
            return try Model.write(network, to: path, mayReplace: mayReplace, report)
        default:
            return try original.model.write(to: path, weights: weights, target: target, mayReplace: mayReplace)
        }
    }
}
