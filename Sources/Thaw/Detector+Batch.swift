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
        let prepare = { (image: ImageFile) in
            let path = image.path
            let prepared = self.prepared(image, keepsOriginal: inspect != nil)
            return { self.detection(prepared) { try inspect?(path, $0, $1) } }
        }
        // Originals are large.
        let window = inspect == nil ? nil : 2 * threads
        try processImages(images, threads: threads, window: window, preparing: prepare, body)
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
        var fitted: Pixels
        var width: Int
        var height: Int
        var warning: Note?
        var original: Pixels?
    }

    func prepared(_ found: ImageFile, keepsOriginal: Bool = false) -> Result<Prepared, Failure> {
        Result.catchingFailure {
            let decoded = try self.decoded(found)
            let pixels = decoded.pixels
            return Prepared(
                fitted: self.fitted(pixels), width: pixels.width, height: pixels.height, warning: decoded.warning,
                original: keepsOriginal ? pixels : nil)
        }
    }

    /// - Parameter inspect: Called with the original, if it was kept, and the objects in it.
    func detection(
        _ prepared: Result<Prepared, Failure>, inspecting inspect: (Pixels, Detection) throws -> Void = { _, _ in }
    ) -> Result<Detection, Failure> {
        prepared.flatMap { image in
            Result.catchingFailure {
                var detection = try detect(image.fitted, width: image.width, height: image.height)
                detection.warning = image.warning
                if let original = image.original { try inspect(original, detection) }
                return detection
            }
        }
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
