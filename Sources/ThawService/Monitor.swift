#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A value that one thread at a time may use, with a condition to wait for.
final class Monitor<State>: @unchecked Sendable {
    private var state: State
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init(_ state: State) {
        self.state = state
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` with exclusive access to the state.
    func with<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// The same, for changes that other threads wait for.
    func update<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        defer { pthread_cond_broadcast(condition) }
        return try with(body)
    }

    /// The same, for changes that only one of the waiting threads needs to handle, no matter which.
    func updateForOne<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        defer { pthread_cond_signal(condition) }
        return try with(body)
    }

    /// Waits until `body` has a result.
    func wait<Result>(_ body: (inout State) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }
}

/// Starts a detached thread.
/// - Throws: `StartFailure` if the system cannot create one.
func startThread(_ body: @escaping @Sendable () -> Void) throws {
    final class Start {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let start = Unmanaged.passRetained(Start(body))
    #if canImport(Darwin)
        var thread: pthread_t?
        let code = pthread_create(
            &thread, nil,
            {
                Unmanaged<Start>.fromOpaque($0).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        let created = thread
    #else
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            {
                Unmanaged<Start>.fromOpaque($0!).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        let created: pthread_t? = thread
    #endif
    guard code == 0, let created else {
        start.release()
        throw StartFailure("no thread can be started: \(String(cString: strerror(code)))")
    }
    pthread_detach(created)
}
