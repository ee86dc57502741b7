/// How a computed value is quantized: clamped, rounded to the nearest integer with ties to even, plus the zero point.
public struct QuantizedRounding: Hashable, Sendable {
    public var zeroPoint: Int32
    /// The lowest and the highest quantized value, minus the zero point.
    public var lower: Float
    public var upper: Float
    /// All values are below this. (Up to 2^31, they can be converted to words before they are clamped.)
    public var bound = Float.infinity

    public init(zeroPoint: Int, lower: Int, upper: Int) {
        self.zeroPoint = Int32(zeroPoint)
        self.lower = Float(lower - zeroPoint)
        self.upper = Float(upper - zeroPoint)
    }
}
