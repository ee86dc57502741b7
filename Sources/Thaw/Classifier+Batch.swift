extension Classifier {
    /// Classifies many images on several threads, and passes the results to `body` in the order of `images`, on the calling
    /// thread.
    ///
    /// Reading, decoding and computing run in parallel. The library's threads read `images` ahead by a limited number of
    /// images, so that memory does not grow with their number.
    /// - Parameter body: Called with an image's path and its classification, or the `Failure` if it cannot be read. An error
    ///   that it throws ends the work.
    /// - Throws: `Failure` if `threads` is less than 1, and what `body` throws.
    public func classify(
        images: sending some Sequence<ImageFile>, threads: Int,
        _ body: (String, Result<Classification, Failure>) throws -> Void
    ) throws {
        try classify(images: images, threads: threads, thumbnailSide: nil, body)
    }

    /// - Parameter thumbnailSide: The longer side of each image's thumbnail in pixels; nil makes none.
    package func classify(
        images: some Sequence<ImageFile>, threads: Int, thumbnailSide: Int?,
        _ body: (String, Result<Classification, Failure>) throws -> Void
    ) throws {
        let prepare = { (image: ImageFile) in
            let prepared = self.prepared(image, thumbnailSide: thumbnailSide)
            return { prepared.map { self.classify($0) } }
        }
        try processImages(images, threads: threads, preparing: prepare, body)
    }

    /// Classifies the images at these paths.
    /// - Throws: `Failure` if `threads` is less than 1, and what `body` throws.
    public func classify(
        imagesAt paths: sending some Sequence<String>, threads: Int,
        _ body: (String, Result<Classification, Failure>) throws -> Void
    ) throws {
        try classify(images: paths.lazy.map { ImageFile(path: $0) }, threads: threads, body)
    }
}
