/// The formats that models are read from, recognized by the content of files and folders.
public enum ModelFormat: Sendable {
    case frozenGraph, savedModel, checkpoint, coreML, coreMLPackage

    /// Whether it is a Core ML model instead of a TensorFlow graph.
    package var isCoreML: Bool { self == .coreML || self == .coreMLPackage }

    /// The format of the file or folder at `path`.
    /// - Throws: `Failure` naming the file, and what it is if it has none of these formats.
    public init(of path: String) throws { try self.init(of: path, isMapped: true) }

    init(of path: String, isMapped: Bool) throws {
        let expected =
            "a Core ML model (.mlmodel, .mlpackage) or a TensorFlow graph (.pb, SavedModel, checkpoint)"
        self = try naming(file: path) {
            let kind = try FileKind.at(path, isMapped: isMapped)
            if let format = ModelFormat(kind, path) { return format }
            throw Failure.wrongKind(kind, expected: expected)
        }
    }

    /// The format of a file or folder of this kind; nil if it does not contain a model.
    init?(_ kind: FileKind, _ path: String) {
        switch kind {
        case .frozenGraph: self = .frozenGraph
        case .savedModel, .folder(.savedModel): self = .savedModel
        case .metaGraph, .checkpointPrefix, .folder(.checkpoint): self = .checkpoint
        case .checkpointIndex: self = .checkpoint
        case .coreMLModel: self = .coreML
        case .folder(.coreMLPackage): self = .coreMLPackage
        // The error for a package without a manifest explains this.
        case .folder where ModelFormat(extensionOf: path) == .coreMLPackage: self = .coreMLPackage
        default: return nil
        }
    }

    /// The format in which a model is written under this name.
    /// - Throws: `Failure` if the extension is not that of a Core ML model.
    package init(pathToWrite path: String) throws {
        guard let format = ModelFormat(extensionOf: path) else { throw Failure.wrongExtension(path) }
        self = format
    }

    /// The format of a Core ML model with this extension; nil for other extensions. Trailing slashes are ignored, because a
    /// package is a folder.
    package init?(extensionOf path: String) {
        var name = path[...]
        while name.count > 1, name.last == "/" { name.removeLast() }
        if name.hasSuffix(".mlpackage") {
            self = .coreMLPackage
        } else if name.hasSuffix(".mlmodel") {
            self = .coreML
        } else {
            return nil
        }
    }
}

extension Failure {
    fileprivate static func wrongExtension(_ path: String) -> Failure {
        Failure(
            .unknownFormat, file: path, "the name ends in neither .mlmodel nor .mlpackage",
            remedy: "the extension selects the format")
    }
}
