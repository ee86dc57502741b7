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
        try requireThreads(threads)
        typealias Half = (path: String, image: Result<Prepared, Failure>)
        // Copies of an iterator may not share their position, so it is in a box.
        let source = IteratorBox(images.makeIterator())
        let pipeline = OrderedPipeline<ImageFile, Half, (path: String, result: Result<Classification, Failure>)>(
            threads: threads, window: 16 * threads, nextItem: { source.next() },
            prepare: { found in
                (found.path, self.prepared(found, thumbnailSide: thumbnailSide))
            },
            finish: { half in (half.path, half.image.map { self.classify($0) }) })
        try pipeline.run { try body($0.path, $0.result) }
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

/// An iterator whose position all copies share.
final class IteratorBox<Iterator: IteratorProtocol> {
    private var iterator: Iterator

    init(_ iterator: Iterator) { self.iterator = iterator }

    func next() -> Iterator.Element? { iterator.next() }
}
