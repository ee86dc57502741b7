import Kernels

/// Dequantizes integers: scale · (q − zero point).
struct AffineDequantize: Operation {
    var scale: AffineScale

    var kind: String { "AffineDequantize" }
    var isElementwise: Bool { scale.axis == nil }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        try scale.check(inputs[0].shape)
        return [TensorType(inputs[0].shape)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let pair = scale.index(in: inputs[0].shape)
        return inputs[0].withElements { quantized in
            [
                Tensor(shape: inputs[0].shape) { y in
                    for i in 0..<y.count {
                        y[i] = (Float(quantized[i]) - Float(scale.zeroPoints[pair(i)])) * scale.scales[pair(i)]
                    }
                }
            ]
        }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        Reordered(AffineDequantize(scale: scale.reordered(orders[0])), inputs: orders, outputs: orders)
    }
}

// MARK: Facts

extension AffineDequantize {
    var family: Family { .quantization }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse { scale.use(ofAxis: axis) }

    func mergingAxes(_ inputs: [Shape], _ output: Shape) -> (operation: any Operation, groups: AxisGroups)? {
        let (scale, groups) = scale.merged(output)
        return (AffineDequantize(scale: scale), groups)
    }
}

// MARK: Core ML

extension AffineDequantize: CoreMLOperation {
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? {
        if parts.dialect.hasQuantization { return nil }
        let rank = inputs[0].shape.rank
        return try parts.add(
            [
                ("numbers", Cast(element: .float32)),
                ("moved", Binary(.subtract, constant: scale.aligned(scale.zeroPoints.map { Float($0) }, rank: rank))),
                ("values", Binary(.multiply, constant: scale.aligned(scale.scales, rank: rank))),
            ], to: inputs[0])
    }
}

// MARK: ML Program

extension AffineDequantize: MILOperation {
    var needsFloat32: Bool { !scale.isHalf }

    func write(_ node: MILNode, to block: inout MILBlock) throws {
        try block.require(.iOS17, "an operation on quantized values")
        block.add("dequantize", node.outputs, scale.arguments(node.input, quantized: node.input.element))
    }

    static let mil = [
        MILRule("dequantize") { op, reading in
            let quantized = try op.operand("input")
            guard !quantized.type.element.isFloatingPoint else {
                throw op.refused("the quantized values are floating point", remedy: "integers are supported")
            }
            return [try reading.add(AffineDequantize(scale: AffineScale(op, of: quantized)), quantized, op)]
        }
    ]
}

// MARK: Engine

extension AffineDequantize: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        guard let parameters = scale.parameters, inputs[0].element == .uint8 else { return nil }
        return .integer(.dequantize(scale: parameters.scale, parameters.rounding(bounds: -.infinity...(.infinity))))
    }
}
