extension Model {
    /// Reads a Core ML model (`.mlmodel`, `.mlpackage`), or converts a frozen TensorFlow graph in memory.
    ///
    /// - Parameters:
    ///   - options: What to convert a graph with; a Core ML model needs none of it.
    ///   - labels: The names of a graph's classes; a Core ML classifier brings its own.
    /// - Throws: `Failure` naming the file and what is wrong with it.
    public static func load(
        contentsOf path: String, options: Converter.Options = .init(), labels: Labels? = nil
    ) throws -> Conversion {
        let opened = try OpenedModel(path)
        return try naming(file: path) {
            switch opened.format {
            case .frozenGraph: return try Converter(options).convert(contentsOf: path, labels: labels)
            case .coreML, .coreMLPackage:
                let message = try opened.message()
                let (model, warnings) = try ModelReader.run(message, opened.package)
                var conversion = Conversion(
                    model: model, notes: model.image?.formulas ?? [], warnings: warnings, isGraph: false)
                conversion.hasShortWeights = message.hasShortWeights
                return conversion
            }
        }
    }

    /// Writes the model, whole or not at all: as a Core ML neural network where `path` ends in `.mlmodel`, as an ML Program
    /// where it ends in `.mlpackage`. The same model gives the same bytes.
    ///
    /// - Parameters:
    ///   - weights: How weights are stored; nil takes what is usual, float32 for a neural network and float16 for a program,
    ///     which then also computes in it.
    ///   - target: The oldest systems that must load it; nil takes whatever the model needs.
    ///   - mayReplace: Whether what is there already may be replaced.
    /// - Returns: The bytes written, and the version of the format: the lowest that will do.
    /// - Throws: `Failure` for what nothing in the format computes, and when the file cannot be written.
    @discardableResult
    public func write(
        to path: String, weights: WeightStorage? = nil, target: CoreMLVersion? = nil, mayReplace: Bool = true
    ) throws -> (bytes: Int, version: CoreMLVersion) {
        if ModelFormat(pathToWrite: path) == .coreMLPackage {
            if let target, target < .firstProgram { throw Failure.packageNeedsTarget(target.name).inFile(path) }
            let program = try ProgramWriter.run(self, weights: weights ?? WeightStorage(.float16), target: target)
            let bytes = try ModelPackage.write(program, to: path, mayReplace: mayReplace)
            return (bytes, program.version)
        }
        let message = try NeuralNetworkWriter.message(self, weights: weights ?? WeightStorage(.float32), target: target)
        let file = try AtomicFile(path: path, mayReplace: mayReplace)
        var bytes = 0
        try message.write {
            bytes += $0.count
            try file.write($0)
        }
        try file.commit()
        return (bytes, CoreMLVersion(rawValue: message.specificationVersion)!)
    }
}

/// Files that a model may come from, told by their content.
public enum ModelFormat: Sendable {
    case frozenGraph, coreML, coreMLPackage

    /// The kind of the file at `path`.
    /// - Throws: `Failure` naming the file, and saying what it is where it is neither.
    public init(of path: String) throws { self = try OpenedModel(path).format }

    /// The format in which a model is written under this name.
    public init(pathToWrite path: String) {
        var name = path[...]
        while name.count > 1, name.last == "/" { name.removeLast() }
        self = name.hasSuffix(".mlpackage") ? .coreMLPackage : .coreML
    }
}

/// A file or folder that a model may come from, opened.
struct OpenedModel {
    let format: ModelFormat
    /// The file with the graph or the model; of a package the one inside.
    let file: MappedFile
    let package: ModelPackage?

    /// - Throws: `Failure` that says what the file is where it is neither.
    init(_ path: String) throws {
        let wanted = "a Core ML model (.mlmodel, .mlpackage) or a frozen TensorFlow graph (.pb)"
        (format, file, package) = try naming(file: path) {
            if let kind = FolderKind(path: path) {
                let isPackage = ModelFormat(pathToWrite: path) == .coreMLPackage
                guard kind == .coreMLPackage || isPackage else { throw Failure.wrongFolder(kind, wanted: wanted) }
                let package = try ModelPackage(path: path)
                return (.coreMLPackage, package.model, package)
            }
            let file = try MappedFile(path: path)
            guard !file.bytes.isEmpty else { throw Failure.isEmpty(path) }
            switch FileKind(file.bytes) {
            case .coreMLModel: return (.coreML, file, nil)
            case .frozenGraph: return (.frozenGraph, file, nil)
            case let kind: throw Failure.wrongKind(kind, wanted: wanted)
            }
        }
    }

    var byteCount: Int { package?.byteCount ?? file.bytes.count }

    /// The outermost message of a Core ML model.
    func message() throws -> Message { try Message(.model, reading: ByteView(viewing: file.bytes, of: file)) }
}
