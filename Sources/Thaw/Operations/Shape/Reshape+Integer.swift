extension Reshape: QuantizedMovement {
    func integerOperation(zeroPoint: Int) -> (any Operation)? { self }
}
