extension Pad: QuantizedMovement {
    /// Pads with the quantized value of zero.
    func integerOperation(zeroPoint: Int) -> (any Operation)? {
        guard value == 0 else { return nil }
        return IntegerPad(self, zeroPoint: zeroPoint)
            ?? Pad(before: before, after: after, value: Double(zeroPoint)) as any Operation
    }
}
