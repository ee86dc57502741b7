// Elementwise work on rows of quantized values.

/// The addition of two quantized tensors, with each product and the sum rounded to float32:
///
///     (left − zero) · factor + (right − zero) · factor
public struct QuantizedAddition: Hashable, Sendable {
    public var leftFactor: Float
    public var rightFactor: Float
    public var leftZeroPoint: Int32
    public var rightZeroPoint: Int32
    public var rounding: QuantizedRounding

    public init(
        leftFactor: Float, rightFactor: Float, leftZeroPoint: Int, rightZeroPoint: Int, rounding: QuantizedRounding
    ) {
        self.leftFactor = leftFactor
        self.rightFactor = rightFactor
        self.leftZeroPoint = Int32(leftZeroPoint)
        self.rightZeroPoint = Int32(rightZeroPoint)
        self.rounding = rounding
        self.rounding.bound = 256 * (abs(leftFactor) + abs(rightFactor))
    }

    /// With the operands exchanged.
    public var swapped: QuantizedAddition {
        QuantizedAddition(
            leftFactor: rightFactor, rightFactor: leftFactor, leftZeroPoint: Int(rightZeroPoint),
            rightZeroPoint: Int(leftZeroPoint), rounding: rounding)
    }
}

/// What the multiplication of two quantized tensors computes:
///
///     float((left − zero) · (right − zero)) · factor
///
/// The first product is one of integers, the second is rounded to float32.
public struct QuantizedMultiplication: Hashable, Sendable {
    public var factor: Float
    public var leftZeroPoint: Int32
    public var rightZeroPoint: Int32
    public var rounding: QuantizedRounding

    public init(factor: Float, leftZeroPoint: Int, rightZeroPoint: Int, rounding: QuantizedRounding) {
        self.factor = factor
        self.leftZeroPoint = Int32(leftZeroPoint)
        self.rightZeroPoint = Int32(rightZeroPoint)
        self.rounding = rounding
    }

    /// With the operands exchanged.
    public var swapped: QuantizedMultiplication {
        QuantizedMultiplication(
            factor: factor, leftZeroPoint: Int(rightZeroPoint), rightZeroPoint: Int(leftZeroPoint), rounding: rounding)
    }
}

/// Adds rows of quantized values: `count` rows of `width` values.
public struct IntegerAdditionWork {
    public var left: UnsafePointer<UInt8>
    public var leftStride: Int
    public var right: UnsafePointer<UInt8>
    public var rightStride: Int
    public var output: UnsafeMutablePointer<UInt8>
    public var outputStride: Int
    public var width: Int
    public var count: Int
    public var addition: QuantizedAddition

    public init(
        left: UnsafePointer<UInt8>, leftStride: Int, right: UnsafePointer<UInt8>, rightStride: Int,
        output: UnsafeMutablePointer<UInt8>, outputStride: Int, width: Int, count: Int, addition: QuantizedAddition
    ) {
        self.left = left
        self.leftStride = leftStride
        self.right = right
        self.rightStride = rightStride
        self.output = output
        self.outputStride = outputStride
        self.width = width
        self.count = count
        self.addition = addition
    }
}

/// Multiplies rows of quantized tensors: `count` rows of `width` values.
public struct IntegerMultiplicationWork {
    public var left: UnsafePointer<UInt8>
    public var leftStride: Int
    /// A row for each row of `left`; or, if `repeats` is set, one block of channels for all pixels.
    public var right: UnsafePointer<UInt8>
    public var rightStride: Int
    public var repeats: Bool
    public var output: UnsafeMutablePointer<UInt8>
    public var outputStride: Int
    public var width: Int
    public var count: Int
    public var multiplication: QuantizedMultiplication

    public init(
        left: UnsafePointer<UInt8>, leftStride: Int, right: UnsafePointer<UInt8>, rightStride: Int, repeats: Bool,
        output: UnsafeMutablePointer<UInt8>, outputStride: Int, width: Int, count: Int,
        multiplication: QuantizedMultiplication
    ) {
        self.left = left
        self.leftStride = leftStride
        self.right = right
        self.rightStride = rightStride
        self.repeats = repeats
        self.output = output
        self.outputStride = outputStride
        self.width = width
        self.count = count
        self.multiplication = multiplication
    }
}

/// Multiplies rows of one plane by a factor for each channel of the block, and adds an offset: `count` rows of `width` values.
///
///     round(float(input − zero) · factor + offset)
///
/// The product and the sum are each rounded to float32.
public struct IntegerScaleWork {
    public var input: UnsafePointer<UInt8>
    public var inputStride: Int
    public var output: UnsafeMutablePointer<UInt8>
    public var outputStride: Int
    public var width: Int
    public var count: Int
    /// A value for each channel of the block.
    public var factors: UnsafePointer<Float>
    /// A value for each channel of the block.
    public var offsets: UnsafePointer<Float>
    public var zeroPoint: Int32
    public var rounding: QuantizedRounding

    public init(
        input: UnsafePointer<UInt8>, inputStride: Int, output: UnsafeMutablePointer<UInt8>, outputStride: Int,
        width: Int, count: Int, factors: UnsafePointer<Float>, offsets: UnsafePointer<Float>, zeroPoint: Int,
        rounding: QuantizedRounding
    ) {
        self.input = input
        self.inputStride = inputStride
        self.output = output
        self.outputStride = outputStride
        self.width = width
        self.count = count
        self.factors = factors
        self.offsets = offsets
        self.zeroPoint = Int32(zeroPoint)
        self.rounding = rounding
    }
}

/// Replaces each quantized value by its entry in a table of 256, in `count` rows of `width`.
public struct LookupWork {
    public var input: UnsafePointer<UInt8>
    public var inputStride: Int
    public var table: UnsafePointer<UInt8>
    public var output: UnsafeMutablePointer<UInt8>
    public var outputStride: Int
    public var width: Int
    public var count: Int

    public init(
        input: UnsafePointer<UInt8>, inputStride: Int, table: UnsafePointer<UInt8>,
        output: UnsafeMutablePointer<UInt8>, outputStride: Int, width: Int, count: Int
    ) {
        self.input = input
        self.inputStride = inputStride
        self.table = table
        self.output = output
        self.outputStride = outputStride
        self.width = width
        self.count = count
    }
}

/// Quantizes floats, `q = round(float / scale)`, or dequantizes, `float = (q − zero) · scale`: a row of values.
public struct QuantizationWork {
    public var floats: UnsafeMutablePointer<Float>
    public var quantized: UnsafeMutablePointer<UInt8>
    public var count: Int
    public var scale: Float
    public var rounding: QuantizedRounding

    public init(
        floats: UnsafeMutablePointer<Float>, quantized: UnsafeMutablePointer<UInt8>, count: Int, scale: Float,
        rounding: QuantizedRounding
    ) {
        self.floats = floats
        self.quantized = quantized
        self.count = count
        self.scale = scale
        self.rounding = rounding
    }
}
