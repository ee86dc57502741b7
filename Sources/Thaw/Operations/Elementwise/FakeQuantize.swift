import Kernels

/// Values rounded to the levels of a quantized type, as used in quantization-aware training.
///
/// There is one range per channel of the last axis, or a single range. Every step is rounded to float32 as in
/// TensorFlow (tensorflow/core/kernels/fake_quant_ops_functor.h): even a slight difference could move a value to
/// another level.
struct FakeQuantize: Operation {
    var channels: [Levels]

    var kind: String { "FakeQuantize" }
    var isElementwise: Bool { channels.count == 1 }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        guard channels.count == 1 || channels.count == inputs[0].shape.last else {
            throw Failure.channelMismatch(inputs[0].shape.last ?? 1, channels.count)
        }
        return [TensorType(inputs[0].shape)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        inputs[0].withFloats { x in
            [
                Tensor(shape: inputs[0].shape) { y in
                    for i in 0..<y.count { y[i] = channels[i % channels.count].nearest(x[i]) }
                }
            ]
        }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        channels.count == 1 ? Reordered(self, inputs: orders, outputs: orders) : nil
    }
}

// MARK: Facts

extension FakeQuantize {
    var family: Family { .quantization }
    var quantizedRole: QuantizedRole { parameters == nil ? .floating : .bound }
    var levels: Levels? { channels.count == 1 && channels[0].step > 0 ? channels[0] : nil }
    private var parameters: QuantizationParameters? { levels.flatMap(QuantizationParameters.init) }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        channels.count > 1 && axis == inputs[0].shape.rank - 1 ? .weighted(axis) : .kept(axis)
    }

    func mergingAxes(_ inputs: [Shape], _ output: Shape) -> (operation: any Operation, groups: AxisGroups)? {
        (self, AxisGroups(output, apart: output.rank - 1))
    }
}

// MARK: Engine

extension FakeQuantize: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        levels.map { .unary(UnaryFunction(.level, alpha: $0.low, beta: $0.high, step: $0.step)) }
    }
}

// MARK: TensorFlow

extension FakeQuantize {
    static let tensorFlow = [
        TensorFlowRule("FakeQuantWithMinMaxArgs", axes: .kept, roles: []) { node, context in
            let range = (try node.float("min", default: -6), try node.float("max", default: 6))
            return [try quantize(node, [range.0], [range.1], &context)]
        },
        TensorFlowRule("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel", axes: .kept, roles: []) {
            node, context in
            guard let minima = try node.input(1).constant, let maxima = try node.input(2).constant else {
                return [try quantizeByComputedRange(node, &context)]
            }
            return [try quantize(node, minima.floats, maxima.floats, &context)]
        },
    ]

    private static func quantize(
        _ node: TensorFlowNode, _ minima: [Float], _ maxima: [Float], _ context: inout ImportContext
    ) throws -> Operand {
        let (bottom, top) = try bounds(node)
        guard !minima.isEmpty, minima.count == maxima.count,
            // Of the empty ranges only 0 to 0 has a result other than NaN in TensorFlow.
            zip(minima, maxima).allSatisfy({ ($0 < $1 || $0 == 0 && $1 == 0) && $0.isFinite && $1.isFinite })
        else { throw node.refused("\(minima) to \(maxima) are not valid quantization ranges") }
        let channels = zip(minima, maxima).map { Levels(minimum: $0, maximum: $1, bottom: bottom, top: top) }
        return try context.add(FakeQuantize(channels: channels), node.input(0), name: node.name)
    }

    /// The lowest and the highest quantized value.
    private static func bounds(_ node: TensorFlowNode) throws -> (bottom: Float, top: Float) {
        let bits = try node.int("num_bits", default: 8)
        guard (2...16).contains(bits) else { throw Failure.badAttribute(node.name, node.op, "num_bits") }
        return (try node.bool("narrow_range", default: false) ? 1 : 0, Float(1 << bits - 1))
    }

    /// The same arithmetic as in `Levels`, step by step, for a computed range. Empty ranges result in 0.
    private static func quantizeByComputedRange(_ node: TensorFlowNode, _ context: inout ImportContext) throws
        -> Operand
    {
        let (x, minimum, maximum) = (try node.input(0), try node.input(1), try node.input(2))
        let (bottom, top) = try bounds(node)
        guard minimum.shape == maximum.shape, minimum.shape.rank <= 1 else {
            throw Failure.shapesDiffer(minimum.shape, maximum.shape).at(node.name)
        }
        guard minimum.shape.elementCount == 1 || minimum.shape.last == x.shape.last else {
            throw Failure.shapesDiffer(minimum.shape, x.shape).at(node.name)
        }
        func combine(_ function: Binary.Function, _ a: Operand, _ b: Operand) throws -> Operand {
            try context.combine(function, a, b, name: "\(node.name)/\(function)")
        }
        func number(_ number: Float) -> Operand { .constant(Tensor([number], shape: [])) }
        func rounded(_ operand: Operand) throws -> Operand {
            try context.add(Unary(.floor), combine(.add, operand, number(0.5)), name: node.name + "/round")
        }
        let step = try combine(.divide, combine(.subtract, maximum, minimum), number(top - bottom))
        let zero = try combine(.subtract, number(bottom), combine(.divideOrZero, minimum, step))
        let clamped = try combine(.minimum, combine(.maximum, zero, number(bottom)), number(top))
        let integer = try rounded(clamped)
        let low = try combine(.multiply, combine(.subtract, number(bottom), integer), step)
        let high = try combine(.multiply, combine(.subtract, number(top), integer), step)
        let inside = try combine(.minimum, combine(.maximum, x, low), high)
        let inverse = try combine(.divideOrZero, number(1), step)
        let start = try rounded(combine(.multiply, combine(.subtract, number(0), low), inverse))
        let scaled = try combine(.multiply, combine(.subtract, inside, low), inverse)
        return try combine(.multiply, rounded(combine(.subtract, scaled, start)), step)
    }
}

// MARK: Core ML

extension FakeQuantize: CoreMLOperation {
    /// The steps of the reference, in ML Programs always in float32: even a slight difference could move a value to
    /// another level. If there are 256 levels and the dialect can quantize values, it does: only a value halfway between two
    /// levels may get the other one.
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? {
        if parts.dialect.hasQuantization, let parameters, hasAllLevels {
            return try parts.inFloat32 { parts in
                let quantize = AffineQuantize(scale: parameters.affine, element: .uint8)
                let quantized = try parts.add(quantize, inputs[0], as: "quantized")
                return try parts.add(AffineDequantize(scale: parameters.affine), quantized)
            }
        }
        let isProgram = parts.dialect.isProgram
        return try parts.inFloat32 { try $0.add(isProgram ? programSteps : networkSteps, to: inputs[0]) }
    }

    /// Whether there are as many levels as 8-bit integers.
    private var hasAllLevels: Bool {
        channels.allSatisfy { ($0.high / $0.step).rounded() - ($0.low / $0.step).rounded() == 255 }
    }

    private var networkSteps: [(part: String, operation: any Operation)] {
        let start = perChannel { ($0.step == 0 ? 0 : (0.5 - $0.low * (1 / $0.step)).rounded(.down) - 0.5) }
        return scaledSteps + [
            ("start", Binary(.subtract, constant: start)), ("whole", Unary(.floor)),
            ("level", Binary(.multiply, constant: perChannel(\.step))),
        ]
    }

    private var programSteps: [(part: String, operation: any Operation)] {
        let zero = perChannel { (0.5 - $0.low * $0.inverse).rounded(.down) }
        return scaledSteps + [
            ("quantized", Binary(.subtract, constant: zero)),
            ("half", Binary(.add, constant: Tensor([0.5], shape: []))), ("whole", Unary(.floor)),
            ("level", Binary(.multiply, constant: perChannel(\.step))),
        ]
    }

    /// The distance from the lowest level, in steps.
    private var scaledSteps: [(part: String, operation: any Operation)] {
        let low = perChannel(\.low)
        return [
            ("above", Binary(.maximum, constant: low)), ("clamped", Binary(.minimum, constant: perChannel(\.high))),
            ("distance", Binary(.subtract, constant: low)),
            ("scaled", Binary(.multiply, constant: perChannel(\.inverse))),
        ]
    }

    private func perChannel(_ number: (Levels) -> Float) -> Tensor {
        Tensor(channels.map(number), shape: channels.count == 1 ? [] : [channels.count])
    }
}

extension Levels {
    /// - Parameter top: The highest quantized value; the lowest is `bottom`.
    init(minimum: Float, maximum: Float, bottom: Float, top: Float) {
        let step = (maximum - minimum) / (top - bottom)
        guard step != 0 else {
            self.init(low: 0, high: 0, step: step)
            return
        }
        // The quantized value of 0, rounded to an integer.
        let zero = bottom - minimum / step
        let nudged = zero < bottom ? bottom : zero > top ? top : zero.rounded()
        self.init(low: (bottom - nudged) * step, high: (top - nudged) * step, step: step)
    }

    func nearest(_ x: Float) -> Float {
        guard step != 0 else { return 0 }
        let clamped = x < low ? low : x > high ? high : x
        let inverse = 1 / step
        let zero = (0.5 - low * inverse).rounded(.down)
        return ((clamped - low) * inverse - zero + 0.5).rounded(.down) * step
    }

    /// 1 / step, or 0 if there is only one level.
    fileprivate var inverse: Float { step == 0 ? 0 : 1 / step }
}
