/// Compresses the weights of a Core ML model.
///
///     let compression = try Compression(contentsOfFile: "Net.mlmodel", weights: WeightStorage(.palette6))
///     try compression.write(toFile: "Small.mlmodel")
///
/// Within its dialect, the rest of the model stays unchanged, except that a layer may be followed by a scaling of its
/// output channels, because channels that differ much in scale cannot share a palette. The model is converted if it is
/// written in the other dialect, if a single-precision ML Program is to compute in half precision, or if the target is
/// newer than the model. What would change the model's inputs and outputs is refused.
public struct Compression: Sendable {
    /// The uncompressed model.
    public let original: Conversion
    /// Its size in bytes; for a package, the size of all its files.
    public let byteCount: Int
    private let source: CoreMLSource
    private let weights: WeightStorage
    /// The function to compress; nil for the default.
    private let function: String?

    /// - Parameter function: The function to compress if the model has several: the result has only this one.
    /// - Throws: `Failure` naming the file if it is not a readable Core ML model, if it has several functions and none is
    ///   selected, or if its weights are already compressed or can be trained on the device.
    public init(contentsOfFile path: String, weights: WeightStorage, function: String? = nil) throws {
        let format = try ModelFormat(of: path)
        guard format.isCoreML else { throw Failure.cannotCompressGraph().inFile(path) }
        let file = try CoreMLFile(path, format)
        self = try naming(file: path) {
            let source = try CoreMLSource(file)
            let functions = source.message.functionNames
            // The result has one function: the others would be lost.
            if function == nil, functions.count > 1 { throw Failure.cannotCompressAll(functions) }
            return try Compression(source, source.conversion(function: function), weights, function: function)
        }
    }

    /// - Parameter original: The model that was read from `source`.
    init(_ source: CoreMLSource, _ original: Conversion, _ weights: WeightStorage, function: String? = nil) throws {
        (self.source, self.original, self.weights, self.function) = (source, original, weights, function)
        byteCount = source.byteCount
        if source.message.hasCompressedWeights { throw Failure.alreadyCompressed() }
        if source.message.isUpdatable { throw Failure.cannotCompressTrainable() }
        if !weights.type.isSelective, !source.message.hasSinglePrecision { throw Failure.alreadyFloat16() }
    }

    /// Writes the compressed model atomically: as a neural network if `path` ends in `.mlmodel`, as an ML Program if it ends
    /// in `.mlpackage`. It may replace the original.
    ///
    /// - Parameters:
    ///   - target: The oldest systems that must load it; nil means those of the model, or the oldest that support such
    ///     weights.
    ///   - mayReplace: Whether an existing file may be replaced.
    /// - Returns: A summary of the written model.
    /// - Throws: `Failure` if no weight tensor is large enough, if the systems do not support such weights, if an input or
    ///   output would be lost, or if the file cannot be written.
    @discardableResult
    public func write(
        toFile path: String, target: CoreMLVersion? = nil, mayReplace: Bool = true
    ) throws -> WrittenModel {
        try encoded(as: ModelFormat(pathToWrite: path), target: target).write(to: path, mayReplace: mayReplace)
    }

    /// The compressed model.
    func encoded(as format: ModelFormat, target: CoreMLVersion?) throws -> EncodedModel {
        try compressed(as: format, target: target)
            ?? source.rewritten(
                original.model, function: function, as: format, weights: weights, target: target,
                precision: ProgramPrecision())
    }

    /// The original with compressed weights; nil if it has to be written from scratch.
    private func compressed(as format: ModelFormat, target: CoreMLVersion?) throws -> EncodedModel? {
        let message = source.message
        let isProgram = format == .coreMLPackage
        guard message.isProgram == isProgram else { return nil }
        if isProgram {
            guard weights.type.isSelective, target ?? .iOS15 <= CompressedProgram.version(of: message),
                let files = source.weights
            else { return nil }
            var result = try CompressedProgram.run(message, .files(files), weights, target: target)
            guard result.report.layerCount > 0 else { throw Failure.nothingToCompress(weights.minimumCount) }
            result.program.report = result.report
            return EncodedModel(result.program)
        }
        if let target, target < message.knownVersion {
            throw Failure.targetTooOld("the model", needs: message.knownVersion, target)
        }
        var network = message
        let (isChanged, report) = try network.storeWeights(as: weights, target: target)
        guard isChanged else { throw Failure.nothingToCompress(weights.minimumCount) }
        return EncodedModel(network, report)
    }
}
