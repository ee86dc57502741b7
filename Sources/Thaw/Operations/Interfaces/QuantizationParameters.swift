import Kernels

/// The scale and zero point of a tensor that is quantized to uint8: value = (q − zero point) · scale.
struct QuantizationParameters: Hashable, Sendable {
    var scale: Float
    var zeroPoint: Int

    init(scale: Float, zeroPoint: Int) { (self.scale, self.zeroPoint) = (scale, zeroPoint) }

    /// The parameters for values of this range, which is extended to contain 0.
    ///
    /// The scale is a float16 value if that is precise enough, so that a program that computes in float16 has the same
    /// one.
    init(_ low: Float, _ high: Float) {
        let (low, high) = (min(low, 0), max(high, 0))
        let length = high > low ? (high - low) / 255 : 1
        // Subnormal float16 values are coarse: the nearest one might not reach the end of the range.
        let rounded = length < 0x1p-14 ? length.roundedUpToHalf : float(fromHalf: half(from: length))
        scale = rounded.isFinite && length >= 0x1p-20 ? rounded : max(length, .leastNormalMagnitude)
        zeroPoint = Int(min(255, max(0, (-low / scale).rounded())))
    }

    /// The parameters of uint8 values with these levels; nil if there are none.
    init?(_ levels: Levels) {
        let (low, high) = ((levels.low / levels.step).rounded(), (levels.high / levels.step).rounded())
        guard low <= 0, high >= 0, high - low <= 255 else { return nil }
        self.init(scale: levels.step, zeroPoint: Int(-low))
    }

    var lowest: Float { dequantized(0) }
    var highest: Float { dequantized(255) }

    /// The real value that a quantized value represents.
    func dequantized(_ quantized: Int) -> Float { Float(quantized - zeroPoint) * scale }

    /// The nearest quantized value; for NaN, the lowest.
    func quantized(_ value: Float) -> Int {
        let level = (value / scale).rounded(.toNearestOrEven)
        // In this order, `max` returns the bound for NaN.
        return Int(min(max(Float(-zeroPoint), level), Float(255 - zeroPoint))) + zeroPoint
    }

    /// Quantizes values that are first clamped to `bounds` and then divided by the scale.
    func rounding(bounds: ClosedRange<Float>) -> QuantizedRounding {
        let lower = quantized(bounds.lowerBound)
        return QuantizedRounding(zeroPoint: zeroPoint, lower: lower, upper: max(lower, quantized(bounds.upperBound)))
    }
}
