extension Transpose: CodeMovingOperation {
    func movingCodes(zeroPoint: Int) -> (any Operation)? { self }
}
