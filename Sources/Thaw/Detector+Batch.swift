extension Detector {
    /// Detects objects in many images on several threads, and passes the results to `body` in the order of `images`, on the
    /// calling thread.
    ///
    /// Reading, decoding and computing run in parallel. The library's threads read `images` ahead by a limited number of
    /// images.
    /// - Parameter body: Called with an image's path and its objects, or the `Failure` if it cannot be read. An error that it
    ///   throws ends the work.
    /// - Throws: `Failure` if `threads` is less than 1, and what `body` throws.
    public func detect(
        images: sending some Sequence<ImageFile>, threads: Int,
        _ body: (String, Result<Detection, Failure>) throws -> Void
    ) throws {
        try detect(images: images, threads: threads, inspecting: nil, body)
    }

    /// - Parameter inspect: Called with the path, the original image and the objects in it, on any thread. A `Failure` that it
    ///   throws is the result for the image.
    package func detect(
        images: some Sequence<ImageFile>, threads: Int,
        inspecting inspect: (@Sendable (String, Pixels, Detection) throws -> Void)?,
        _ body: (String, Result<Detection, Failure>) throws -> Void
    ) throws {
        try requireThreads(threads)
        let source = IteratorBox(images.makeIterator())
        // Originals are large.
        let window = inspect == nil ? 16 * threads : 2 * threads
        let pipeline = OrderedPipeline<ImageFile, Prepared, (path: String, result: Result<Detection, Failure>)>(
            threads: threads, window: window, nextItem: { source.next() },
            prepare: { self.prepared($0, keepsOriginal: inspect != nil) },
            finish: { prepared in
                (prepared.path, prepared.detection(by: self, inspecting: inspect))
            })
        try pipeline.run { try body($0.path, $0.result) }
    }

    /// Detects objects in the images at these paths.
    /// - Throws: `Failure` if `threads` is less than 1, and what `body` throws.
    public func detect(
        imagesAt paths: sending some Sequence<String>, threads: Int,
        _ body: (String, Result<Detection, Failure>) throws -> Void
    ) throws {
        try detect(images: paths.lazy.map { ImageFile(path: $0) }, threads: threads, body)
    }

    /// An image in the size and colors that the network takes, with what is known about the original.
    struct Prepared: Sendable {
        struct Image: Sendable {
            var fitted: Pixels
            var width: Int
            var height: Int
            var warning: Note?
            var original: Pixels?
        }

        var path: String
        var image: Result<Image, Failure>

        func detection(
            by detector: Detector, inspecting inspect: (@Sendable (String, Pixels, Detection) throws -> Void)? = nil
        ) -> Result<Detection, Failure> {
            image.flatMap { image in
                Result.catchingFailure {
                    var detection = try detector.detect(image.fitted, width: image.width, height: image.height)
                    detection.warning = image.warning
                    if let inspect, let original = image.original { try inspect(path, original, detection) }
                    return detection
                }
            }
        }
    }

    func prepared(_ found: ImageFile, keepsOriginal: Bool = false) -> Prepared {
        let image = Result.catchingFailure {
            let decoded = try self.decoded(found)
            let pixels = decoded.pixels
            return Prepared.Image(
                fitted: self.fitted(pixels), width: pixels.width, height: pixels.height, warning: decoded.warning,
                original: keepsOriginal ? pixels : nil)
        }
        return Prepared(path: found.path, image: image)
    }
}

extension Result where Failure == Thaw.Failure {
    /// The result of `body`, which throws nothing else. It is not an initializer, because `Result { … }` would then
    /// also mean this one, and that catches every error.
    static func catchingFailure(_ body: () throws -> Success) -> Result {
        do {
            return .success(try body())
        } catch let failure as Thaw.Failure {
            return .failure(failure)
        } catch {
            fatalError("unexpected error: \(error)")
        }
    }
}
