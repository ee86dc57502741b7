/// How a computed value is quantized: clamped, rounded to the nearest integer with ties to even, plus the zero point.
public struct QuantizedRounding: Hashable, Sendable {
    public var zeroPoint: Int32
    /// The lowest and the highest quantized value, minus the zero point.
    public var lower: Float
    public var upper: Float

    public init(zeroPoint: Int, lower: Int, upper: Int) {
        self.zeroPoint = Int32(zeroPoint)
        self.lower = Float(lower - zeroPoint)
        self.upper = Float(upper - zeroPoint)
    }
}
