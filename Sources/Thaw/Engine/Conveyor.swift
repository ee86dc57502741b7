#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Processes a stream of items in two stages on several threads, and returns the answers in the order of the items.
///
/// If enough prepared items have accumulated, a thread finishes those; otherwise it fetches the next item and prepares
/// it. So both stages progress together whatever their costs, and a thread stays with one stage for several items,
/// which is good for its caches. At most `window` items are between the last one fetched and the last answer taken, so
/// memory does not grow with the stream.
final class Conveyor<Item, Prepared, Answer>: @unchecked Sendable {
    private let nextItem: () -> Item?
    private let prepare: (Item) -> Prepared
    private let finish: (Prepared) -> Answer
    private let start: (@escaping () -> Void) -> pthread_t?
    private let threads: Int
    private let window: Int
    /// How many prepared items a thread finishes in a row.
    private let group: Int

    // Everything below is guarded by `lock`.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    /// `work` wakes threads that wait for work, `answered` the thread that waits for the next answer.
    private let work: UnsafeMutablePointer<pthread_cond_t>
    private let answered: UnsafeMutablePointer<pthread_cond_t>
    private var prepared: [(ticket: Int, item: Prepared)] = []
    private var answers: [Answer?]
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
        finish: @escaping (Prepared) -> Answer,
        startingThreadsBy start: @escaping (@escaping () -> Void) -> pthread_t? = startThread
    ) {
        (self.threads, self.window) = (max(threads, 1), max(window, 1))
        (self.nextItem, self.prepare, self.finish, self.start) = (nextItem, prepare, finish, start)
        group = threads > 1 ? 4 : 1
        answers = Array(repeating: nil, count: self.window)
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        pthread_mutex_init(lock, nil)
        (work, answered) = (.allocate(capacity: 1), .allocate(capacity: 1))
        for condition in [work, answered] {
            condition.initialize(to: pthread_cond_t())
            pthread_cond_init(condition, nil)
        }
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
        for condition in [work, answered] {
            pthread_cond_destroy(condition)
            condition.deallocate()
        }
    }

    /// Works until the stream ends, and passes the answers to `body` on the calling thread. If `body` throws, the work
    /// ends. Call this only once, and none of the functions below.
    func run(_ body: (Answer) throws -> Void) rethrows {
        begin()
        defer { end() }
        while let answer = next() { try body(answer) }
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
        locked { isStopped = true }
        pthread_cond_broadcast(work)
        pthread_cond_broadcast(answered)
    }

    /// Waits for the next answer; nil at the end of the stream and after `stop`. One thread at a time may call it.
    func next() -> Answer? {
        // Without threads the caller does all the work. The answers are the same.
        guard !running.isEmpty else { return locked { isStopped } ? nil : nextItem().map { finish(prepare($0)) } }
        return locked {
            while !isStopped {
                if let answer = takeAnswer() { return answer }
                if hasEnded && taken == fetched { return nil }
                pthread_cond_wait(answered, lock)
            }
            return nil
        }
    }

    /// Waits for an answer until `deadline`, or until the end of the stream or `stop`.
    /// - Returns: Whether `next` would not wait.
    func isReady(by deadline: timespec) -> Bool {
        var deadline = deadline
        return running.isEmpty
            || locked {
                while !isStopped, answers[taken % window] == nil, !(hasEnded && taken == fetched) {
                    if pthread_cond_timedwait(answered, lock, &deadline) != 0 { return false }
                }
                return true
            }
    }

    private func takeAnswer() -> Answer? {
        guard let answer = answers[taken % window] else { return nil }
        answers[taken % window] = nil
        // While the window was full, the threads could fetch nothing.
        if fetched - taken == window { pthread_cond_broadcast(work) }
        taken += 1
        return answer
    }

    private func serve() {
        pthread_mutex_lock(lock)
        while !isStopped {
            let mayFetch = !hasEnded && !isFetching && fetched - taken < window
            if prepared.count >= group || !mayFetch && !prepared.isEmpty {
                finishPrepared(mayFetch ? group : 1)
            } else if mayFetch {
                fetchAndPrepare()
            } else if hasEnded {
                break
            } else {
                pthread_cond_wait(work, lock)
            }
        }
        pthread_mutex_unlock(lock)
    }

    /// Finishes up to `count` prepared items. The lock is held, except while they are finished.
    private func finishPrepared(_ count: Int) {
        let batch = Array(prepared.prefix(count))
        prepared.removeFirst(batch.count)
        for (ticket, item) in batch {
            let answer = unlocked { finish(item) }
            answers[ticket % window] = answer
            if ticket == taken { pthread_cond_signal(answered) }
        }
    }

    /// Fetches the next item, if there is one, and prepares it. The lock is held, except during both.
    private func fetchAndPrepare() {
        isFetching = true
        let item = unlocked { nextItem() }
        isFetching = false
        guard let item else {
            hasEnded = true
            pthread_cond_broadcast(work)
            pthread_cond_signal(answered)
            return
        }
        let ticket = fetched
        fetched += 1
        pthread_cond_signal(work)
        let result = unlocked { prepare(item) }
        prepared.append((ticket, result))
        // The thread that fetches may be held up by a slow source.
        if isFetching { pthread_cond_signal(work) }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body()
    }

    /// Releases the lock, which this thread holds, while `body` runs.
    private func unlocked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_unlock(lock)
        defer { pthread_mutex_lock(lock) }
        return body()
    }
}
