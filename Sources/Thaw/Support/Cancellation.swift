import CMachine

/// A word that says whether work is to stop. It may be asked for from any thread, and from the handler of a signal.
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
