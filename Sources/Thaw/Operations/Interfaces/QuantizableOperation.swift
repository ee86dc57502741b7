import Kernels

/// The scale and zero point of codes of type uint8: value = (code − zero point) · scale.
struct CodeScale: Hashable, Sendable {
    var scale: Float
    var zeroPoint: Int

    /// The value of a code.
    func value(_ code: Int) -> Float { Float(code - zeroPoint) * scale }

    /// Rounding to codes of values that are first clamped to `bounds` and then divided by the scale.
    func rounding(bounds: ClosedRange<Float>) -> CodeRounding {
        let lower = code(bounds.lowerBound)
        return CodeRounding(zeroPoint: zeroPoint, lower: lower, upper: max(lower, code(bounds.upperBound)))
    }

    /// The code of a value.
    func code(_ value: Float) -> Int {
        let level = (value / scale).rounded(.toNearestOrEven)
        return Int(min(max(level, Float(-zeroPoint)), Float(255 - zeroPoint))) + zeroPoint
    }
}

/// What is known of an operation between quantized values.
struct QuantizedUse {
    var inputs: [CodeScale]
    var types: [TensorType]
    /// The codes to compute; nil for floats.
    var output: CodeScale?
    /// What the result is clamped to before it is quantized.
    var bounds: ClosedRange<Float>
}

/// An operation that can be computed on codes.
protocol QuantizableOperation: Operation {
    /// The operation on codes, or nil if there is none with these scales and types.
    func onCodes(_ use: QuantizedUse) -> (any Operation)?
}

/// An operation that moves or selects values, all of which may have codes of one scale instead.
protocol CodeMovingOperation: Operation {
    /// The operation on codes, or nil if there is none.
    func movingCodes(zeroPoint: Int) -> (any Operation)?
}
