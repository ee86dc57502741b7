extension Concatenation: QuantizedMovement {
    func integerOperation(zeroPoint: Int) -> (any Operation)? { self }
}
