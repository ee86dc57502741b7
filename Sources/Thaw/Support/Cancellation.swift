import CMachine

/// A flag that requests work to stop. It can be set and read on any thread and in a signal handler.
public final class Cancellation: @unchecked Sendable {
    private let word: UnsafeMutablePointer<Int32>

    public init() {
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    deinit { word.deallocate() }

    public func cancel() { thaw_store(word, 1) }

    public var isCancelled: Bool { thaw_load(word) != 0 }
}
