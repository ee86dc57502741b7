import CMachine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Starts a thread that runs `body`, to be joined or detached; nil if the system cannot create one.
func startThread(_ body: @escaping () -> Void) -> pthread_t? {
    let start = Unmanaged.passRetained(Start(body)).toOpaque()
    #if canImport(Darwin)
        var thread: pthread_t?
    #else
        var thread = pthread_t()
    #endif
    if thaw_start_thread(&thread, { run($0!) }, start) { return thread }
    Unmanaged<Start>.fromOpaque(start).release()
    return nil
}

/// The body of a new thread, to which a pointer is passed through C.
private final class Start {
    let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }
}

private func run(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
    return nil
}

/// A mutex.
package final class Lock: @unchecked Sendable {
    fileprivate let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    package init() {
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Releases the lock, which this thread holds, while `body` runs.
    func withoutLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        pthread_mutex_unlock(mutex)
        defer { pthread_mutex_lock(mutex) }
        return try body()
    }
}

/// A condition that threads wait for while they hold a lock, always the same one.
final class Condition: @unchecked Sendable {
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        condition.initialize(to: pthread_cond_t())
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
    }

    /// Waits, with the lock released, until another thread signals. It may return early. Call it with the lock held.
    func wait(_ lock: Lock) { pthread_cond_wait(condition, lock.mutex) }

    /// The same, but not longer than until a deadline.
    /// - Returns: Whether it returned before the deadline.
    func wait(_ lock: Lock, until deadline: timespec) -> Bool {
        var deadline = deadline
        return pthread_cond_timedwait(condition, lock.mutex, &deadline) == 0
    }

    /// Wakes one waiting thread.
    func signal() { pthread_cond_signal(condition) }

    /// Wakes all waiting threads.
    func broadcast() { pthread_cond_broadcast(condition) }
}

/// A lock with a condition: threads wait until another one changes the values that it guards.
final class Monitor: Sendable {
    private let lock = Lock()
    private let condition = Condition()

    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result { try lock.withLock(body) }

    /// Waits, with the lock released, until another thread signals. It may return early. Call it with the lock held.
    func wait() { condition.wait(lock) }

    /// Wakes one waiting thread.
    func signal() { condition.signal() }

    /// Wakes all waiting threads.
    func broadcast() { condition.broadcast() }
}

/// A value that is computed on a separate thread until it is needed.
final class Ahead<Value: Sendable>: @unchecked Sendable {
    private var value: Value?
    private var thread: pthread_t?
    private let lock = Lock()

    init(_ body: @escaping @Sendable () -> Value) {
        // The thread retains the object, which is fully initialized at this point.
        lock.withLock { thread = startThread { self.value = body() } }
    }

    deinit { if let thread { pthread_detach(thread) } }

    /// Waits for the value. The first caller receives it; all others get nil, as does everyone if no thread could be
    /// started.
    func take() -> Value? {
        lock.withLock {
            guard let thread else { return nil }
            pthread_join(thread, nil)
            self.thread = nil
            return value.take()
        }
    }
}
