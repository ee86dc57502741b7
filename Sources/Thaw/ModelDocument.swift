/// A model together with its source.
///
///     var document = try ModelDocument(contentsOfFile: "Net.mlpackage")
///     try document.set("A. Author", for: .author)
///     try document.write(toFile: "Net.mlpackage")
///
/// A Core ML model that is written in its own format keeps everything it contains, such as compressed weights; only its
/// metadata is updated.
public struct ModelDocument: Sendable {
    /// The model, with the findings of its conversion or reading.
    public private(set) var conversion: Conversion
    /// The model.
    public var model: Model { conversion.model }
    private var source: CoreMLSource?
    /// The function that was read; nil for the default.
    private var function: String?

    /// Reads a Core ML model, or converts a TensorFlow graph.
    /// - Throws: `Failure` naming the file and the problem.
    public init(
        contentsOfFile path: String, options: Converter.Options = .init(), labels: Labels? = nil
    ) throws {
        let format = try ModelFormat(of: path, isMapped: options.mapsFiles)
        guard format.isCoreML else {
            self.init(try Converter(options).convert(contentsOfFile: path, labels: labels))
            return
        }
        let file = try CoreMLFile(path, format, isMapped: options.mapsFiles)
        self = try naming(file: path) { try ModelDocument(file, function: options.function) }
    }

    /// Reads a Core ML model in memory: the content of an `.mlmodel` file, or of that in a package.
    /// - Parameters:
    ///   - weights: For an ML Program: the content of a package's `weights/weight.bin`.
    ///   - function: The function of an ML Program with several; nil for its default.
    /// - Throws: `Failure` if it is not a readable Core ML model.
    public init(
        decoding bytes: UnsafeRawBufferPointer, weights: UnsafeRawBufferPointer? = nil, function: String? = nil
    ) throws {
        try Limits.requireValid()
        guard !bytes.isEmpty else { throw Failure.noBytes() }
        let kind = FileKind(bytes)
        guard kind == .coreMLModel else {
            throw Failure.wrongKind(kind, expected: "a Core ML model").of("the model")
        }
        let file = CoreMLFile(ByteView(copying: bytes), weights: weights.map(ByteView.init(copying:)))
        try self.init(file, function: function)
    }

    /// A model that was converted.
    public init(_ conversion: Conversion) { self.conversion = conversion }

    private init(_ file: CoreMLFile, function: String? = nil) throws {
        let source = try CoreMLSource(file)
        conversion = try source.conversion(function: function)
        (self.source, self.function) = (source, function)
    }

    // MARK: Description

    /// The format that it was read from; nil for a converted graph.
    public var format: ModelFormat? { source?.format }

    /// The version of Core ML's format; nil for a converted graph.
    public var version: Int? { source.map { $0.message.specificationVersion } }

    /// The oldest systems that load it; nil for a converted graph, and for a version newer than any known one.
    public var loadableVersion: CoreMLVersion? {
        guard let message = source?.message, message.unknownOpset == nil else { return nil }
        return CoreMLVersion(rawValue: message.specificationVersion).map { max($0, message.minimumVersion) }
    }

    /// The inputs and outputs in Core ML's order; for a converted graph, those of its ML Program.
    public func features() throws -> (inputs: [ModelFeature], outputs: [ModelFeature]) {
        try source?.features(of: model, function: function)
            ?? model.features(model.programDescription, arrays: .exact)
    }

    /// Sets metadata, or removes it if `value` is nil.
    /// - Throws: `Failure` if there is no input or output with the given name.
    public mutating func set(_ value: String?, for field: Metadata.Field) throws {
        try conversion.model.set(value, for: field)
        source?.set(value, for: field, ofFunction: function)
    }

    // MARK: Writing

    /// Writes the model, completely or not at all: as a neural network if `path` ends in `.mlmodel`, as an ML Program if it
    /// ends in `.mlpackage`.
    ///
    /// - Parameters:
    ///   - format: `.coreML` for a neural network also in a package; nil for the format that `path` ends in.
    ///   - weights: How weights are stored; nil keeps those of a model that is written in its own format.
    ///   - target: The oldest systems that must load it; nil for the oldest that support it.
    /// - Throws: `Failure` for what the format does not support, and if the file cannot be written.
    @discardableResult
    public func write(
        toFile path: String, as format: ModelFormat? = nil, weights: WeightStorage? = nil,
        target: CoreMLVersion? = nil, precision: ProgramPrecision = ProgramPrecision(), mayReplace: Bool = true
    ) throws -> WrittenModel {
        let pathFormat = try ModelFormat(pathToWrite: path)
        return try encoded(as: format ?? pathFormat, weights, target, precision)
            .write(to: path, mayReplace: mayReplace)
    }

    /// The content of the files that `write` would write: the model file and, for an ML Program, the weights file.
    /// - Parameter format: `.coreMLPackage` for an ML Program, `.coreML` for a neural network; nil for its own format.
    public func bytes(
        as format: ModelFormat? = nil, weights: WeightStorage? = nil, target: CoreMLVersion? = nil,
        precision: ProgramPrecision = ProgramPrecision()
    ) throws -> (model: [UInt8], weights: [UInt8]?) {
        try encoded(as: format, weights, target, precision).bytes()
    }

    /// The model with compressed weights, as `Compression` writes it.
    public func compressed(
        as format: ModelFormat? = nil, weights: WeightStorage, target: CoreMLVersion? = nil,
        precision: ProgramPrecision = ProgramPrecision()
    ) throws -> (document: ModelDocument, report: CompressionReport?) {
        let encoded = try encoded(as: format, weights, target, precision)
        // In another format, the function is the only one.
        let functions: [Message] = encoded.message.description.functions
        return (try ModelDocument(encoded.file(), function: functions.isEmpty ? nil : function), encoded.report)
    }

    private func encoded(
        as format: ModelFormat?, _ weights: WeightStorage?, _ target: CoreMLVersion?, _ precision: ProgramPrecision
    ) throws -> EncodedModel {
        guard let format = format ?? source?.format else { throw Failure.noFormat() }
        if let source, source.format == format, precision.isDefault {
            if let weights {
                if weights.type != .float32 {
                    return try Compression(source, conversion, weights, function: function)
                        .encoded(as: format, target: target)
                }
            } else if target.map({ $0 >= source.message.knownVersion }) ?? true {
                return try source.encoded()
            }
        }
        return try source?.rewritten(
            model, function: function, as: format, weights: weights, target: target, precision: precision)
            ?? model.encoded(as: format, weights: weights, target: target, precision: precision)
    }
}
