extension Transpose: QuantizedMovement {
    func integerOperation(zeroPoint: Int) -> (any Operation)? { self }
}
