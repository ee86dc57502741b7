/// The work on many images: each is prepared, and its result is computed later, on any of several threads.
typealias ImagePipeline<Output> = OrderedPipeline<
    ImageFile, (image: ImageFile, finish: () -> Result<Output, Failure>),
    (image: ImageFile, result: Result<Output, Failure>)
>

/// How many images may be worked on, or wait for their results to be taken, if nothing else is given.
func imageWindow(threads: Int) -> Int { 16 * threads }

/// The pipeline of the images that `nextImage` returns.
/// - Parameter prepare: Decodes an image, and returns a function that computes its result.
func imagePipeline<Output>(
    threads: Int, window: Int, nextImage: @escaping () -> ImageFile?,
    prepare: @escaping (ImageFile) -> () -> Result<Output, Failure>
) -> ImagePipeline<Output> {
    ImagePipeline<Output>(
        threads: threads, window: window, nextItem: nextImage,
        // From here on, only the name of the image is needed.
        prepare: { image in (ImageFile(path: image.path), prepare(image)) },
        finish: { prepared in (prepared.image, prepared.finish()) })
}

/// Processes images on several threads, and passes the results to `body` in the order of the images, on the calling
/// thread.
/// - Parameters:
///   - window: How many images may be worked on or wait for `body`; nil for 16 per thread.
///   - prepare: Decodes an image, and returns a function that computes its result.
/// - Throws: `Failure` if `threads` is less than 1, and what `body` throws.
func processImages<Output>(
    _ images: some Sequence<ImageFile>, threads: Int, window: Int? = nil,
    preparing prepare: @escaping (ImageFile) -> () -> Result<Output, Failure>,
    _ body: (String, Result<Output, Failure>) throws -> Void
) throws {
    try requireThreads(threads)
    // Copies of an iterator may not share their position, so it is in a box.
    let source = IteratorBox(images.makeIterator())
    let pipeline = imagePipeline(
        threads: threads, window: window ?? imageWindow(threads: threads), nextImage: { source.next() },
        prepare: prepare)
    try pipeline.run { try body($0.image.path, $0.result) }
}

/// An iterator whose position all copies share.
private final class IteratorBox<Iterator: IteratorProtocol> {
    private var iterator: Iterator

    init(_ iterator: Iterator) { self.iterator = iterator }

    func next() -> Iterator.Element? { iterator.next() }
}
