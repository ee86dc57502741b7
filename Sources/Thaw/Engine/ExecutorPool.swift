import Synchronization

/// Executors of one program, lent to whoever runs it: as many as there are runs at the same time.
final class ExecutorPool: @unchecked Sendable {
    private let program: Program
    private let threads: Int
    private let idle = Mutex<[Box]>([])

    private struct Box: @unchecked Sendable { let executor: Executor }

    /// - Parameter threads: The threads that each run is spread over.
    init(_ program: Program, threads: Int) {
        self.program = program
        self.threads = threads
    }

    func with<Result>(_ body: (Executor) throws -> Result) rethrows -> Result {
        let box = idle.withLock { $0.popLast() } ?? Box(executor: Executor(program, threads: threads))
        defer { idle.withLock { $0.append(box) } }
        return try body(box.executor)
    }
}
