extension Reshape: CodeMovingOperation {
    func movingCodes(zeroPoint: Int) -> (any Operation)? { self }
}
