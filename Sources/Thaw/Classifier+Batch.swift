extension Classifier {
    /// Classifies many images on several threads, and hands the answers to `body` in the order of `images`, on the thread
    /// that calls.
    ///
    /// Reading, decoding and computing go on side by side. `images` is asked for the next one when there is room: some
    /// images are worked on before the answer to the first is handed over, never all of them, so that memory does not grow
    /// with their number.
    /// - Parameters:
    ///   - thumbnailSide: The longer side of a small version of each image, in pixels, where one is wanted.
    ///   - body: Gets an image's path, and its classification, or the `Failure` of one that cannot be read. What it throws
    ///     ends the work.
    public func classify(
        images: some Sequence<FoundImage>, threads: Int, thumbnailSide: Int? = nil,
        _ body: (String, Result<Classification, Failure>) throws -> Void
    ) rethrows {
        typealias Half = (path: String, image: Result<Prepared, Failure>)
        // Copies of an iterator may not share a place, so it lies in a box.
        let source = IteratorBox(images.makeIterator())
        let conveyor = Conveyor<FoundImage, Half, (path: String, answer: Result<Classification, Failure>)>(
            threads: threads, window: 16 * threads, draw: { source.next() },
            prepare: { found in
                (found.path, self.prepared(found, thumbnailSide: thumbnailSide))
            },
            finish: { half in (half.path, half.image.map { self.classify($0) }) })
        try conveyor.run { try body($0.path, $0.answer) }
    }

    /// The same for files that are known by their paths.
    public func classify(
        imagesAt paths: some Sequence<String>, threads: Int,
        _ body: (String, Result<Classification, Failure>) throws -> Void
    ) rethrows {
        try classify(images: paths.lazy.map { FoundImage(path: $0) }, threads: threads, body)
    }
}

private final class IteratorBox<Iterator: IteratorProtocol> {
    private var iterator: Iterator

    init(_ iterator: Iterator) { self.iterator = iterator }

    func next() -> Iterator.Element? { iterator.next() }
}
