/// The range of a quantized tensor, as TensorFlow passes it along: two scalars, constant or computed.
///
/// Quantized values are represented by real values on the levels of the range: evenly spaced, with one of them 0. So
/// the graph computes in float32, and no quantized tensors remain in it.
struct QuantizedRange {
    var minimum: Operand
    var maximum: Operand

    /// The number of 8-bit levels, minus one.
    static let steps: Float = 255

    /// The range in two inputs of a node; with an axis, one range for each slice of the first input along it.
    init(_ node: TensorFlowNode, _ first: Int, _ second: Int, axis: Int? = nil, _ context: inout ImportContext) throws {
        func scalar(_ index: Int) throws -> Operand {
            let input = try node.input(index)
            if let axis {
                let shape = try node.input(0).shape
                guard input.shape.dimensions == [shape[axis]] else {
                    throw Failure.shapesDiffer(input.shape, [shape[axis]])
                }
                let broadcast = Shape(shape.indices.map { $0 == axis ? shape[axis] : 1 })
                return try context.add(Reshape(broadcast), input, name: "\(node.name)/range_\(index)")
            }
            guard input.shape.elementCount == 1 else {
                throw node.refused(
                    "a range has \(input.shape.elementCount) values", remedy: "one for all channels is supported")
            }
            return try context.add(Reshape([]), input, name: "\(node.name)/range_\(index)")
        }
        (minimum, maximum) = (try scalar(first), try scalar(second))
    }

    init(minimum: Operand, maximum: Operand) { (self.minimum, self.maximum) = (minimum, maximum) }

    /// Values rounded to the levels of the range (tensorflow/core/kernels/quantization_utils.h).
    ///
    /// - Parameter countsFromMinimum: Whether steps are counted from the minimum, and only then the minimum is moved to
    ///   a level, as in TensorFlow for values and 32-bit sums that become quint8. (With oneDNN, its default for graphs.
    ///   Without it, values and the minimum are rounded separately.)
    func quantized(
        _ x: Operand, countsFromMinimum: Bool = false, name: String, _ context: inout ImportContext
    ) throws -> Operand {
        if let minimum = minimum.constant?.floats.first, let maximum = maximum.constant?.floats.first {
            guard minimum <= 0, maximum >= 0, maximum > minimum, minimum.isFinite, maximum.isFinite else {
                throw Failure.emptyRange(minimum, maximum).at(name)
            }
            let levels = Levels(minimum: minimum, maximum: maximum, bottom: 0, top: Self.steps)
            guard countsFromMinimum else { return try context.add(FakeQuantize(channels: [levels]), x, name: name) }
            let shift = Double(levels.low) - Double(minimum)
            let moved = try context.combine(.add, x, .constant(Tensor(shift)), name: name + "/moved")
            return try context.add(FakeQuantize(channels: [levels]), moved, name: name)
        }
        func combine(_ function: Binary.Function, _ a: Operand, _ b: Operand) throws -> Operand {
            try context.combine(function, a, b, name: "\(name)/\(function)")
        }
        let count = Operand.constant(Tensor(Double(Self.steps)))
        let length = try combine(.subtract, maximum, minimum)
        let step = try combine(.divide, length, count)
        let inverse = try combine(.divideOrZero, count, length)
        func level(_ value: Operand) throws -> Operand {
            try context.add(Unary(.round), combine(.multiply, value, inverse), name: name + "/level")
        }
        let (lowest, steps): (Operand, Operand)
        if countsFromMinimum {
            // A quotient, because the product with the inverse may be a tie, as for a range from −1 to 1.
            let smallest = Operand.constant(Tensor(Double(Float.leastNormalMagnitude)))
            let quotient = try combine(.divide, minimum, combine(.maximum, step, smallest))
            lowest = try context.add(Unary(.round), quotient, name: name + "/lowest")
            steps = try level(combine(.subtract, x, minimum))
        } else {
            lowest = try level(minimum)
            steps = try combine(.subtract, level(x), lowest)
        }
        let clamped = try combine(.minimum, combine(.maximum, steps, .constant(Tensor(0))), count)
        return try context.combine(.multiply, combine(.add, clamped, lowest), step, name: name)
    }

    /// Values rounded to levels that are counted from the minimum, which need not contain 0: the mode MIN_COMBINED
    /// (tensorflow/core/kernels/quantize_op.cc).
    ///
    /// - Parameter isSigned: Whether the quantized type is signed. Ties are rounded away from the quantized 0, which is then
    ///   the middle level.
    func quantizedFromMinimum(_ x: Operand, isSigned: Bool, name: String, _ context: inout ImportContext) throws
        -> Operand
    {
        func combine(_ function: Binary.Function, _ a: Operand, _ b: Operand) throws -> Operand {
            try context.combine(function, a, b, name: "\(name)/\(function)")
        }
        let step = try step(name, &context)
        let clamped = try combine(.minimum, combine(.maximum, x, minimum), maximum)
        let steps = try combine(.divide, combine(.subtract, clamped, minimum), step)
        let middle = Operand.constant(Tensor(Double(isSigned ? (Self.steps + 1) / 2 : 0)))
        let rounded = try Self.rounded(combine(.subtract, steps, middle), tiesToEven: false, name: name, &context)
        let levels = try combine(.add, rounded, middle)
        return try context.combine(.add, combine(.multiply, levels, step), minimum, name: name)
    }

    /// Values rounded to multiples of a step, and the range of these multiples: the mode SCALED.
    ///
    /// - Parameters:
    ///   - integers: The lowest and the highest quantized value.
    ///   - tiesToEven: Whether ties are rounded to even, not away from 0.
    func scaled(
        _ x: Operand, integers: ClosedRange<Double>, tiesToEven: Bool, name: String, _ context: inout ImportContext
    ) throws -> (values: Operand, range: QuantizedRange) {
        func combine(_ function: Binary.Function, _ a: Operand, _ b: Operand) throws -> Operand {
            try context.combine(function, a, b, name: "\(name)/\(function)")
        }
        func number(_ number: Double) -> Operand { .constant(Tensor(number)) }
        var step = try combine(.divide, maximum, number(integers.upperBound))
        if integers.lowerBound < 0 {
            step = try combine(.maximum, step, combine(.divide, minimum, number(integers.lowerBound)))
        }
        let levels = try Self.rounded(combine(.divide, x, step), tiesToEven: tiesToEven, name: name, &context)
        let clamped = try combine(
            .minimum, combine(.maximum, levels, number(integers.lowerBound)), number(integers.upperBound))
        let range = QuantizedRange(
            minimum: try combine(.multiply, step, number(integers.lowerBound)),
            maximum: try combine(.multiply, step, number(integers.upperBound)))
        return (try context.combine(.multiply, clamped, step, name: name), range)
    }

    /// Values rounded to integers; ties are rounded to even, or away from 0 as by C's `round`.
    private static func rounded(
        _ x: Operand, tiesToEven: Bool, name: String, _ context: inout ImportContext
    ) throws -> Operand {
        if tiesToEven { return try context.add(Unary(.round), x, name: name + "/level") }
        let magnitude = try context.add(Unary(.absolute), x, name: name + "/magnitude")
        // Not 0.5: the sum with the number just below it would be rounded to 1.
        let half = Operand.constant(Tensor(Double(Float(0.5).nextDown)))
        let raised = try context.combine(.add, magnitude, half, name: name + "/raised")
        let floor = try context.add(Unary(.floor), raised, name: name + "/floor")
        let sign = try context.add(Unary(.sign), x, name: name + "/sign")
        return try context.combine(.multiply, floor, sign, name: name + "/level")
    }

    /// The step between 8-bit levels.
    func step(_ name: String, _ context: inout ImportContext) throws -> Operand {
        let length = try context.combine(.subtract, maximum, minimum, name: name + "/length")
        return try context.combine(.divide, length, .constant(Tensor(Double(Self.steps))), name: name + "/step")
    }

    /// The range of 32-bit sums of products of values from two ranges.
    static func product(_ a: QuantizedRange, _ b: QuantizedRange, _ name: String, _ context: inout ImportContext) throws
        -> QuantizedRange
    {
        let step = try context.combine(
            .multiply, a.step(name + "/first", &context), b.step(name + "/second", &context), name: name + "/step")
        func bound(_ number: Double) throws -> Operand {
            try context.combine(.multiply, step, .constant(Tensor(number)), name: name + "/bound")
        }
        return QuantizedRange(minimum: try bound(-0x1p31), maximum: try bound(0x1p31))
    }

    /// The range of 32-bit sums of values from two ranges: wide enough for many of them.
    static func sum(_ a: QuantizedRange, _ b: QuantizedRange, _ name: String, _ context: inout ImportContext) throws
        -> QuantizedRange
    {
        var largest = a.maximum
        for (function, other) in [
            (Binary.Function.subtract, a.minimum), (.add, b.maximum), (.subtract, b.minimum),
        ] {
            let zero = Operand.constant(Tensor(0))
            let magnitude = try context.combine(function, zero, other, name: name + "/magnitude")
            largest = try context.combine(.maximum, largest, magnitude, name: name + "/largest")
        }
        func bound(_ number: Double) throws -> Operand {
            try context.combine(.multiply, largest, .constant(Tensor(number)), name: name + "/bound")
        }
        return QuantizedRange(minimum: try bound(-0x1p17), maximum: try bound(0x1p17))
    }
}

extension Failure {
    fileprivate static func emptyRange(_ minimum: Float, _ maximum: Float) -> Failure {
        Failure(
            .invalidModel, "the range from \(minimum) to \(maximum) has no levels",
            remedy: "it must contain 0 and other values")
    }
}
