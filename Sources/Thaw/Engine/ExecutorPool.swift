#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Executors of one program, lent to whoever runs it: as many as there are runs at the same time.
final class ExecutorPool: @unchecked Sendable {
    private let program: Program
    private let threads: Int
    private var idle: [Executor] = []
    /// Guards `idle`.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>

    /// - Parameter threads: The threads that each run is spread over.
    init(_ program: Program, threads: Int) {
        self.program = program
        self.threads = threads
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    func with<Result>(_ body: (Executor) throws -> Result) rethrows -> Result {
        let executor = locked { idle.popLast() } ?? Executor(program, threads: threads)
        defer { locked { idle.append(executor) } }
        return try body(executor)
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body()
    }
}
