import Kernels

/// The scale and zero point of a tensor that is quantized to uint8: value = (q − zero point) · scale.
struct QuantizationParameters: Hashable, Sendable {
    var scale: Float
    var zeroPoint: Int

    init(scale: Float, zeroPoint: Int) { (self.scale, self.zeroPoint) = (scale, zeroPoint) }

    /// The parameters for values of this range, which is extended to contain 0.
    ///
    /// The scale is a float16 value, so that a program that computes in float16 has the same one.
    init(_ low: Float, _ high: Float) {
        let (low, high) = (min(low, 0), max(high, 0))
        let length = high > low ? (high - low) / 255 : 1
        let rounded = float(fromHalf: half(from: length))
        scale = rounded.isFinite && rounded >= 0x1p-14 ? rounded : max(length, .leastNormalMagnitude)
        zeroPoint = Int(min(255, max(0, (-low / scale).rounded())))
    }

    var lowest: Float { dequantized(0) }
    var highest: Float { dequantized(255) }

    /// The value of a quantized value.
    func dequantized(_ quantized: Int) -> Float { Float(quantized - zeroPoint) * scale }

    /// The quantized value of a value; of NaN, the lowest one.
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
