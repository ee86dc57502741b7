/// Weights stored as 8-bit numbers, turned back into fractions while a graph is read. Nothing of it stays in a graph.
enum Dequantize {
    /// TensorFlow's MIN_FIRST mode: codes stand evenly spaced from the minimum to the maximum.
    ///
    /// The minimum is first moved to the nearest multiple of the spacing, so that one code stands for 0 exactly. All is
    /// rounded to float32 at each step, as TensorFlow rounds: the same bits come out
    /// (tensorflow/core/kernels/quantization_utils.h, QuantizedToFloatStruct).
    static func minFirst(_ codes: Tensor, minimum: Float, maximum: Float) -> Tensor {
        let bits = codes.element.size * 8
        let lowest: Float = codes.element == .uint8 || codes.element == .uint16 ? 0 : -Float(1 << (bits - 1))
        let step = Float(Double(maximum - minimum) / Double((1 << bits) - 1))
        let start = step == 0 ? minimum : (minimum / step).rounded() * step
        return codes.withElements { code in
            Tensor(shape: codes.shape) { out in
                for i in 0..<out.count { out[i] = (start - lowest * step) + Float(code[i]) * step }
            }
        }
    }

    static let tensorFlow = [
        TensorFlowRule("Dequantize") { node, _ in
            let mode = try node.string("mode", default: "MIN_COMBINED")
            guard mode == "MIN_FIRST" else {
                throw node.refused("the quantisation mode \(mode) is not supported", remedy: "MIN_FIRST is")
            }
            let codes = try node.constant(0, "quantised array")
            guard [.uint8, .int8, .uint16, .int16].contains(codes.element) else {
                throw node.refused(
                    "elements of type \(codes.element.rawValue) are not supported", remedy: "8 and 16 bits are")
            }
            guard try node.int("axis", default: -1) == -1 else {
                throw node.refused("ranges along an axis are not supported")
            }
            let range = try ["minimum", "maximum"].enumerated().map { try node.constant($0.offset + 1, $0.element) }
            guard range.allSatisfy({ $0.elementCount == 1 }) else {
                throw node.refused("the range must be two single numbers")
            }
            return [.constant(minFirst(codes, minimum: range[0].floats[0], maximum: range[1].floats[0]))]
        }
    ]
}
