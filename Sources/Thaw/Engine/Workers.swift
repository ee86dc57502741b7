import CMachine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Threads that share the chunks of one piece of work after the other.
///
/// Chunks are claimed one by one, by the caller too: a thread that the system does not let run holds nobody up. Between
/// two pieces of work a thread first spins, for a network's steps follow each other closely, and then sleeps.
final class Workers: @unchecked Sendable {
    /// Gets the context, the chunk, and which of the threads it is: the caller is 0.
    typealias Body = @Sendable (UnsafeRawPointer, Int, Int) -> Void

    /// All that the threads see. Words that change hands lie on cache lines of their own.
    private final class State: @unchecked Sendable {
        /// Word 0: the number of the present work. Word 16: chunks done. Word 32: threads asleep. Word 48: time to stop.
        /// Word 64: whether the caller sleeps until the last chunk is done. Word 80: threads started.
        let words = UnsafeMutablePointer<Int32>.allocate(capacity: 96)
        /// The number of the work, and below it the chunks left to claim.
        let claims = UnsafeMutablePointer<Int64>.allocate(capacity: 8)
        var body: Body = { _, _, _ in }
        var context = UnsafeRawPointer(bitPattern: 1)!
        var chunks: Int32 = 0

        init() {
            words.initialize(repeating: 0, count: 96)
            claims.initialize(repeating: 0, count: 8)
        }

        deinit {
            words.deallocate()
            claims.deallocate()
        }

        var current: UnsafeMutablePointer<Int32> { words }
        var done: UnsafeMutablePointer<Int32> { words + 16 }
        var asleep: UnsafeMutablePointer<Int32> { words + 32 }
        var stop: UnsafeMutablePointer<Int32> { words + 48 }
        var callerAsleep: UnsafeMutablePointer<Int32> { words + 64 }
        var started: UnsafeMutablePointer<Int32> { words + 80 }

        /// Does chunks of work number `work` until none is left, or until another has begun.
        func drain(_ work: Int32, worker: Int) {
            while true {
                let claim = thaw_load64(claims)
                let left = Int32(truncatingIfNeeded: claim)
                guard Int32(truncatingIfNeeded: claim >> 32) == work, left > 0 else { return }
                guard thaw_exchange64(claims, claim, claim - 1) else { continue }
                // A claimed chunk keeps the work from ending, so `body` is the right one. Chunks go upwards: what a chunk
                // asks of memory for the next one serves.
                body(context, Int(chunks - left), worker)
                _ = thaw_add(done, 1)
                if thaw_load(callerAsleep) != 0 { thaw_wake(done) }
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

    private let state = State()
    private var threads: [pthread_t] = []
    /// Threads that work together, the caller among them.
    var count: Int { threads.count + 1 }

    /// More threads than this help nobody: they would spin in each other's way.
    private static let most = max(16, 2 * sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    /// - Parameter count: How many threads are to work together. Far more than there are cores are not started.
    init(_ count: Int) {
        for _ in 1..<min(max(count, 1), Workers.most) {
            let context = Unmanaged.passRetained(state).toOpaque()
            #if canImport(Darwin)
                var thread: pthread_t?
                let code = pthread_create(&thread, nil, { run($0) }, context)
            #else
                var thread = pthread_t()
                let code = pthread_create(&thread, nil, { run($0!) }, context)
            #endif
            // Fewer threads are slower, and give the same.
            guard code == 0 else {
                Unmanaged<State>.fromOpaque(context).release()
                return
            }
            #if canImport(Darwin)
                threads.append(thread!)
            #else
                threads.append(thread)
            #endif
        }
        func run(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
            Unmanaged<State>.fromOpaque(context).takeRetainedValue().serve()
            return nil
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
        state.chunks = Int32(chunks)
        thaw_store(state.done, 0)
        let work = thaw_load(state.current) &+ 1
        thaw_store64(state.claims, Int64(work) << 32 | Int64(chunks))
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
