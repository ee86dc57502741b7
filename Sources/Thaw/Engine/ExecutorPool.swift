/// Executors of one program, lent to whoever runs it: as many as there are runs at the same time.
final class ExecutorPool: @unchecked Sendable {
    private let program: Program
    private let threads: Int
    private var idle: [Executor] = []
    /// Guards `idle`.
    private let lock = Lock()

    /// - Parameter threads: The threads that each run is spread over.
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
