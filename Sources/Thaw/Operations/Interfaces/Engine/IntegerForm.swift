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
    case addition(CodeAddition)
    /// Two inputs of the same shape, or an image, which is the left operand and the input at this index, and a code for each
    /// of its channels.
    case multiplication(CodeMultiplication, image: Int?)
    /// A factor and an offset for each channel of an image.
    case scale(zeroPoint: Int, factors: [Float], offsets: [Float], CodeRounding)
    case largest(window: Window)
    /// A factor for each number of pixels in the window.
    case average(window: Window, zeroPoint: Int, factors: [Float], CodeRounding)
    /// The mean over height and width of an image.
    case mean(zeroPoint: Int, factor: Float, CodeRounding)
    case lookup([UInt8])
    case quantize(scale: Float, CodeRounding)
    case dequantize(scale: Float, CodeRounding)
}

/// A layer with integer weights over quantized values: the bias plus Σ (q − zero point) · weight, a 32-bit integer, is
/// converted to float32, multiplied by the factor of its output channel, and rounded.
struct IntegerLayer: Sendable {
    enum Result: Hashable, Sendable {
        case codes(CodeRounding)
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
    var element: ElementType { if case .codes = result { .uint8 } else { .float32 } }

    /// The result for a value of the accumulator, including the bias.
    func value(_ sum: Int, channel: Int) -> Double {
        let product = Float(Int32(sum)) * factors[channel]
        switch result {
        case .codes(let rounding): return rounding.code(product)
        case .values(let lower, let upper): return Double(min(max(product, lower), upper))
        }
    }

    var outputZeroPoint: Int? {
        if case .codes(let rounding) = result { Int(rounding.zeroPoint) } else { nil }
    }
}

extension CodeRounding {
    /// The quantized value. NaN becomes the lowest.
    func code(_ value: Float) -> Double {
        let clamped = value > lower ? min(value, upper) : lower
        return Double(clamped.rounded(.toNearestOrEven)) + Double(zeroPoint)
    }
}

/// An operation that knows the zero point of its quantized output. Others keep that of their first input.
protocol CodeOperation: EngineOperation {
    /// Nil if it computes floats.
    var outputZeroPoint: Int? { get }
}
