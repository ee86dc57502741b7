import Foundation
import Testing

@testable import Thaw

/// A layer, or an operation of a program, that is read as several operations, with its formula.
struct ComposedCase: CustomTestStringConvertible, Sendable {
    typealias Planes = [[[Float]]]

    let testDescription: String
    /// Creates a layer of that kind; nil if only programs have it.
    var layer: (@Sendable (inout Message) -> Void)?
    /// The kind of a program's operation, and its arguments other than `x`.
    var operation: (kind: String, arguments: [(String, Message)])?
    /// The argument for the image.
    var names = ["x"]
    /// The expected result, [channel][row][column] like the image.
    let expected: @Sendable (Planes) -> Planes
}

private typealias Planes = ComposedCase.Planes

private func mapped(_ function: @escaping @Sendable (Float, Int) -> Float) -> @Sendable (Planes) -> Planes {
    { image in image.enumerated().map { channel, plane in plane.map { $0.map { function($0, channel) } } } }
}

private func number(_ key: String, _ number: Float) -> (String, Message) {
    (key, .immediate(Tensor([number], shape: [])))
}

private func numbers(_ key: String, _ numbers: [Float]) -> (String, Message) {
    (key, .immediate(Tensor(numbers, shape: [numbers.count])))
}

private func integers(_ key: String, _ integers: [Int]) -> (String, Message) {
    (key, .immediate(Tensor(integers: integers, shape: [integers.count])))
}

private func integer(_ key: String, _ integer: Int) -> (String, Message) {
    (key, .immediate(Tensor(integers: [integer], shape: [])))
}

private func isTrue(_ key: String) -> (String, Message) { (key, .immediate(Tensor(1, element: .bool))) }

/// The image with the rows and columns at these indices.
private func taken(_ rows: [Int], _ columns: [Int]) -> @Sendable (Planes) -> Planes {
    { image in image.map { plane in rows.map { row in columns.map { plane[row][$0] } } } }
}

/// Minus the mean, divided by the standard deviation with the default epsilon.
private func centered(_ numbers: [Float]) -> [Float] {
    let mean = numbers.reduce(0, +) / Float(numbers.count)
    let variance = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(numbers.count)
    return numbers.map { ($0 - mean) / (variance.squareRoot() + 1e-5) }
}

/// Attention of each row of a plane to all rows; the plane contains queries, keys and values.
private func attention(_ rows: [[Float]]) -> [[Float]] {
    rows.map { query in
        let scores = rows.map { key in
            exp(zip(query, key).reduce(0) { $0 + $1.0 * $1.1 } / Float(query.count).squareRoot())
        }
        let sum = scores.reduce(0, +)
        return query.indices.map { column in zip(scores, rows).reduce(0) { $0 + $1.0 / sum * $1.1[column] } }
    }
}

private let slopes: [Float] = [0.1, 0.5, -0.25]
private let factors: [Float] = [1.5, 0.5, 2]

extension ComposedCase {
    static let all: [ComposedCase] = [
        ComposedCase(
            testDescription: "relu above a threshold", layer: { $0.activation.thresholdedReLU.alpha = 0.3 as Float },
            operation: ("thresholded_relu", [number("alpha", 0.3)]), expected: mapped { x, _ in x >= 0.3 ? x : 0 }),
        ComposedCase(
            testDescription: "relu with an upper bound",
            layer: {
                $0.clampedReLU.alpha = 0.2 as Float
                $0.clampedReLU.beta = 0.6 as Float
            }, operation: ("clamped_relu", [number("alpha", 0.2), number("beta", 0.6)]),
            expected: mapped { x, _ in min(0.6, x >= 0 ? x : 0.2 * x) }),
        ComposedCase(
            testDescription: "scaled tanh",
            layer: {
                $0.activation.scaledTanh.alpha = 1.5 as Float
                $0.activation.scaledTanh.beta = 0.7 as Float
            }, operation: ("scaled_tanh", [number("alpha", 1.5), number("beta", 0.7)]),
            expected: mapped { x, _ in 1.5 * Float(tanh(0.7 * Double(x))) }),
        ComposedCase(
            testDescription: "a slope per channel",
            layer: { $0.activation.PReLU.alpha = .weights(Tensor(slopes, shape: [3])) },
            operation: ("prelu", [numbers("alpha", slopes)]), expected: mapped { x, c in x >= 0 ? x : slopes[c] * x }),
        ComposedCase(
            testDescription: "softplus with values per channel",
            layer: {
                $0.activation.parametricSoftplus.alpha = .weights(Tensor(factors, shape: [3]))
                $0.activation.parametricSoftplus.beta = .weights(Tensor(slopes, shape: [3]))
            }, operation: ("softplus_parametric", [numbers("alpha", factors), numbers("beta", slopes)]),
            expected: mapped { x, c in factors[c] * Float(log(1 + exp(Double(slopes[c] * x)))) }),
        ComposedCase(
            testDescription: "tangent", layer: { $0.choose("tan") }, operation: ("tan", []),
            expected: mapped { x, _ in Float(tan(Double(x))) }),
        ComposedCase(
            testDescription: "powers of two", layer: { $0.choose("exp2") }, operation: ("exp2", []),
            expected: mapped { x, _ in Float(pow(2, Double(x))) }),
        ComposedCase(
            testDescription: "L2 normalization", layer: { $0.choose("l2normalize") }, operation: ("l2_norm", []),
            expected: { image in
                let sum = image.joined().joined().reduce(0) { $0 + $1 * $1 }
                return mapped { x, _ in x / (sum + 1e-6).squareRoot() }(image)
            }),
        ComposedCase(
            testDescription: "mean and variance per channel", layer: { $0.mvn.normalizeVariance = true },
            expected: { image in
                image.map { plane in
                    let row = centered(Array(plane.joined()))
                    return plane.indices.map { Array(row[$0 * 4..<$0 * 4 + 4]) }
                }
            }),
        ComposedCase(
            testDescription: "mean over all channels", layer: { $0.mvn.acrossChannels = true },
            expected: { image in
                let mean = image.joined().joined().reduce(0, +) / 48
                return mapped { x, _ in x - mean }(image)
            }),
        ComposedCase(
            testDescription: "a crop of two channels",
            layer: {
                $0.slice.startIndex = 1
                $0.slice.endIndex = 3
            }, expected: { Array($0[1..<3]) }),
        ComposedCase(
            testDescription: "a cropped border",
            operation: ("crop", [integers("crop_height", [1, 0]), integers("crop_width", [0, 2])]),
            expected: taken([1, 2, 3], [0, 1])),
        ComposedCase(
            testDescription: "each channel twice",
            layer: {
                $0.input = Array(repeating: ($0.input as [String])[0], count: 2)
                $0.concatND.axis = 1
                $0.concatND.interleave = true
            },
            operation: ("concat", [integer("axis", 1), isTrue("interleave")]), names: ["values", "values"],
            expected: { $0.flatMap { [$0, $0] } }),
        ComposedCase(
            testDescription: "reversed rows and columns",
            layer: { $0.reverse.reverseDim = [false, false, true, true] },
            operation: ("reverse", [integers("axes", [2, -1])]),
            expected: taken([3, 2, 1, 0], [3, 2, 1, 0])),
        ComposedCase(
            testDescription: "attention", operation: ("scaled_dot_product_attention", []),
            names: ["query", "key", "value"],
            expected: { $0.map(attention) }),
        ComposedCase(
            testDescription: "attention with a Boolean mask",
            operation: (
                "scaled_dot_product_attention",
                [
                    (
                        "attn_mask",
                        .immediate(
                            Tensor(integers: (0..<16).map { $0 % 4 <= $0 / 4 ? 1 : 0 }, shape: [4, 4], element: .bool))
                    )
                ]
            ),
            names: ["query", "key", "value"],
            expected: { $0.map { plane in plane.indices.map { attention(Array(plane[...$0]))[$0] } } }),
        ComposedCase(
            testDescription: "sum of magnitudes",
            layer: {
                $0.reduceL1.axes = [1]
                $0.reduceL1.keepDims = true
            },
            operation: ("reduce_l1_norm", [integers("axes", [1]), isTrue("keep_dims")]),
            expected: { image in
                [(0..<4).map { row in (0..<4).map { column in image.reduce(0) { $0 + abs($1[row][column]) } } }]
            }),
        ComposedCase(
            testDescription: "log-sum-exp",
            layer: {
                $0.reduceLogSumExp.axes = [1]
                $0.reduceLogSumExp.keepDims = true
            },
            operation: ("reduce_log_sum_exp", [integers("axes", [1]), isTrue("keep_dims")]),
            expected: { image in
                [
                    (0..<4).map { row in
                        (0..<4).map { column in log(image.reduce(0) { $0 + exp($1[row][column]) }) }
                    }
                ]
            }),
        ComposedCase(
            testDescription: "space to depth, grouped by position",
            layer: {
                $0.reorganizeData.mode = "SPACE_TO_DEPTH"
                $0.reorganizeData.blockSize = 2
            }, operation: ("space_to_depth", [integer("block_size", 2)]),
            expected: { image in
                (0..<12).map { depth in
                    (0..<2).map { row in
                        (0..<2).map { image[depth % 3][row * 2 + depth / 6][$0 * 2 + depth / 3 % 2] }
                    }
                }
            }),
        ComposedCase(
            testDescription: "space to depth, grouped by channel",
            operation: ("pixel_unshuffle", [integer("downscale_factor", 2)]),
            expected: { image in
                (0..<12).map { depth in
                    (0..<2).map { row in
                        (0..<2).map { image[depth / 4][row * 2 + depth / 2 % 2][$0 * 2 + depth % 2] }
                    }
                }
            }),
        ComposedCase(
            testDescription: "a mirrored border",
            layer: {
                $0.padding.choose("reflection")
                $0.padding["paddingAmounts"].setBorders([(2, 1), (0, 3)])
            }, operation: ("pad", [integers("pad", [2, 1, 0, 3]), ("mode", .text("reflect"))]),
            expected: taken([2, 1, 0, 1, 2, 3, 2], [0, 1, 2, 3, 2, 1, 0])),
        ComposedCase(
            testDescription: "a border of repeated outermost pixels",
            layer: {
                $0.padding.choose("replication")
                $0.padding["paddingAmounts"].setBorders([(1, 0), (2, 5)])
            }, operation: ("pad", [integers("pad", [1, 0, 2, 5]), ("mode", .text("replicate"))]),
            expected: taken([0, 0, 1, 2, 3], [0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3])),
    ]
}
