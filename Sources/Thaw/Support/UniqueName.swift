extension Set<String> {
    /// Inserts the name or, if the set already contains it, the name with the first number that makes it unique:
    /// `name_1`.
    /// - Returns: The inserted name.
    mutating func insertUnique(_ name: String) -> String {
        var (candidate, number) = (name, 1)
        while !insert(candidate).inserted {
            candidate = "\(name)_\(number)"
            number += 1
        }
        return candidate
    }
}
