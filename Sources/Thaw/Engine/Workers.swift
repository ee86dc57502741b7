import CMachine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Threads that process the chunks of one job after another.
///
/// Each thread, including the caller, has its own share of consecutive chunks, because consecutive chunks read much of
/// the same data, and because if several steps are split alike, a thread finds its own results in its cache. Threads
/// claim half of the rest of their shares at a time: an atomic operation waits until all memory is written, which takes
/// long if other cores have read it. A thread that has none left claims the last one of another thread's share, so a thread
/// that the system does not schedule delays nobody for long. Between two jobs a thread first spins, because the steps of a
/// network follow each other closely, and then sleeps.
final class Workers: @unchecked Sendable {
    /// Takes the context, the index of the chunk, and the index of the thread: the caller is 0.
    typealias Body = @Sendable (UnsafeRawPointer, Int, Int) -> Void

    /// The state shared by the threads. Words that several threads write are on separate cache lines.
    private final class State: @unchecked Sendable {
        private static let wordsPerLine = 16
        private static let wordCount = 6 * wordsPerLine
        /// The words that have names below, each at the start of a cache line.
        let words = UnsafeMutablePointer<Int32>.allocate(capacity: wordCount)
        /// The `Share` of each thread, each on its own cache line.
        private let shares: UnsafeMutablePointer<Int64>
        private let threads: Int
        var body: Body = { _, _, _ in }
        var context = UnsafeRawPointer(bitPattern: 1)!

        init(threads: Int) {
            self.threads = threads
            words.initialize(repeating: 0, count: Self.wordCount)
            shares = .allocate(capacity: 8 * threads)
            shares.initialize(repeating: 0, count: 8 * threads)
        }

        deinit {
            words.deallocate()
            shares.deallocate()
        }

        /// The number of the current job.
        var current: UnsafeMutablePointer<Int32> { words }
        /// Chunks that threads other than the caller have done, in all jobs.
        var done: UnsafeMutablePointer<Int32> { words + Self.wordsPerLine }
        /// Threads asleep.
        var asleep: UnsafeMutablePointer<Int32> { words + 2 * Self.wordsPerLine }
        /// Whether it is time to stop.
        var stop: UnsafeMutablePointer<Int32> { words + 3 * Self.wordsPerLine }
        /// Whether the caller sleeps until the last chunk is done.
        var callerAsleep: UnsafeMutablePointer<Int32> { words + 4 * Self.wordsPerLine }
        /// Threads started.
        var started: UnsafeMutablePointer<Int32> { words + 5 * Self.wordsPerLine }

        /// Gives each thread its share of the chunks of job number `work`.
        func share(_ work: Int32, chunks: Int) {
            for thread in 0..<threads {
                let share = Share(
                    work: work, chunks: thread * chunks / threads..<(thread + 1) * chunks / threads)
                thaw_store64(shares + 8 * thread, share.word)
            }
        }

        /// Runs chunks of job number `work` until none is left or another job has begun.
        /// - Returns: The number of chunks.
        func drain(_ work: Int32, worker: Int) -> Int32 {
            var count: Int32 = 0
            for distance in 0..<threads {
                while let chunks = claim(work, of: (worker + distance) % threads, isOwn: distance == 0) {
                    // A claimed chunk keeps the job from ending, so `body` is the right one.
                    for chunk in chunks { body(context, chunk, worker) }
                    count += Int32(chunks.count)
                }
            }
            return count
        }

        /// Claims chunks of a thread's share if there are any left: the first half for the thread itself, the last one for
        /// others.
        private func claim(_ work: Int32, of thread: Int, isOwn: Bool) -> Range<Int>? {
            while true {
                let word = thaw_load64(shares + 8 * thread)
                var share = Share(word: word)
                guard share.isOf(work), !share.chunks.isEmpty else { return nil }
                let chunks = isOwn ? share.removeFirstHalf() : share.removeLast()
                if thaw_exchange64(shares + 8 * thread, word, share.word) { return chunks }
            }
        }

        func serve() {
            let worker = Int(thaw_add(started, 1)) + 1
            var seen: Int32 = 0
            while true {
                var patience = 20_000
                while thaw_load(current) == seen, patience > 0 {
                    thaw_pause()
                    patience -= 1
                }
                if thaw_load(current) == seen {
                    _ = thaw_add(asleep, 1)
                    thaw_wait(current, seen)
                    _ = thaw_add(asleep, -1)
                    continue
                }
                // In this order: `stop` is set before the number changes for the last time.
                seen = thaw_load(current)
                if thaw_load(stop) != 0 { return }
                let count = drain(seen, worker: worker)
                guard count > 0 else { continue }
                _ = thaw_add(done, count)
                if thaw_load(callerAsleep) != 0 { thaw_wake(done) }
            }
        }
    }

    private var state: State
    private var threads: [pthread_t] = []
    /// What the number of chunks done by other threads will be at the end of the current job.
    private var chunksOfOthers: Int32 = 0
    /// The number of threads that work together, including the caller.
    let count: Int
    /// The process that the threads run in. After a fork the child has only the one that called it.
    private var process: Int32

    /// More threads than this are useless: they would spin and slow each other down.
    static let maximumCount = max(16, 2 * Processors.count)

    /// The maximum number of chunks of a job: the indices of a `Share` are bit fields.
    static let maximumChunks = (1 << Int(Share.bits)) - 1

    /// - Parameter count: The number of threads that work together. If it is far larger than the number of cores, fewer
    ///   are started.
    init(_ count: Int) {
        self.count = min(max(count, 1), Workers.maximumCount)
        state = State(threads: self.count)
        process = thaw_fork_count()
        start()
    }

    private func start() {
        for _ in 1..<count {
            // With fewer threads the work is slower, but the results are the same.
            guard let thread = startThread({ [state] in state.serve() }) else { return }
            threads.append(thread)
        }
    }

    /// Starts new threads in the child of a fork. The state shared by the old ones is lost.
    private func restart() {
        _ = Unmanaged.passRetained(state)
        state = State(threads: count)
        chunksOfOthers = 0
        process = thaw_fork_count()
        threads = []
        start()
    }

    deinit {
        guard process == thaw_fork_count() else {
            _ = Unmanaged.passRetained(state)
            return
        }
        thaw_store(state.stop, 1)
        _ = thaw_add(state.current, 1)
        thaw_wake(state.current)
        for thread in threads { pthread_join(thread, nil) }
    }

    /// Calls `body` once for every chunk, on any thread and in any order, and returns when all are done. Only one
    /// caller at a time.
    /// - Parameter maximumChunks: The maximum number of chunks of a job. More are split into several jobs.
    func run(
        chunks: Int, context: UnsafeRawPointer, maximumChunks: Int = Workers.maximumChunks, _ body: @escaping Body
    ) {
        if process != thaw_fork_count() { restart() }
        if threads.isEmpty || chunks == 1 {
            for chunk in 0..<chunks { body(context, chunk, 0) }
            return
        }
        if chunks <= maximumChunks { return runJob(chunks: chunks, context: context, body) }
        for first in stride(from: 0, to: chunks, by: maximumChunks) {
            runJob(chunks: min(maximumChunks, chunks - first), context: context) { context, chunk, thread in
                body(context, first + chunk, thread)
            }
        }
    }

    private func runJob(chunks: Int, context: UnsafeRawPointer, _ body: @escaping Body) {
        state.body = body
        state.context = context
        let work = thaw_load(state.current) &+ 1
        state.share(work, chunks: chunks)
        thaw_store(state.current, work)
        if thaw_load(state.asleep) > 0 { thaw_wake(state.current) }
        chunksOfOthers &+= Int32(chunks) - state.drain(work, worker: 0)
        var patience = 2_000
        while true {
            let done = thaw_load(state.done)
            guard done != chunksOfOthers else { return }
            if patience > 0 {
                thaw_pause()
                patience -= 1
                continue
            }
            // The thread with the last chunk may be waiting for this very core. A thread that sleeps is rescheduled
            // sooner than one that spins or yields.
            thaw_store(state.callerAsleep, 1)
            thaw_wait(state.done, done)
            thaw_store(state.callerAsleep, 0)
        }
    }
}

/// The remaining chunks of a thread, and the number of the job that they belong to, in a single word so that both
/// change atomically.
private struct Share {
    /// Job numbers repeat after 65,536 jobs. That is late enough: a thread that claims a chunk always runs it for the
    /// current job.
    private let work: UInt16
    private(set) var chunks: Range<Int>

    /// The bits that a chunk index takes.
    fileprivate static let bits: Int64 = 24

    init(work: Int32, chunks: Range<Int>) {
        precondition(chunks.upperBound < 1 << Share.bits, "too many chunks")
        self.work = UInt16(truncatingIfNeeded: work)
        self.chunks = chunks
    }

    init(word: Int64) {
        work = UInt16(truncatingIfNeeded: word >> (2 * Share.bits))
        let mask: Int64 = (1 << Share.bits) - 1
        chunks = Int((word >> Share.bits) & mask)..<Int(word & mask)
    }

    var word: Int64 {
        Int64(work) << (2 * Share.bits) | Int64(chunks.lowerBound) << Share.bits | Int64(chunks.upperBound)
    }

    /// Removes and returns half of the chunks, at least one.
    mutating func removeFirstHalf() -> Range<Int> {
        let end = chunks.lowerBound + (chunks.count + 1) / 2
        defer { chunks = end..<chunks.upperBound }
        return chunks.lowerBound..<end
    }

    /// Removes and returns the last chunk.
    mutating func removeLast() -> Range<Int> {
        let last = chunks.upperBound - 1
        defer { chunks = chunks.lowerBound..<last }
        return last..<last + 1
    }

    func isOf(_ work: Int32) -> Bool { self.work == UInt16(truncatingIfNeeded: work) }
}

extension Workers {
    /// The results of `transform` for all elements, in order, computed on any of the threads.
    func map<Element: Sendable, Result: Sendable>(
        _ elements: [Element], _ transform: @escaping @Sendable (Element) -> Result
    ) -> [Result] {
        // An array without elements shares its storage with all others, and the initializer would write to it.
        if elements.isEmpty { return [] }
        return [Result](unsafeUninitializedCapacity: elements.count) { buffer, count in
            typealias Job = (elements: [Element], results: UnsafeMutablePointer<Result>?)
            withUnsafePointer(to: Job(elements, buffer.baseAddress)) { job in
                run(chunks: elements.count, context: job) { context, index, _ in
                    let job = context.assumingMemoryBound(to: Job.self).pointee
                    (job.results! + index).initialize(to: transform(job.elements[index]))
                }
            }
            count = elements.count
        }
    }
}
