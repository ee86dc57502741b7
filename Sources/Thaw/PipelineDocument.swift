/// A pipeline together with its source.
///
///     var document = try PipelineDocument(contentsOfFile: "Iris.mlmodel")
///     try document.set("A. Author", for: .author)
///     try document.write(toFile: "Iris.mlmodel")
///
/// It is written unchanged; only its metadata is updated.
public struct PipelineDocument: Sendable {
    /// The pipeline, which runs on one thread.
    public let pipeline: Pipeline
    private var source: CoreMLSource

    /// Reads a Core ML model that is not a network.
    /// - Parameter mapsFiles: Whether the files are mapped, as in `Converter.Options`.
    /// - Throws: `Failure` naming the file, and the stage that cannot be read.
    public init(contentsOfFile path: String, mapsFiles: Bool = true) throws {
        let file = try Pipeline.file(path, isMapped: mapsFiles)
        self = try naming(file: path) { try PipelineDocument(file) }
    }

    /// Reads a Core ML model in memory: the content of an `.mlmodel` file, or of that in a package.
    /// - Parameter weights: The content of a package's `weights/weight.bin`, if a stage is an ML Program.
    /// - Throws: `Failure` naming the stage that cannot be read.
    public init(decoding bytes: UnsafeRawBufferPointer, weights: UnsafeRawBufferPointer? = nil) throws {
        try self.init(CoreMLFile(ByteView(copying: bytes), weights: weights.map(ByteView.init(copying:))))
    }

    private init(_ file: CoreMLFile) throws {
        source = try CoreMLSource(file)
        pipeline = try Pipeline(source.message, source.weights)
    }

    /// The pipeline in another precision, or on several threads that share the work of a network.
    /// - Throws: `Failure` if the engine cannot run a network, or if `threads` is less than 1.
    public func pipeline(precision: Precision = .float32, threads: Int) throws -> Pipeline {
        if threads == 1, precision == .float32 { return pipeline }
        return try Pipeline(source.message, source.weights, precision: precision, threads: threads)
    }

    // MARK: Description

    /// The version of Core ML's format.
    public var version: Int { source.message.specificationVersion }

    /// The oldest systems that load it; nil for a version newer than any known one.
    public var loadableVersion: CoreMLVersion? { CoreMLVersion(rawValue: version) }

    /// The description, the author, the license and the version.
    public var metadata: Metadata {
        ModelDescription.Reading(source.message["description"], inputs: [], outputChannels: nil).metadata
    }

    /// Sets metadata, or removes it if `value` is nil.
    /// - Throws: `Failure` if there is no input or output with the given name.
    public mutating func set(_ value: String?, for field: Metadata.Field) throws {
        if case .feature(let name) = field {
            let names = (pipeline.inputs + pipeline.outputs).map(\.name)
            guard names.contains(name) else { throw Failure.noFeature(name, names) }
        }
        source.set(value, for: field)
    }

    // MARK: Writing

    /// Whether a stage is an ML Program; the pipeline is then written as a package.
    public var isPackage: Bool { source.message.hasProgram }

    /// Writes the pipeline, completely or not at all.
    /// - Throws: `Failure` if `path` does not have the extension for its kind, or if the file cannot be written.
    @discardableResult
    public func write(toFile path: String, mayReplace: Bool = true) throws -> WrittenModel {
        let format = try ModelFormat(pathToWrite: path)
        guard (format == .coreMLPackage) == isPackage else { throw Failure.wrongPipelineExtension(path, isPackage) }
        return try source.encoded().write(to: path, mayReplace: mayReplace)
    }

    /// The content of the files that `write` would write: the model file and, in a package, the weights file.
    public func bytes() throws -> (model: [UInt8], weights: [UInt8]?) { try source.encoded().bytes() }

    /// The content of the model file alone.
    package func modelBytes() throws -> [UInt8] { try source.encoded().modelBytes() }
}
