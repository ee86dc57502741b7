import Kernels

/// A computation of the engine's 8-bit integer kernels. Quantized values are uint8. The arithmetic is that of the
/// operation's `evaluate`, bit by bit.
enum IntegerForm {
    /// Weight axes: height, width, inputs, outputs.
    case convolution(IntegerLayer, window: Window)
    /// Weight axes: height, width, channel.
    case depthwise(IntegerLayer, window: Window)
    /// Weight axes: inputs, outputs.
    case dense(IntegerLayer)
    /// Two inputs of the same shape.
    case addition(QuantizedAddition)
    /// Two inputs of the same shape, or an image, which is the left operand and the input at this index, and a value for
    /// each of its channels.
    case multiplication(QuantizedMultiplication, image: Int?)
    /// A factor and an offset for each channel of an image.
    case scale(zeroPoint: Int, factors: [Float], offsets: [Float], QuantizedRounding)
    case largest(window: Window)
    /// A factor for each number of pixels in the window.
    case average(window: Window, zeroPoint: Int, factors: [Float], QuantizedRounding)
    /// The mean over height and width of an image.
    case mean(zeroPoint: Int, factor: Float, QuantizedRounding)
    case lookup([UInt8])
    case quantize(scale: Float, QuantizedRounding)
    case dequantize(scale: Float, QuantizedRounding)
}

/// A layer with integer weights over quantized values: the bias plus Σ (q − zero point) · weight, a 32-bit integer, is
/// converted to float32, multiplied by the factor of its output channel, and rounded.
struct IntegerLayer: Sendable {
    enum Result: Hashable, Sendable {
        case quantized(QuantizedRounding)
        /// Floats, clamped.
        case values(lower: Float, upper: Float)
    }

    /// int8. The output channels are the last axis.
    var weights: Tensor
    /// A value for each output channel.
    var bias: [Int32]
    /// The zero point of the input.
    var zeroPoint: Int
    /// A value for each output channel.
    var factors: [Float]
    var result: Result

    var outputs: Int { bias.count }
    var element: ElementType { if case .quantized = result { .uint8 } else { .float32 } }

    /// The result for a value of the accumulator, including the bias.
    func value(_ sum: Int, channel: Int) -> Double {
        let product = Float(Int32(sum)) * factors[channel]
        switch result {
        case .quantized(let rounding): return rounding.quantized(product)
        case .values(let lower, let upper): return Double(min(max(product, lower), upper))
        }
    }

    var outputZeroPoint: Int? {
        if case .quantized(let rounding) = result { Int(rounding.zeroPoint) } else { nil }
    }
}

extension QuantizedRounding {
    /// The quantized value. NaN becomes the lowest.
    func quantized(_ value: Float) -> Double {
        let clamped = value > lower ? min(value, upper) : lower
        return Double(clamped.rounded(.toNearestOrEven)) + Double(zeroPoint)
    }
}
