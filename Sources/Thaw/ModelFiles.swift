extension Model {
    /// Reads a Core ML model (`.mlmodel`), or converts a TensorFlow graph in memory.
    ///
    /// - Parameters:
    ///   - options: What to convert a graph with; a Core ML model needs none of it.
    ///   - labels: The names of a graph's classes; a Core ML classifier brings its own.
    /// - Throws: `Failure` naming the file and what is wrong with it.
    public static func load(
        contentsOf path: String, options: Converter.Options = .init(), labels: Labels? = nil
    ) throws -> Conversion {
        let format = try ModelFormat(of: path)
        return try naming(file: path) {
            switch format {
            case .frozenGraph, .savedModel, .checkpoint:
                return try Converter(options).convert(contentsOf: path, labels: labels)
            case .coreML:
                let file = try MappedFile(path: path)
                let message = try Message(.model, reading: ByteView(viewing: file.bytes, of: file))
                let (model, warnings) = try NeuralNetworkReader.run(message)
                var conversion = Conversion(
                    model: model, notes: model.image?.formulas ?? [], warnings: warnings, isGraph: false)
                conversion.hasShortWeights = message.hasShortWeights
                return conversion
            }
        }
    }

    /// Writes the model as a Core ML neural network, whole or not at all. The same model gives the same bytes.
    ///
    /// - Parameter mayReplace: Whether a file that is there already may be replaced.
    /// - Returns: The bytes written, and the version of the format: the lowest that the layers need.
    /// - Throws: `Failure` for what no layer computes, and when the file cannot be written.
    @discardableResult
    public func write(to path: String, mayReplace: Bool = true) throws -> (bytes: Int, version: Int) {
        let message = try NeuralNetworkWriter.message(self)
        let file = try AtomicFile(path: path, mayReplace: mayReplace)
        var bytes = 0
        try message.write {
            bytes += $0.count
            try file.write($0)
        }
        try file.commit()
        return (bytes, message.specificationVersion)
    }
}

/// What a model may come from, told by the content of files and folders.
public enum ModelFormat: Sendable {
    case frozenGraph, savedModel, checkpoint, coreML

    /// - Throws: `Failure` naming the file, that says what the file is where it is none of these.
    public init(of path: String) throws {
        let wanted = "a Core ML model (.mlmodel) or a TensorFlow graph (.pb, SavedModel, checkpoint)"
        self = try naming(file: path) {
            switch try GraphSource.kind(path) {
            case .frozenGraph?: return .frozenGraph
            case .savedModel?: return .savedModel
            case .checkpoint?: return .checkpoint
            case nil: break
            }
            if let kind = FolderKind(path: path) { throw Failure.wrongFolder(kind, wanted: wanted) }
            let file = try MappedFile(path: path)
            guard !file.bytes.isEmpty else { throw Failure.isEmpty(path) }
            let kind = FileKind(file.bytes)
            guard kind == .coreMLModel else { throw Failure.wrongKind(kind, wanted: wanted) }
            return .coreML
        }
    }
}
