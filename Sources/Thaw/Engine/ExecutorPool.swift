/// Lends executors of one program to its callers: as many as there are simultaneous runs.
final class ExecutorPool: @unchecked Sendable {
    private let program: Program
    private let threads: Int
    private var idle: [Executor] = []
    /// Guards `idle`.
    private let lock = Lock()

    /// - Parameter threads: The number of threads that work on each run.
    init(_ program: Program, threads: Int) {
        self.program = program
        self.threads = threads
    }

    func with<Result>(_ body: (Executor) throws -> Result) rethrows -> Result {
        let executor = lock.withLock { idle.popLast() } ?? Executor(program, threads: threads)
        defer { lock.withLock { idle.append(executor) } }
        return try body(executor)
    }
}
