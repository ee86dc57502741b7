import Thaw

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Classifier {
    /// A classifier for the Core ML model or the TensorFlow graph at `url`.
    /// - Throws: `Failure` if the file cannot be read, or if the model does not take an image and return a vector of
    ///   class scores.
    public convenience init(
        contentsOf url: URL, labels: Labels? = nil, precision: Precision = .float32, threads: Int = 1
    ) throws {
        try self.init(contentsOfFile: url.filePath(), labels: labels, precision: precision, threads: threads)
    }

    /// Classifies the image in a file.
    /// - Throws: `Failure` naming the file if it is not a readable image.
    public func classify(imageAt url: URL) throws -> Classification { try classify(imageAt: url.filePath()) }

    /// Classifies the images in these files on several threads, and passes the results to `body` in order, on the
    /// calling thread.
    /// - Parameter body: Called with an image's path and its classification, or the `Failure` if it cannot be read.
    /// - Throws: `Failure` if `threads` is less than 1, and what `body` throws.
    public func classify(
        imagesAt urls: sending some Sequence<URL>, threads: Int,
        _ body: (String, Result<Classification, Failure>) throws -> Void
    ) throws {
        try classify(images: urls.lazy.map { ImageFile(at: $0) }, threads: threads, body)
    }

    /// Classifies the image in a file, on a thread of the library: neither the caller nor Swift's own threads are
    /// blocked.
    /// - Throws: `Failure` naming the file, or `CancellationError` if the task is canceled before the image has been
    ///   read.
    public func classification(ofImageAt url: URL) async throws -> Classification {
        try await classification(ofImageAt: url.filePath())
    }
}

extension ImageToImage {
    /// Reads a model, or converts a graph with `graphOptions`.
    /// - Throws: `Failure` naming the file and the problem.
    public convenience init(
        contentsOf url: URL, graphOptions: Converter.Options = .init(), options: Options = Options()
    ) throws {
        try self.init(contentsOfFile: url.filePath(), graphOptions: graphOptions, options: options)
    }

    /// The output for the image in a file.
    /// - Throws: `Failure` naming the file if it is not a readable image, or if it is too large for the memory.
    public func apply(toImageAt url: URL) throws -> Output { try apply(toImageAt: url.filePath()) }
}

extension DecodedImage {
    /// Reads an image file, and rotates the image according to its EXIF or XMP orientation.
    /// - Throws: `Failure` if the file is missing, truncated, corrupt, larger than the options allow, or of another
    ///   kind.
    public init(contentsOf url: URL, options: DecodingOptions = DecodingOptions()) throws {
        try self.init(contentsOfFile: url.filePath(), options: options)
    }

    /// Decodes the content of an image file.
    /// - Throws: `Failure`, as for a file.
    public init(decoding data: Data, options: DecodingOptions = DecodingOptions()) throws {
        self = try data.withUnsafeBytes { try DecodedImage(decoding: $0, options: options) }
    }
}

extension Pixels {
    /// Reads an image file, and rotates the image according to its EXIF or XMP orientation.
    /// - Throws: `Failure` if the file is missing, truncated, corrupt, larger than the options allow, or of another
    ///   kind.
    public init(contentsOf url: URL, options: DecodingOptions = DecodingOptions()) throws {
        try self.init(contentsOfFile: url.filePath(), options: options)
    }

    /// Decodes the content of an image file.
    /// - Throws: `Failure`, as for a file.
    public init(decoding data: Data, options: DecodingOptions = DecodingOptions()) throws {
        self = try data.withUnsafeBytes { try Pixels(decoding: $0, options: options) }
    }

    /// Writes the image atomically to a PNG or JPEG file, depending on the URL's extension.
    /// - Parameters:
    ///   - quality: The quality of a JPEG, from 1 to 100. Colors are not subsampled from 90 on.
    ///   - mayReplace: Whether an existing file may be replaced.
    /// - Precondition: The channels are gray, or red, green, blue.
    /// - Throws: `Failure` for another extension, an image too large for the format, or if the file cannot be written.
    public func write(to url: URL, quality: Int = 90, mayReplace: Bool = true) throws {
        try write(toFile: url.filePath(), quality: quality, mayReplace: mayReplace)
    }
}

extension ImageFile {
    /// An image in memory, with the name that results use for it.
    public init(path: String, content: Data) { self.init(path: path, content: Array(content)) }

    /// The image file at `url`. A URL with a scheme other than `file` becomes the image's failure.
    public init(at url: URL) {
        do { self.init(path: try url.filePath()) } catch {
            self.init(path: url.absoluteString, failure: error)
        }
    }
}

extension ImageFiles {
    /// The image files that the URLs refer to: files, and folders with images.
    /// - Throws: `Failure` for a URL with a scheme other than `file`.
    public convenience init(_ urls: [URL]) throws { self.init(try urls.map { try $0.filePath() }) }
}

extension Comparison {
    /// Compares the models on the images in these files, using several threads.
    /// - Throws: `Failure` if the engine cannot determine the first difference. Failures of single images are part of
    ///   the report.
    public func report(imagesAt urls: [URL], threads: Int = 1) throws -> Report {
        try report(imagesAt: urls.map { try $0.filePath() }, threads: threads)
    }
}
