extension Int {
    /// The number of parts of a size that this many things need; the last part may be smaller.
    ///
    /// Neither may be negative, and their sum must be representable.
    func dividedRoundingUp(by size: Int) -> Int { (self + size - 1) / size }

    /// The next multiple of a size that is not less than this number.
    ///
    /// Neither may be negative, and their sum must be representable.
    func rounded(upToMultipleOf size: Int) -> Int { dividedRoundingUp(by: size) * size }
}
