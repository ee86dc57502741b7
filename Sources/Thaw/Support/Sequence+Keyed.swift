extension Sequence {
    /// The first element for each key.
    func firstByKey<Key: Hashable>(_ key: (Element) throws -> Key) rethrows -> [Key: Element] {
        Dictionary(try map { (try key($0), $0) }, uniquingKeysWith: { first, _ in first })
    }
}
