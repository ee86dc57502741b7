/// Compresses the weights of a Core ML model.
///
///     let compression = try Compression(contentsOf: "Net.mlmodel", weights: WeightStorage(.palette6))
///     try compression.write(to: "Small.mlmodel")
///
/// Within its dialect, the rest of the model stays unchanged, except that a layer may be followed by a scale of its output
/// channels, because channels that differ much in scale cannot share a palette. The model is converted if it is written in the
/// other dialect, if a single-precision ML Program is to compute in half precision, or if the target is newer than the model.
public struct Compression: Sendable {
    /// The uncompressed model.
    public let original: Conversion
    /// Its size in bytes; for a package, the size of all its files.
    public let byteCount: Int
    private let message: Message
    private let package: ModelPackage?
    private let weights: WeightStorage

    /// - Throws: `Failure` naming the file if it is not a readable Core ML model, or if its weights are already compressed or
    ///   can be trained on the device.
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

    /// Writes the compressed model atomically: as a neural network if `path` ends in `.mlmodel`, as an ML Program if it ends
    /// in `.mlpackage`. It may replace the original.
    ///
    /// - Parameters:
    ///   - target: The oldest systems that must load it; nil means those of the model, or the oldest that support such
    ///     weights.
    ///   - mayReplace: Whether an existing file may be replaced.
    /// - Returns: What was written.
    /// - Throws: `Failure` if no weight tensor is large enough, if the systems do not support such weights, or if the file
    ///   cannot be written.
    @discardableResult
    public func write(
        to path: String, target: CoreMLVersion? = nil, mayReplace: Bool = true
    ) throws -> WrittenModel {
        let keepsProgram = weights.type.isSelective && target ?? .iOS15 <= CompressedProgram.version(of: message)
        switch (message.choice, ModelFormat(pathToWrite: path)) {
        case ("mlProgram", .coreMLPackage) where keepsProgram && package != nil:
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
