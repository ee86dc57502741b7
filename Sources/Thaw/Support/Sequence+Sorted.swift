extension Sequence {
    /// The elements in ascending order of their keys. Elements with equal keys keep their order.
    ///
    /// The algorithm is compiled once for each type of key, instead of once for each caller.
    func sorted<Key: Comparable>(on key: (Element) throws -> Key) rethrows -> [Element] {
        let elements = Array(self)
        return order(try elements.map(key)).map { elements[$0] }
    }
}

/// The indices of the keys in ascending order of the keys.
private func order<Key: Comparable>(_ keys: [Key]) -> [Int] { keys.indices.sorted { keys[$0] < keys[$1] } }
