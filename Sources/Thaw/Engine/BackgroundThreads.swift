#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Threads that do the long work of asynchronous functions. Swift's own threads must not be blocked: there is one per core,
/// and every task of the process runs on them.
final class BackgroundThreads: @unchecked Sendable {
    private typealias Job = () -> Void

    /// As many threads as cores. They start when they are needed.
    static let shared = BackgroundThreads(limit: Processors.count)

    private let limit: Int
    private var threads = 0
    private var idle = 0
    /// The newest job is last in `added`, the oldest last in `dueJobs`.
    private var added: [Job] = []
    private var dueJobs: [Job] = []
    /// Guards all of the above.
    private let monitor = Monitor()

    init(limit: Int) { self.limit = max(1, limit) }

    /// Runs `body` on one of the threads.
    /// - Parameter body: It can call its argument to learn whether the task has been canceled in the meantime.
    func run<Success: Sendable>(
        _ body: @escaping @Sendable (_ checkCancellation: () throws -> Void) throws -> Success
    ) async throws -> Success {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Success, any Error>) in
                add {
                    let result = Result {
                        try body { if cancellation.isCanceled { throw CancellationError() } }
                    }
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private func add(_ job: @escaping Job) {
        let needsThread = monitor.withLock {
            added.append(job)
            guard added.count + dueJobs.count > idle, threads < limit else { return false }
            threads += 1
            return true
        }
        guard needsThread else { return monitor.signal() }
        if let thread = startThread({ self.work() }) {
            pthread_detach(thread)
            return
        }
        let hasThreads = monitor.withLock {
            threads -= 1
            return threads > 0
        }
        // The system has no threads left. Blocking the caller is better than never answering.
        if !hasThreads { while let job = monitor.withLock({ nextJob() }) { job() } }
    }

    private func work() {
        while true {
            let job = monitor.withLock {
                while true {
                    if let job = nextJob() { return job }
                    idle += 1
                    monitor.wait()
                    idle -= 1
                }
            }
            job()
        }
    }

    /// Call it with the lock held.
    private func nextJob() -> Job? {
        if dueJobs.isEmpty { (dueJobs, added) = (added.reversed(), []) }
        return dueJobs.popLast()
    }
}
