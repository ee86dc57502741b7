extension StridedSlice: CodeMovingOperation {
    func movingCodes(zeroPoint: Int) -> (any Operation)? { self }
}
