#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Processes a stream of items in two stages on several threads, and returns the results in the order of the items.
///
/// If enough prepared items have accumulated, a thread finishes those; otherwise it fetches the next item and prepares
/// it. So both stages progress together whatever their costs, and a thread stays with one stage for several items,
/// which is good for its caches. At most `window` items are between the last one fetched and the last result taken, so
/// memory does not grow with the stream.
final class OrderedPipeline<Item, Prepared, Output>: @unchecked Sendable {
    private let nextItem: () -> Item?
    private let prepare: (Item) -> Prepared
    private let finish: (Prepared) -> Output
    private let start: (@escaping () -> Void) -> pthread_t?
    private let threads: Int
    private let window: Int
    /// How many prepared items a thread finishes in a row.
    private let group: Int

    // Everything below is guarded by `lock`.
    private let lock = Lock()
    /// `work` wakes threads that wait for work, `resultReady` the thread that waits for the next result.
    private let work = Condition()
    private let resultReady = Condition()
    private var prepared: [(ticket: Int, item: Prepared)] = []
    private var results: [Output?]
    private var fetched = 0
    private var taken = 0
    private var isFetching = false
    private var hasEnded = false
    private var isStopped = false
    private var running: [pthread_t] = []

    /// - Parameters:
    ///   - nextItem: Returns the next item, or nil at the end. It is called by one thread at a time and may take long:
    ///     work on items already fetched continues meanwhile.
    ///   - start: Starts a thread, or returns nil if the system cannot. If no thread starts, `run` does the work
    ///     itself.
    init(
        threads: Int, window: Int, nextItem: @escaping () -> Item?, prepare: @escaping (Item) -> Prepared,
        finish: @escaping (Prepared) -> Output,
        startingThreadsBy start: @escaping (@escaping () -> Void) -> pthread_t? = startThread
    ) {
        (self.threads, self.window) = (max(threads, 1), max(window, 1))
        (self.nextItem, self.prepare, self.finish, self.start) = (nextItem, prepare, finish, start)
        group = threads > 1 ? 4 : 1
        results = Array(repeating: nil, count: self.window)
    }

    /// Works until the stream ends, and passes the results to `body` on the calling thread. If `body` throws, the work
    /// ends. Call this only once, and none of the functions below.
    func run(_ body: (Output) throws -> Void) rethrows {
        begin()
        defer { end() }
        while let result = next() { try body(result) }
    }

    // MARK: The parts of a run

    /// Starts the threads. Call this once, and `end` after it.
    func begin() { running = (0..<threads).compactMap { _ in start { self.serve() } } }

    /// Stops the threads after their current work, and waits for them.
    func end() {
        stop()
        for thread in running { pthread_join(thread, nil) }
        running = []
    }

    /// Makes the threads stop after their current work, and `next` return nil.
    func stop() {
        lock.withLock { isStopped = true }
        work.broadcast()
        resultReady.broadcast()
    }

    /// Waits for the next result; nil at the end of the stream and after `stop`. One thread at a time may call it.
    func next() -> Output? {
        // Without threads the caller does all the work. The results are the same.
        guard !running.isEmpty else {
            return lock.withLock { isStopped } ? nil : nextItem().map { finish(prepare($0)) }
        }
        return lock.withLock {
            while !isStopped {
                if let result = takeResult() { return result }
                if hasEnded && taken == fetched { return nil }
                resultReady.wait(lock)
            }
            return nil
        }
    }

    /// Waits for a result until `deadline`, or until the end of the stream or `stop`.
    /// - Returns: Whether `next` would not wait.
    func isReady(by deadline: timespec) -> Bool {
        running.isEmpty
            || lock.withLock {
                while !isStopped, results[taken % window] == nil, !(hasEnded && taken == fetched) {
                    if !resultReady.wait(lock, until: deadline) { return false }
                }
                return true
            }
    }

    private func takeResult() -> Output? {
        guard let result = results[taken % window] else { return nil }
        results[taken % window] = nil
        // While the window was full, the threads could fetch nothing.
        if fetched - taken == window { work.broadcast() }
        taken += 1
        return result
    }

    private func serve() {
        lock.withLock {
            while !isStopped {
                let mayFetch = !hasEnded && !isFetching && fetched - taken < window
                if prepared.count >= group || !mayFetch && !prepared.isEmpty {
                    finishPrepared(mayFetch ? group : 1)
                } else if mayFetch {
                    fetchAndPrepare()
                } else if hasEnded {
                    break
                } else {
                    work.wait(lock)
                }
            }
        }
    }

    /// Finishes up to `count` prepared items. The lock is held, except while they are finished.
    private func finishPrepared(_ count: Int) {
        let batch = Array(prepared.prefix(count))
        prepared.removeFirst(batch.count)
        for (ticket, item) in batch {
            let result = lock.withoutLock { finish(item) }
            results[ticket % window] = result
            if ticket == taken { resultReady.signal() }
        }
    }

    /// Fetches the next item, if there is one, and prepares it. The lock is held, except during both.
    private func fetchAndPrepare() {
        isFetching = true
        let item = lock.withoutLock { nextItem() }
        isFetching = false
        guard let item else {
            hasEnded = true
            work.broadcast()
            resultReady.signal()
            return
        }
        let ticket = fetched
        fetched += 1
        work.signal()
        let preparedItem = lock.withoutLock { prepare(item) }
        prepared.append((ticket, preparedItem))
        // The thread that fetches may be held up by a slow source.
        if isFetching { work.signal() }
    }
}
