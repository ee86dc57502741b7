extension StridedSlice: QuantizedMovement {
    func integerOperation(zeroPoint: Int) -> (any Operation)? { self }
}
