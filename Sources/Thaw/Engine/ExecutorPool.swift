#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Lends executors of one program to its callers: one for each simultaneous run, up to a limit. Further callers wait,
/// because more runs than cores would only need more memory.
final class ExecutorPool: @unchecked Sendable {
    private let program: Program
    private let threads: Int
    let limit: Int
    private var idle: [Executor] = []
    /// The number of executors that exist or are being created.
    private(set) var count = 0
    /// Guards `idle` and `count`.
    private let monitor = Monitor()

    /// - Parameters:
    ///   - threads: The number of threads that work on each run.
    ///   - limit: The number of simultaneous runs; nil for the number of cores.
    init(_ program: Program, threads: Int, limit: Int? = nil) {
        self.program = program
        self.threads = threads
        self.limit = max(1, limit ?? Processors.count)
    }

    func with<Result>(_ body: (Executor) throws -> Result) rethrows -> Result {
        let executor = borrow()
        defer {
            monitor.withLock { idle.append(executor) }
            monitor.signal()
        }
        return try body(executor)
    }

    private func borrow() -> Executor {
        let free: Executor? = monitor.withLock {
            while idle.isEmpty, count == limit { monitor.wait() }
            if let executor = idle.popLast() { return executor }
            count += 1
            return nil
        }
        return free ?? Executor(program, threads: threads)
    }
}
