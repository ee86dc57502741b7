extension Sequence where Element: Hashable {
    /// The elements without duplicates, in the order of first occurrence.
    var unique: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
