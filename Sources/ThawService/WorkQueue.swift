/// Requests that wait for a thread.
final class WorkQueue: Sendable {
    /// The outcome of a job.
    enum Fate {
        case run
        /// The service is shutting down.
        case dropped
    }

    typealias Job = @Sendable (Fate) -> Void

    private struct State {
        var jobs: [Job] = []
        /// Waiting jobs, and reserved slots.
        var taken = 0
        var running = 0
        /// Idle threads.
        var freeThreads: Int
    }

    private let state: Monitor<State>
    let limit: Int

    /// - Parameters:
    ///   - limit: The number of jobs that may wait.
    ///   - threads: The number of threads that all jobs use together.
    /// - Throws: `StartFailure` if they cannot be started.
    init(limit: Int, threads: Int) throws {
        self.limit = limit
        state = Monitor(State(freeThreads: threads))
        for _ in 0..<threads {
            try startThread { [self] in
                while true { runNext() }
            }
        }
    }

    var waiting: Int { state.with { $0.jobs.count } }
    var running: Int { state.with { $0.running } }
    var isFull: Bool { state.with { $0.taken >= limit + $0.freeThreads } }

    /// Reserves a slot for a job. Returns false if the queue is full.
    func reserve() -> Bool {
        state.with { state in
            // Jobs for which there is a thread do not wait.
            guard state.taken < limit + state.freeThreads else { return false }
            state.taken += 1
            return true
        }
    }

    /// Adds a job to its reserved slot.
    func add(_ job: @escaping Job) { state.updateForOne { $0.jobs.append(job) } }

    /// Drops all waiting jobs.
    func drop() {
        let jobs = state.with { state in
            let jobs = state.jobs
            state.taken -= jobs.count
            state.jobs = []
            return jobs
        }
        for job in jobs { job(.dropped) }
    }

    private func runNext() {
        let job = state.wait { state -> Job? in
            guard state.freeThreads > 0, !state.jobs.isEmpty else { return nil }
            // Moves the jobs behind it, but those are few, and finished ones must not stay in memory.
            let job = state.jobs.removeFirst()
            state.taken -= 1
            state.running += 1
            state.freeThreads -= 1
            return job
        }
        job(.run)
        state.updateForOne { state in
            state.running -= 1
            state.freeThreads += 1
        }
    }

    /// Runs `body` with the number of threads that it may use: more than one if threads are idle and no job is waiting.
    func withThreads<Result>(_ body: (Int) throws -> Result) rethrows -> Result {
        let extra = state.with { state -> Int in
            // All idle threads if the job is alone; otherwise half of them, so that the next request finds one too.
            let isAlone = state.running == 1 && state.jobs.isEmpty
            let free = state.jobs.isEmpty ? state.freeThreads : 0
            let extra = isAlone ? free : free / 2
            state.freeThreads -= extra
            return extra
        }
        defer { if extra > 0 { state.update { $0.freeThreads += extra } } }
        return try body(1 + extra)
    }
}
