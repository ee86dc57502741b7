/// The facts about an operation between quantized values.
struct QuantizedUse {
    var inputs: [QuantizationParameters]
    var types: [TensorType]
    /// The quantization of the result; nil for floats.
    var output: QuantizationParameters?
    /// The bounds to which the result is clamped before it is quantized.
    var bounds: ClosedRange<Float>
}

/// An operation that can be computed with 8-bit integers.
protocol QuantizableOperation: Operation {
    /// The integer operation, or nil if there is none with these scales and types.
    func integerOperation(_ use: QuantizedUse) -> (any Operation)?
}

/// An operation that moves or selects values, and can do so with quantized values of one scale.
protocol QuantizedMovement: Operation {
    /// The integer operation, or nil if there is none.
    func integerOperation(zeroPoint: Int) -> (any Operation)?
}

/// An operation that knows the zero point of its quantized output. Others keep that of their first input.
protocol IntegerOperation: EngineOperation {
    /// Nil if it computes floats.
    var outputZeroPoint: Int? { get }
}
