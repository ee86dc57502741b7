import CMachine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Threads that share the chunks of one piece of work after the other.
///
/// Each thread, the caller too, has a share of chunks that follow each other: what a chunk asks of memory for the next one
/// serves, and where steps are cut alike a thread finds in its own cache what it wrote. Chunks are claimed one by one, and
/// who has none left claims the last of another's: a thread that the system does not let run holds nobody up. Between two
/// pieces of work a thread first spins, for a network's steps follow each other closely, and then sleeps.
final class Workers: @unchecked Sendable {
    /// Gets the context, the chunk, and which of the threads it is: the caller is 0.
    typealias Body = @Sendable (UnsafeRawPointer, Int, Int) -> Void

    /// All that the threads see. Words that change hands lie on cache lines of their own.
    private final class State: @unchecked Sendable {
        /// Word 0: the number of the present work. Word 16: chunks done. Word 32: threads asleep. Word 48: time to stop.
        /// Word 64: whether the caller sleeps until the last chunk is done. Word 80: threads started.
        let words = UnsafeMutablePointer<Int32>.allocate(capacity: 96)
        /// The `Share` of each thread, on a cache line of its own.
        private let shares: UnsafeMutablePointer<Int64>
        private let threads: Int
        var body: Body = { _, _, _ in }
        var context = UnsafeRawPointer(bitPattern: 1)!

        init(threads: Int) {
            self.threads = threads
            words.initialize(repeating: 0, count: 96)
            shares = .allocate(capacity: 8 * threads)
            shares.initialize(repeating: 0, count: 8 * threads)
        }

        deinit {
            words.deallocate()
            shares.deallocate()
        }

        var current: UnsafeMutablePointer<Int32> { words }
        var done: UnsafeMutablePointer<Int32> { words + 16 }
        var asleep: UnsafeMutablePointer<Int32> { words + 32 }
        var stop: UnsafeMutablePointer<Int32> { words + 48 }
        var callerAsleep: UnsafeMutablePointer<Int32> { words + 64 }
        var started: UnsafeMutablePointer<Int32> { words + 80 }

        /// Gives each thread its share of the chunks of work number `work`.
        func share(_ work: Int32, chunks: Int) {
            for thread in 0..<threads {
                let share = Share(
                    work: work, chunks: thread * chunks / threads..<(thread + 1) * chunks / threads)
                thaw_store64(shares + 8 * thread, share.word)
            }
        }

        /// Does chunks of work number `work` until none is left, or until another has begun.
        func drain(_ work: Int32, worker: Int) {
            for distance in 0..<threads {
                while let chunk = claim(work, of: (worker + distance) % threads, isOwn: distance == 0) {
                    // A claimed chunk keeps the work from ending, so `body` is the right one.
                    body(context, chunk, worker)
                    _ = thaw_add(done, 1)
                    if thaw_load(callerAsleep) != 0 { thaw_wake(done) }
                }
            }
        }

        /// A chunk of a thread's share, if there is one left: the first for the thread itself, for others the last.
        private func claim(_ work: Int32, of thread: Int, isOwn: Bool) -> Int? {
            while true {
                let word = thaw_load64(shares + 8 * thread)
                var share = Share(word: word)
                guard share.isOf(work), !share.chunks.isEmpty else { return nil }
                let chunk = isOwn ? share.chunks.removeFirst() : share.chunks.removeLast()
                if thaw_exchange64(shares + 8 * thread, word, share.word) { return chunk }
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
                if thaw_load(stop) != 0 { return }
                seen = thaw_load(current)
                drain(seen, worker: worker)
            }
        }
    }

    private let state: State
    private var threads: [pthread_t] = []
    /// Threads that work together, the caller among them.
    var count: Int { threads.count + 1 }

    /// More threads than this help nobody: they would spin in each other's way.
    static let maximumCount = max(16, 2 * sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    /// - Parameter count: How many threads are to work together. Far more than there are cores are not started.
    init(_ count: Int) {
        let count = min(max(count, 1), Workers.maximumCount)
        state = State(threads: count)
        for _ in 1..<count {
            // Fewer threads are slower, and give the same.
            guard let thread = startThread({ [state] in state.serve() }) else { return }
            threads.append(thread)
        }
    }

    deinit {
        thaw_store(state.stop, 1)
        _ = thaw_add(state.current, 1)
        thaw_wake(state.current)
        for thread in threads { pthread_join(thread, nil) }
    }

    /// Calls `body` once for every chunk, on any thread and in any order, and returns when all are done. One caller at a
    /// time.
    func run(chunks: Int, context: UnsafeRawPointer, _ body: @escaping Body) {
        if threads.isEmpty || chunks == 1 {
            for chunk in 0..<chunks { body(context, chunk, 0) }
            return
        }
        state.body = body
        state.context = context
        thaw_store(state.done, 0)
        let work = thaw_load(state.current) &+ 1
        state.share(work, chunks: chunks)
        thaw_store(state.current, work)
        if thaw_load(state.asleep) > 0 { thaw_wake(state.current) }
        state.drain(work, worker: 0)
        var patience = 2_000
        while true {
            let done = thaw_load(state.done)
            guard done < Int32(chunks) else { return }
            if patience > 0 {
                thaw_pause()
                patience -= 1
                continue
            }
            // Whoever holds the last chunk may be waiting for this very core. Who sleeps is given it back sooner than who
            // spins or yields.
            thaw_store(state.callerAsleep, 1)
            thaw_wait(state.done, done)
            thaw_store(state.callerAsleep, 0)
        }
    }
}

/// What is left of a thread's chunks, and the number of the work that they belong to: all in one word, which changes hands
/// at once.
private struct Share {
    /// Numbers come again after 65,536 pieces of work, which is late enough: whoever claims a chunk does that of the present work.
    private let work: UInt16
    var chunks: Range<Int>

    /// Chunks are told by so many bits.
    private static let bits: Int64 = 24

    init(work: Int32, chunks: Range<Int>) {
        precondition(chunks.upperBound < 1 << Share.bits, "work is not cut into that many chunks")
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

    func isOf(_ work: Int32) -> Bool { self.work == UInt16(truncatingIfNeeded: work) }
}

extension Workers {
    /// What `transform` makes of each element, in their order, computed on any of the threads.
    func map<Element: Sendable, Result: Sendable>(
        _ elements: [Element], _ transform: @escaping @Sendable (Element) -> Result
    ) -> [Result] {
        [Result](unsafeUninitializedCapacity: elements.count) { buffer, count in
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
