extension Pad: CodeMovingOperation {
    /// Padding with the code of zero.
    func movingCodes(zeroPoint: Int) -> (any Operation)? {
        guard value == 0 else { return nil }
        var result = self
        result.value = Float(zeroPoint)
        return result
    }
}
