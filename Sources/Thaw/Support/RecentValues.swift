/// The values of the keys that were used last.
package final class RecentValues<Key: Equatable & Sendable, Value: Sendable>: @unchecked Sendable {
    private let limit: Int
    /// The last one was used most recently.
    private var entries: [(key: Key, value: Value)] = []
    private let lock = Lock()

    package init(limit: Int) { self.limit = limit }

    /// The value for `key`. If it has to be made, other threads wait.
    package func value(for key: Key, make: () throws -> Value) rethrows -> Value {
        try lock.withLock {
            let value =
                if let index = entries.firstIndex(where: { $0.key == key }) {
                    entries.remove(at: index).value
                } else {
                    try make()
                }
            entries = entries.suffix(limit - 1) + [(key, value)]
            return value
        }
    }
}
