import Thaw

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Pipeline {
    /// Reads a Core ML model that is not a network.
    /// - Parameters:
    ///   - precision: The precision that networks are computed in.
    ///   - threads: The threads that share the work of a network.
    /// - Throws: `Failure` naming the file, and the stage that cannot be read.
    public convenience init(contentsOf url: URL, precision: Precision = .float32, threads: Int = 1) throws {
        try self.init(contentsOfFile: url.filePath(), precision: precision, threads: threads)
    }

    /// Whether the file is a Core ML model that is not a network.
    /// - Throws: `Failure` naming the file if it is not a model.
    public static func isPipeline(contentsOf url: URL) throws -> Bool { try isPipeline(contentsOfFile: url.filePath()) }

    /// Whether the content of an `.mlmodel` file is a model that is not a network.
    /// - Throws: `Failure` if it is corrupt.
    public static func isPipeline(decoding data: Data) throws -> Bool {
        try data.withUnsafeBytes { try isPipeline(decoding: $0) }
    }
}

extension PipelineDocument {
    /// Reads a Core ML model that is not a network.
    /// - Parameter mapsFiles: Whether the files are mapped, as in `Converter.Options`.
    /// - Throws: `Failure` naming the file, and the stage that cannot be read.
    public init(contentsOf url: URL, mapsFiles: Bool = true) throws {
        try self.init(contentsOfFile: url.filePath(), mapsFiles: mapsFiles)
    }

    /// Reads a Core ML model in memory: the content of an `.mlmodel` file, or of that in a package.
    /// - Parameter weights: The content of a package's `weights/weight.bin`, if a stage is an ML Program.
    /// - Throws: `Failure` naming the stage that cannot be read.
    public init(decoding data: Data, weights: Data? = nil) throws {
        self = try data.withUnsafeBytes { bytes in
            try weights.withUnsafeBytes { try PipelineDocument(decoding: bytes, weights: $0) }
        }
    }

    /// Writes the pipeline, completely or not at all.
    /// - Throws: `Failure` if the URL does not have the extension for its kind, or if the file cannot be written.
    @discardableResult
    public func write(to url: URL, mayReplace: Bool = true) throws -> WrittenModel {
        try write(toFile: url.filePath(), mayReplace: mayReplace)
    }
}

extension PipelineComparison {
    /// Compares the pipelines on the images in these files, using several threads. Failures of single images, and of
    /// stages on them, are part of the report.
    /// - Throws: `Failure` for a URL with a scheme other than `file`, or if `threads` is less than 1.
    public func report(imagesAt urls: [URL], threads: Int = 1) throws -> Comparison.Report {
        try report(imagesAt: urls.map { try $0.filePath() }, threads: threads)
    }
}

extension Detector {
    /// A detector for the Core ML model at `url`.
    /// - Parameters:
    ///   - precision: The precision that the network is computed in.
    ///   - threads: The threads that share the work of the network.
    /// - Throws: `Failure` if the file cannot be read, or if the model does not detect objects in an image.
    public convenience init(
        contentsOf url: URL, options: Options = Options(), precision: Precision = .float32, threads: Int = 1
    ) throws {
        try self.init(contentsOfFile: url.filePath(), options: options, precision: precision, threads: threads)
    }

    /// Detects objects in the image in a file.
    /// - Throws: `Failure` naming the file if it is not a readable image.
    public func detect(imageAt url: URL) throws -> Detection { try detect(imageAt: url.filePath()) }

    /// Detects objects in the image in a file, on a thread of the library: neither the caller nor Swift's own threads are
    /// blocked.
    /// - Throws: `Failure` naming the file, or `CancellationError` if the task is canceled before the image has been decoded.
    public func detection(inImageAt url: URL) async throws -> Detection {
        try await detection(inImageAt: url.filePath())
    }

    /// Detects objects in the images in these files on several threads, and passes the results to `body` in order, on
    /// the calling thread.
    /// - Parameter body: Called with an image's path and its objects, or the `Failure` if it cannot be read.
    /// - Throws: `Failure` if `threads` is less than 1, and what `body` throws.
    public func detect(
        imagesAt urls: sending some Sequence<URL>, threads: Int,
        _ body: (String, Result<Detection, Failure>) throws -> Void
    ) throws {
        try detect(images: urls.lazy.map { ImageFile(at: $0) }, threads: threads, body)
    }
}

extension COCOAnnotations {
    /// Reads annotations in COCO's format.
    /// - Throws: `Failure` naming the file and the entry that is wrong.
    public init(contentsOf url: URL) throws { try self.init(contentsOfFile: url.filePath()) }
}
