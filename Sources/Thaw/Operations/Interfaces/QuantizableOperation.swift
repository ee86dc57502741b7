import Kernels

/// The scale and zero point of values quantized to uint8: value = (q − zero point) · scale.
struct CodeScale: Hashable, Sendable {
    var scale: Float
    var zeroPoint: Int

    /// The value of a quantized value.
    func value(_ code: Int) -> Float { Float(code - zeroPoint) * scale }

    /// Quantizes values that are first clamped to `bounds` and then divided by the scale.
    func rounding(bounds: ClosedRange<Float>) -> CodeRounding {
        let lower = code(bounds.lowerBound)
        return CodeRounding(zeroPoint: zeroPoint, lower: lower, upper: max(lower, code(bounds.upperBound)))
    }

    /// The quantized value of a value; of NaN, the lowest one.
    func code(_ value: Float) -> Int {
        let level = (value / scale).rounded(.toNearestOrEven)
        // In this order, `max` returns the bound for NaN.
        return Int(min(max(Float(-zeroPoint), level), Float(255 - zeroPoint))) + zeroPoint
    }
}

/// The facts about an operation between quantized values.
struct QuantizedUse {
    var inputs: [CodeScale]
    var types: [TensorType]
    /// The quantization of the result; nil for floats.
    var output: CodeScale?
    /// The bounds to which the result is clamped before it is quantized.
    var bounds: ClosedRange<Float>
}

/// An operation that can be computed with 8-bit integers.
protocol QuantizableOperation: Operation {
    /// The integer operation, or nil if there is none with these scales and types.
    func onCodes(_ use: QuantizedUse) -> (any Operation)?
}

/// An operation that moves or selects values, and can do so with quantized values of one scale.
protocol CodeMovingOperation: Operation {
    /// The integer operation, or nil if there is none.
    func movingCodes(zeroPoint: Int) -> (any Operation)?
}
