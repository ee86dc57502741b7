import CMachine

/// A flag that requests work to stop. It can be set and read on any thread and in a signal handler.
package final class Cancellation: @unchecked Sendable {
    private let word: UnsafeMutablePointer<Int32>

    package init() {
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    deinit { word.deallocate() }

    package func cancel() { thaw_store(word, 1) }

    package var isCanceled: Bool { thaw_load(word) != 0 }
}
