import Thaw

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Converter {
    /// Converts the frozen graph, the SavedModel or the checkpoint at `url`.
    /// - Throws: `Failure` naming the file, and the nodes at fault.
    public func convert(contentsOf url: URL, labels: Labels? = nil) throws -> Conversion {
        try convert(contentsOfFile: url.filePath(), labels: labels)
    }

    /// Converts a serialized GraphDef.
    /// - Throws: `Failure` naming the nodes at fault, and variables without a value or with one of another shape.
    public func convert(
        decoding data: Data, variables: [String: Tensor] = [:], labels: Labels? = nil
    ) throws -> Conversion {
        try data.withUnsafeBytes { try convert(decoding: $0, variables: variables, labels: labels) }
    }
}

extension Model {
    /// Reads a Core ML model (`.mlmodel`, `.mlpackage`), or converts a TensorFlow graph in memory.
    /// - Throws: `Failure` naming the file and the problem.
    public static func load(
        contentsOf url: URL, options: Converter.Options = .init(), labels: Labels? = nil
    ) throws -> Conversion {
        try load(contentsOfFile: url.filePath(), options: options, labels: labels)
    }

    /// Writes the model atomically: as a Core ML neural network if the URL ends in `.mlmodel`, as an ML Program if it
    /// ends in `.mlpackage`.
    /// - Returns: A summary of the written model. The version of the format is the lowest that suffices.
    /// - Throws: `Failure` for an operation that the format cannot express, and if the file cannot be written.
    @discardableResult
    public func write(
        to url: URL, weights: WeightStorage? = nil, target: CoreMLVersion? = nil,
        precision: ProgramPrecision = ProgramPrecision(), mayReplace: Bool = true
    ) throws -> WrittenModel {
        try write(
            toFile: url.filePath(), weights: weights, target: target, precision: precision, mayReplace: mayReplace)
    }
}

extension ModelDocument {
    /// Reads a Core ML model, or converts a TensorFlow graph.
    /// - Throws: `Failure` naming the file and the problem.
    public init(contentsOf url: URL, options: Converter.Options = .init(), labels: Labels? = nil) throws {
        try self.init(contentsOfFile: url.filePath(), options: options, labels: labels)
    }

    /// Reads a Core ML model in memory: the content of an `.mlmodel` file, or of that in a package.
    /// - Parameter weights: For an ML Program: the content of a package's `weights/weight.bin`.
    /// - Throws: `Failure` if it is not a readable Core ML model.
    public init(decoding data: Data, weights: Data? = nil) throws {
        self = try data.withUnsafeBytes { bytes in
            guard let weights else { return try ModelDocument(decoding: bytes) }
            return try weights.withUnsafeBytes { try ModelDocument(decoding: bytes, weights: $0) }
        }
    }

    /// Writes the model atomically, as `write(toFile:)` does.
    /// - Throws: `Failure` for what the format does not support, and if the file cannot be written.
    @discardableResult
    public func write(
        to url: URL, weights: WeightStorage? = nil, target: CoreMLVersion? = nil,
        precision: ProgramPrecision = ProgramPrecision(), mayReplace: Bool = true
    ) throws -> WrittenModel {
        try write(
            toFile: url.filePath(), weights: weights, target: target, precision: precision, mayReplace: mayReplace)
    }
}

extension Compression {
    /// - Throws: `Failure` naming the file if it is not a readable Core ML model, or if its weights are already
    ///   compressed or can be trained on the device.
    public init(contentsOf url: URL, weights: WeightStorage) throws {
        try self.init(contentsOfFile: url.filePath(), weights: weights)
    }

    /// Writes the compressed model atomically. It may replace the original.
    /// - Throws: `Failure` if no weight tensor is large enough, if the systems do not support such weights, or if the
    ///   file cannot be written.
    @discardableResult
    public func write(to url: URL, target: CoreMLVersion? = nil, mayReplace: Bool = true) throws -> WrittenModel {
        try write(toFile: url.filePath(), target: target, mayReplace: mayReplace)
    }
}

extension Labels {
    /// Reads labels, one per line.
    /// - Throws: `Failure` naming the file and the line.
    public init(contentsOf url: URL) throws { try self.init(contentsOfFile: url.filePath()) }
}

extension GroundTruth {
    /// Reads the known classes of images from a folder with a folder for each class, or from a table of paths and
    /// classes.
    /// - Throws: `Failure` naming the file and the line.
    public init(contentsOf url: URL, for model: Model, offset: Int = 0) throws {
        try self.init(contentsOfFile: url.filePath(), for: model, offset: offset)
    }
}

extension URL {
    /// The path of a file or folder.
    /// - Throws: `Failure` for a URL with another scheme.
    func filePath() throws -> String {
        guard isFileURL else {
            throw Failure(.noSuchFile, file: absoluteString, "it is not the URL of a file", remedy: "download it first")
        }
        return path
    }
}
