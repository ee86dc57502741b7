#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The classifications of many images.
public typealias ClassificationBatch = ImageBatch<Classification>
/// The objects in many images.
public typealias DetectionBatch = ImageBatch<Detection>

extension ClassificationBatch {
    /// Classifies images on several threads.
    /// - Parameters:
    ///   - images: The images, which the library's threads take as needed; nil if they are added one by one.
    ///   - window: How many images may be worked on or wait to be taken; nil for 16 per thread.
    /// - Throws: `Failure` if `threads` is less than 1.
    public convenience init(
        _ classifier: Classifier, images: sending (any IteratorProtocol<ImageFile>)? = nil, threads: Int,
        window: Int? = nil
    ) throws {
        try self.init(images: images, threads: threads, window: window) { image in
            let prepared = classifier.prepared(image, thumbnailSide: nil)
            return { prepared.map { classifier.classify($0) } }
        }
    }
}

extension DetectionBatch {
    /// Detects objects in images on several threads.
    /// - Parameters:
    ///   - images: The images, which the library's threads take as needed; nil if they are added one by one.
    ///   - window: How many images may be worked on or wait to be taken; nil for 16 per thread.
    /// - Throws: `Failure` if `threads` is less than 1.
    public convenience init(
        _ detector: Detector, images: sending (any IteratorProtocol<ImageFile>)? = nil, threads: Int, window: Int? = nil
    ) throws {
        try self.init(images: images, threads: threads, window: window) { image in
            let prepared = detector.prepared(image)
            return { detector.detection(prepared) }
        }
    }
}

/// The outcome of adding an image to a batch.
public enum ImageAddition: Sendable {
    case added
    /// The batch was canceled.
    case canceled
    /// The batch was created with images.
    case hasImages
}

/// Classifies many images, or detects objects in them, on several threads. Results are taken one by one, in the order of the
/// images.
///
///     let batch = try ClassificationBatch(classifier, images: ImageFiles(["photos"]), threads: 4)
///     for (image, result) in batch { print(image.path, result) }
///
/// A few images per thread are worked on ahead of the results taken, so memory does not grow with their number.
public final class ImageBatch<Output: Sendable>: Sequence, IteratorProtocol, @unchecked Sendable {
    /// An image, and its result or the reason why there is none.
    public typealias Element = (image: ImageFile, result: Result<Output, Failure>)

    /// The outcome of waiting for a result.
    public enum Next {
        /// The next image and its result.
        case result(Element)
        /// No images are left. If images are added one by one, more may be added.
        case end
        /// The batch was canceled.
        case canceled
        /// No result arrived in time.
        case timedOut
    }

    private let pipeline: ImagePipeline<Output>
    private let source: Source
    /// One thread at a time takes results.
    private let taking = Lock()
    /// How many results have been taken.
    private var taken = 0
    /// How many images keep all threads busy.
    public let window: Int

    /// - Parameter prepare: Decodes an image, and returns a function that computes its result.
    /// - Throws: `Failure` if `threads` is less than 1.
    init(
        images: sending (any IteratorProtocol<ImageFile>)?, threads: Int, window: Int?,
        prepare: @escaping (ImageFile) -> () -> Result<Output, Failure>
    ) throws {
        try requireThreads(threads)
        let source = Source(images)
        self.source = source
        self.window = Swift.max(window ?? imageWindow(threads: threads), 1)
        pipeline = imagePipeline(
            threads: threads, window: self.window, nextImage: { source.next() }, prepare: prepare)
        pipeline.begin()
    }

    deinit { cancelAndWait() }

    /// Adds an image to a batch that was created without images. This never waits.
    public func add(_ image: ImageFile) -> ImageAddition { source.add(image) }

    /// Waits for the next result.
    /// - Parameter limit: How long to wait; nil for as long as it takes.
    public func next(within limit: Duration?) -> Next { indexedNext(within: limit).next }

    /// The same with the index of the image.
    package func indexedNext(within limit: Duration?) -> (index: Int, next: Next) {
        taking.withLock {
            let next = locklessNext(within: limit)
            defer { if case .result = next { taken += 1 } }
            return (taken, next)
        }
    }

    private func locklessNext(within limit: Duration?) -> Next {
        if source.isCanceled { return .canceled }
        // The threads wait for more images.
        if source.isIdle { return .end }
        if let limit, !pipeline.isReady(by: timespec(fromNow: limit)) { return .timedOut }
        guard let element = pipeline.next() else { return source.isCanceled ? .canceled : .end }
        source.didTake()
        return .result(element)
    }

    /// The next result; nil at the end and after `cancel`.
    public func next() -> Element? {
        if case .result(let element) = next(within: nil) { element } else { nil }
    }

    /// Drops images that have not been started, and ends all waiting.
    public func cancel() {
        source.cancel()
        pipeline.stop()
    }

    /// Cancels, and waits for the images that are being worked on.
    public func cancelAndWait() {
        cancel()
        taking.withLock { pipeline.end() }
    }
}

/// The source of the images: an iterator, or a queue to which images are added.
private final class Source: @unchecked Sendable {
    private var images: (any IteratorProtocol<ImageFile>)?
    private let isQueue: Bool
    private var queue: [ImageFile] = []
    private var fetched = 0
    /// How many images of a queue have no result yet.
    private var pending = 0
    private var hasStopped = false
    private let monitor = Monitor()

    init(_ images: (any IteratorProtocol<ImageFile>)?) { (self.images, isQueue) = (images, images == nil) }

    /// Whether the results of all images in a queue have been taken.
    var isIdle: Bool { monitor.withLock { isQueue && pending == 0 } }

    func didTake() { monitor.withLock { pending -= 1 } }

    func add(_ image: ImageFile) -> ImageAddition {
        let addition: ImageAddition = monitor.withLock {
            guard isQueue else { return .hasImages }
            guard !hasStopped else { return .canceled }
            queue.append(image)
            pending += 1
            return .added
        }
        monitor.signal()
        return addition
    }

    /// The next image. It waits for one to be added to a queue; nil at the end of the others, and after `cancel`.
    func next() -> ImageFile? {
        guard isQueue else { return isCanceled ? nil : images?.next() }
        return monitor.withLock {
            while fetched == queue.count, !hasStopped { monitor.wait() }
            if hasStopped { return nil }
            defer { trim() }
            fetched += 1
            return queue[fetched - 1]
        }
    }

    var isCanceled: Bool { monitor.withLock { hasStopped } }

    /// Releases images that were fetched.
    private func trim() {
        guard fetched >= 64, fetched * 2 >= queue.count else { return }
        queue.removeFirst(fetched)
        fetched = 0
    }

    func cancel() {
        monitor.withLock {
            hasStopped = true
            queue = []
            fetched = 0
        }
        monitor.broadcast()
    }
}

extension timespec {
    /// A time on the system's clock, at most a century from now; a negative duration has passed already.
    fileprivate init(fromNow duration: Duration) {
        self.init()
        clock_gettime(CLOCK_REALTIME, &self)
        let (seconds, attoseconds) = min(max(duration, .zero), .seconds(100 * 365 * 86_400)).components
        let nanoseconds = tv_nsec + Int(attoseconds / 1_000_000_000)
        tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        tv_nsec = nanoseconds % 1_000_000_000
    }
}
