/// Dequantizes constant weights during import, so that no such operation remains in the graph.
enum Dequantize {
    /// TensorFlow's MIN_FIRST mode: quantized values are evenly spaced from the minimum to the maximum.
    ///
    /// The minimum is first moved to the nearest multiple of the step, so that 0 is represented exactly. Every step is
    /// rounded to float32 as in TensorFlow, so the results are bit-identical
    /// (tensorflow/core/kernels/quantization_utils.h, QuantizedToFloatStruct).
    static func minFirst(_ quantized: Tensor, minimum: Float, maximum: Float) -> Tensor {
        let bits = quantized.element.size * 8
        let lowest: Float = quantized.element == .uint8 || quantized.element == .uint16 ? 0 : -Float(1 << (bits - 1))
        let step = Float(Double(maximum - minimum) / Double((1 << bits) - 1))
        let start = step == 0 ? minimum : (minimum / step).rounded() * step
        return quantized.withElements { q in
            Tensor(shape: quantized.shape) { out in
                for i in 0..<out.count { out[i] = (start - lowest * step) + Float(q[i]) * step }
            }
        }
    }

    /// The values that TensorFlow's arithmetic on quantized values computes with: multiples of the step, counted from the level
    /// of 0. If 0 is halfway between two levels, as from −1 to 1, that is another level than in `minFirst`
    /// (tensorflow/core/kernels/quantization_utils.h, FloatToQuantizedUnclamped).
    static func aroundZero(_ quantized: Tensor, minimum: Float, maximum: Float) -> Tensor {
        let steps = Double(1 << (quantized.element.size * 8) - 1)
        let isUnsigned = quantized.element == .uint8 || quantized.element == .uint16
        let lowest = isUnsigned ? 0 : -(steps + 1) / 2
        let length = maximum - minimum
        let step = length / Float(steps)
        let zero = length == 0 ? lowest : lowest - (Double(minimum) * (steps / Double(length))).rounded()
        return quantized.withElements { q in
            Tensor(shape: quantized.shape) { out in
                for i in 0..<out.count { out[i] = Float(Double(q[i]) - zero) * step }
            }
        }
    }

    /// The real values of quantized ones.
    private static func dequantized(_ quantized: Tensor, _ mode: Mode, minimum: Float, maximum: Float, isNarrow: Bool)
        -> Tensor
    {
        let bits = quantized.element.size * 8
        let isSigned = quantized.element != .uint8 && quantized.element != .uint16
        let lowest: Float = isSigned ? -Float(1 << (bits - 1)) : 0
        let highest = lowest + Float(1 << bits - 1)
        switch mode {
        case .minFirst: return minFirst(quantized, minimum: minimum, maximum: maximum)
        case .minCombined:
            let step = (maximum - minimum) / (highest - lowest)
            return quantized.withElements { q in
                Tensor(shape: quantized.shape) { out in
                    for i in 0..<out.count { out[i] = (Float(q[i]) - lowest) * step + minimum }
                }
            }
        case .scaled:
            let step = isSigned ? max(minimum / (isNarrow ? lowest + 1 : lowest), maximum / highest) : maximum / highest
            return quantized.withElements { q in
                Tensor(shape: quantized.shape) { out in
                    for i in 0..<out.count {
                        let number = Float(q[i])
                        // TensorFlow converts this back to Int32. Values that were rounded up to 2^31 wrap around to
                        // the lowest.
                        out[i] = (number < 0x1p31 ? number : -0x1p31) * step
                    }
                }
            }
        }
    }

    /// How quantized values represent real values; QuantizeV2 has the same modes.
    enum Mode: String {
        case minFirst = "MIN_FIRST"
        case minCombined = "MIN_COMBINED"
        case scaled = "SCALED"

        init(_ node: TensorFlowNode) throws {
            let name = try node.string("mode", default: "MIN_COMBINED")
            guard let mode = Mode(rawValue: name) else {
                throw node.refused("the quantization mode \(name) is not supported")
            }
            self = mode
        }
    }

    static let tensorFlow = [
        TensorFlowRule("Dequantize", axes: .kept, roles: []) { node, _ in
            // The outputs of quantized operations are floating point already: see `QuantizedRange`.
            if try node.input(0).type.element.isFloatingPoint { return [try node.input(0)] }
            let mode = try Mode(node)
            let quantized = try node.constant(0, "quantized tensor")
            guard [.uint8, .int8, .uint16, .int16, .int32].contains(quantized.element) else {
                throw node.refused(
                    "elements of type \(quantized.element.rawValue) are not supported",
                    remedy: "8-bit, 16-bit and signed 32-bit integers are supported")
            }
            let ranges = try ["minimum", "maximum"].enumerated().map {
                try node.constant($0.offset + 1, $0.element).floats
            }
            let isNarrow = try node.bool("narrow_range", default: false)
            let named = try node.int("axis", default: -1)
            // Without an axis there is a single range.
            let axis = named == -1 ? nil : try quantized.shape.axis(named)
            let count = axis.map { quantized.shape[$0] } ?? 1
            guard ranges.allSatisfy({ $0.count == count }), count <= 1 << 16 else {
                throw node.refused("there are \(ranges[0].count) minima and \(ranges[1].count) maxima, not \(count)")
            }
            func part(_ quantized: Tensor, _ index: Int) -> Tensor {
                dequantized(quantized, mode, minimum: ranges[0][index], maximum: ranges[1][index], isNarrow: isNarrow)
            }
            guard let axis else { return [.constant(part(quantized, 0))] }
            // One range per slice along the axis.
            let slices = Split(axis: axis, sizes: [Int](repeating: 1, count: count)).evaluate([quantized])
            let parts = slices.enumerated().map { part($1, $0) }
            return [.constant(parts.isEmpty ? quantized.asFloat32 : Concatenation(axis: axis).evaluate(parts)[0])]
        }
    ]
}
