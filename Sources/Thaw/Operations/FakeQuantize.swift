/// Numbers rounded to the levels of a quantised type, as networks are trained that shall later be quantised.
///
/// The last axis has one range a channel, or there is one range for all. All is rounded to float32 at each step, as
/// TensorFlow rounds (tensorflow/core/kernels/fake_quant_ops_functor.h): a number beside it would fall to another level.
struct FakeQuantize: Operation {
    /// The levels of one channel: the lowest, the highest and the distance between neighbours.
    struct Levels: Hashable, Sendable {
        let low: Float
        let high: Float
        let step: Float

        /// - Parameter top: The highest code; the lowest is `bottom`.
        init(minimum: Float, maximum: Float, bottom: Float, top: Float) {
            step = (maximum - minimum) / (top - bottom)
            // The code that stands for 0, moved to a whole number.
            let zero = bottom - minimum / step
            let nudged = zero < bottom ? bottom : zero > top ? top : zero.rounded()
            low = (bottom - nudged) * step
            high = (top - nudged) * step
        }

        func nearest(_ x: Float) -> Float {
            guard step != 0 else { return 0 }
            let held = x < low ? low : x > high ? high : x
            let inverse = 1 / step
            let zero = (0.5 - low * inverse).rounded(.down)
            return ((held - low) * inverse - zero + 0.5).rounded(.down) * step
        }
    }

    var channels: [Levels]

    var kind: String { "FakeQuantize" }

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

// MARK: TensorFlow

extension FakeQuantize {
    static let tensorFlow = [
        TensorFlowRule("FakeQuantWithMinMaxArgs") { node, context in
            let range = (try node.float("min", default: -6), try node.float("max", default: 6))
            return [try quantize(node, [range.0], [range.1], &context)]
        },
        TensorFlowRule("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel") { node, context in
            let ranges = try ["minimum", "maximum"].enumerated().map {
                try node.constant($0.offset + 1, $0.element).floats
            }
            return [try quantize(node, ranges[0], ranges[1], &context)]
        },
    ]

    private static func quantize(
        _ node: TensorFlowNode, _ minima: [Float], _ maxima: [Float], _ context: inout ImportContext
    ) throws -> Operand {
        let bits = try node.int("num_bits", default: 8)
        guard (2...16).contains(bits), !minima.isEmpty, minima.count == maxima.count,
            zip(minima, maxima).allSatisfy({ $0 <= $1 && $0.isFinite && $1.isFinite })
        else {
            throw node.refused("the ranges \(minima) to \(maxima) do not fall into levels of \(bits) bits")
        }
        let bottom: Float = try node.bool("narrow_range", default: false) ? 1 : 0
        let channels = zip(minima, maxima).map {
            Levels(minimum: $0, maximum: $1, bottom: bottom, top: Float(1 << bits - 1))
        }
        return try context.add(FakeQuantize(channels: channels), node.input(0), name: node.name)
    }
}
