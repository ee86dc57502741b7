#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Classifies many images on several threads. Results are taken one by one, in the order of the images.
///
///     let batch = ClassificationBatch(classifier, images: ImageFiles(["photos"]), threads: 4)
///     while let (path, result) = batch.next() { … }
///
/// A few images per thread are worked on ahead of the results taken, so memory does not grow with their number.
public final class ClassificationBatch: @unchecked Sendable {
    /// An image, and its classification or the reason why there is none.
    public typealias Element = (image: FoundImage, result: Result<Classification, Failure>)
    private typealias Half = (image: FoundImage, prepared: Result<Classifier.Prepared, Failure>)

    /// What waiting for a result led to.
    public enum Next {
        case result(Element)
        /// No images are left. If images are added one by one, more may be added.
        case end
        case canceled
        case timedOut
    }

    private let conveyor: Conveyor<FoundImage, Half, Element>
    private let source: Source
    /// One thread at a time takes results.
    private let taking = Lock()
    /// How many images keep all threads busy.
    public let window: Int

    /// - Parameters:
    ///   - images: The images, which a thread draws as needed; nil if they are added one by one.
    ///   - window: How many images may be worked on or wait to be taken; nil for 16 per thread.
    public init(
        _ classifier: Classifier, images: (any IteratorProtocol<FoundImage>)? = nil, threads: Int, window: Int? = nil
    ) {
        let source = Source(images)
        self.source = source
        self.window = max(window ?? 16 * threads, 1)
        conveyor = Conveyor(
            threads: threads, window: self.window, draw: { source.next() },
            prepare: { image in (image, classifier.prepared(image, thumbnailSide: nil)) },
            finish: { half in
                // Only the name of the image is still needed.
                (FoundImage(path: half.image.path), half.prepared.map { classifier.classify($0) })
            })
        conveyor.begin()
    }

    deinit { finish() }

    /// What became of an image that was to be added.
    public enum Addition: Sendable {
        case added
        /// The batch was canceled.
        case canceled
        /// The batch was created with images.
        case hasImages
    }

    /// Adds an image to a batch that was created without images. This never waits.
    public func add(_ image: FoundImage) -> Addition { source.add(image) }

    /// Waits for the next result.
    /// - Parameter milliseconds: How long to wait; nil for as long as it takes.
    public func next(within milliseconds: Int? = nil) -> Next {
        taking.withLock {
            if source.isCanceled { return .canceled }
            // The threads wait for more images.
            if source.isIdle { return .end }
            if let milliseconds, !conveyor.isReady(by: timespec(millisecondsFromNow: milliseconds)) {
                return .timedOut
            }
            guard let element = conveyor.next() else { return source.isCanceled ? .canceled : .end }
            source.didTake()
            return .result(element)
        }
    }

    /// The next result; nil at the end and after `cancel`.
    public func next() -> Element? {
        if case .result(let element) = next(within: nil) { element } else { nil }
    }

    /// Drops images that are not begun, and ends all waiting.
    public func cancel() {
        source.cancel()
        conveyor.stop()
    }

    /// Cancels, and waits for the images that are being worked on.
    public func finish() {
        cancel()
        taking.withLock { conveyor.end() }
    }
}

/// Where the images come from: an iterator, or a queue that images are added to.
private final class Source: @unchecked Sendable {
    private var images: (any IteratorProtocol<FoundImage>)?
    private let isQueue: Bool
    private var queue: [FoundImage] = []
    private var drawn = 0
    /// How many images of a queue have no result yet.
    private var pending = 0
    private var hasStopped = false
    private let monitor = Monitor()

    init(_ images: (any IteratorProtocol<FoundImage>)?) { (self.images, isQueue) = (images, images == nil) }

    /// Whether all images of a queue have a result that was taken.
    var isIdle: Bool { monitor.withLock { isQueue && pending == 0 } }

    func didTake() { monitor.withLock { pending -= 1 } }

    func add(_ image: FoundImage) -> ClassificationBatch.Addition {
        let addition: ClassificationBatch.Addition = monitor.withLock {
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
    func next() -> FoundImage? {
        guard isQueue else { return isCanceled ? nil : images?.next() }
        return monitor.withLock {
            while drawn == queue.count, !hasStopped { monitor.wait() }
            if hasStopped { return nil }
            defer { trim() }
            drawn += 1
            return queue[drawn - 1]
        }
    }

    var isCanceled: Bool { monitor.withLock { hasStopped } }

    /// Releases images that were drawn.
    private func trim() {
        guard drawn >= 64, drawn * 2 >= queue.count else { return }
        queue.removeFirst(drawn)
        drawn = 0
    }

    func cancel() {
        monitor.withLock {
            hasStopped = true
            queue = []
            drawn = 0
        }
        monitor.broadcast()
    }
}

extension timespec {
    /// A time on the system's clock.
    fileprivate init(millisecondsFromNow milliseconds: Int) {
        self.init()
        clock_gettime(CLOCK_REALTIME, &self)
        let nanoseconds = tv_nsec + milliseconds % 1000 * 1_000_000
        tv_sec += milliseconds / 1000 + nanoseconds / 1_000_000_000
        tv_nsec = nanoseconds % 1_000_000_000
    }
}
