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

extension GraphDefinition {
    /// Reads a serialized GraphDef.
    /// - Throws: `Failure` if it is corrupt.
    public init(decoding data: Data) throws {
        self = try data.withUnsafeBytes { try GraphDefinition(decoding: $0) }
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

    /// Reads a Core ML model in memory: the content of an `.mlmodel` file, or of that in a package.
    /// - Parameters:
    ///   - weights: For an ML Program: the content of a package's `weights/weight.bin`.
    ///   - function: The function of an ML Program with several; nil for its default.
    /// - Throws: `Failure` if it is not a readable Core ML model.
    public static func load(decoding data: Data, weights: Data? = nil, function: String? = nil) throws -> Conversion {
        try ModelDocument(decoding: data, weights: weights, function: function).conversion
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
    /// - Parameters:
    ///   - weights: For an ML Program: the content of a package's `weights/weight.bin`.
    ///   - function: The function of an ML Program with several; nil for its default.
    /// - Throws: `Failure` if it is not a readable Core ML model.
    public init(decoding data: Data, weights: Data? = nil, function: String? = nil) throws {
        self = try data.withUnsafeBytes { bytes in
            try weights.withUnsafeBytes { try ModelDocument(decoding: bytes, weights: $0, function: function) }
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

extension ModelFormat {
    /// The format of the file or folder at `url`.
    /// - Throws: `Failure` naming the file, and what it is if it has none of these formats.
    public init(of url: URL) throws { try self.init(of: url.filePath()) }
}

extension Quantization {
    /// Quantizes a model.
    /// - Parameter urls: The photos on which ranges are measured, and top labels compared.
    /// - Throws: `Failure` if the model cannot be quantized, or if there is no photo that can be read.
    public init(_ model: Model, imagesAt urls: some Sequence<URL>, options: Options = Options()) throws {
        try self.init(model, imagesAt: urls.map { try $0.filePath() }, options: options)
    }

    /// Writes the quantized model atomically: as a neural network if the URL ends in `.mlmodel`, as an ML Program if it
    /// ends in `.mlpackage`.
    /// - Throws: `Failure` if the file cannot be written, or if it would compute in float16 with values that are too
    ///   large for it.
    @discardableResult
    public func write(
        to url: URL, target: CoreMLVersion? = nil, precision: ProgramPrecision = ProgramPrecision(),
        mayReplace: Bool = true
    ) throws -> WrittenModel {
        try write(toFile: url.filePath(), target: target, precision: precision, mayReplace: mayReplace)
    }
}

extension Compression {
    /// Reads the Core ML model at `url`, to compress its weights.
    /// - Parameter function: The function to compress of an ML Program with several; nil for its default.
    /// - Throws: `Failure` naming the file if it is not a readable Core ML model, or if its weights are already
    ///   compressed or can be trained on the device.
    public init(contentsOf url: URL, weights: WeightStorage, function: String? = nil) throws {
        try self.init(contentsOfFile: url.filePath(), weights: weights, function: function)
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

extension Data? {
    /// Calls `body` with the bytes, or with nil if there are none.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer?) throws -> Result) rethrows -> Result {
        guard let self else { return try body(nil) }
        return try self.withUnsafeBytes { try body($0) }
    }
}

extension URL {
    /// The path of a file or folder.
    /// - Throws: `Failure` for a URL with another scheme, or if the path is not text.
    func filePath() throws(Failure) -> String {
        guard isFileURL else {
            throw Failure(.noSuchFile, file: absoluteString, "it is not the URL of a file", remedy: "download it first")
        }
        guard !path.isEmpty else {
            throw Failure(
                .noSuchFile, file: absoluteString, "the path of the file is not UTF-8", remedy: "rename the file")
        }
        return path
    }
}
