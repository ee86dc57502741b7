import Kernels

/// Values rounded to 8-bit integers: value / scale, rounded to an integer with ties to even, plus the zero point,
/// clamped to the type.
///
/// Every step is rounded to float32: a slight difference could change the quantized value.
struct AffineQuantize: Operation {
    var scale: AffineScale
    /// The type of the quantized values: int8 or uint8.
    var element: ElementType

    var kind: String { "AffineQuantize" }
    var isElementwise: Bool { scale.axis == nil }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        try scale.check(inputs[0].shape)
        return [TensorType(inputs[0].shape, element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let pair = scale.index(in: inputs[0].shape)
        return inputs[0].withFloats { x in
            [
                Tensor(shape: inputs[0].shape, element: element) { i in
                    let level = (x[i] / scale.scales[pair(i)]).rounded(.toNearestOrEven)
                    return Double(level + Float(scale.zeroPoints[pair(i)]))
                }
            ]
        }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        Reordered(
            AffineQuantize(scale: scale.reordered(orders[0]), element: element), inputs: orders, outputs: orders)
    }
}

// MARK: Facts

extension AffineQuantize {
    var family: Family { .quantization }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse { scale.use(ofAxis: axis) }

    func mergingAxes(_ inputs: [Shape], _ output: Shape) -> (operation: any Operation, groups: AxisGroups)? {
        let (scale, groups) = scale.merged(output)
        return (AffineQuantize(scale: scale, element: element), groups)
    }

    func range(inputs count: Int, _ range: (Int) -> ClosedRange<Double>?) -> ClosedRange<Double>? { element.bounds }

    /// The unsigned scale and zero point, if there is a single scale.
    var unsignedScale: QuantizationParameters? {
        (element == .int8 ? scale.shiftedToUnsigned : scale).parameters
    }
}

// MARK: Core ML

extension AffineQuantize: CoreMLOperation {
    /// The steps of the reference, in ML Programs always in float32.
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? {
        if parts.dialect.hasQuantization { return nil }
        let rank = inputs[0].shape.rank
        return try parts.inFloat32 { parts in
            try parts.add(
                [
                    ("scaled", Binary(.divide, constant: scale.aligned(scale.scales, rank: rank))),
                    ("whole", Unary(.round)),
                    ("moved", Binary(.add, constant: scale.aligned(scale.zeroPoints.map { Float($0) }, rank: rank))),
                    ("quantized", Cast(element: element)),
                ], to: inputs[0])
        }
    }
}

// MARK: ML Program

extension AffineQuantize: MILOperation {
    var needsFloat32: Bool { !scale.isHalf }

    func write(_ node: MILNode, to block: inout MILBlock) throws {
        try block.require(.iOS17, "an operation that quantizes")
        block.add(
            "quantize", node.outputs,
            scale.arguments(node.input, quantized: element) + [("output_dtype", .text(element.rawValue))])
    }

    static let mil = [
        MILRule("quantize") { op, reading in
            let x = try op.operand("input")
            let scale = try AffineScale(op, of: x)
            guard !scale.scales.contains(0) else { throw op.refused("a scale is 0") }
            let name = try op.text("output_dtype")
            guard let element = ElementType(rawValue: name), element == .int8 || element == .uint8 else {
                throw op.refused(
                    "quantized values of type '\(name)' are not supported", remedy: "expected int8 or uint8")
            }
            return [try reading.add(AffineQuantize(scale: scale, element: element), x, op)]
        }
    ]
}

// MARK: Engine

extension AffineQuantize: IntegerOperation, EngineOperation {
    var outputZeroPoint: Int? { scale.zeroPoints[0] }
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        guard let parameters = scale.parameters, element == .uint8 else { return nil }
        return .integer(.quantize(scale: parameters.scale, parameters.rounding(bounds: -.infinity...(.infinity))))
    }
}
