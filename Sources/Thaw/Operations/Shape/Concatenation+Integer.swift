extension Concatenation: CodeMovingOperation {
    func movingCodes(zeroPoint: Int) -> (any Operation)? { self }
}
