import Foundation
import Testing

@testable import Thaw

/// A layer, or an operation of a program, that becomes several of the graph, with the formula that it stands for.
private struct ComposedCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Makes a layer of that kind; nil where only programs have it.
    var layer: (@Sendable (inout Message) -> Void)?
    /// The kind of a program's operation and what it takes beside `x`.
    var operation: (kind: String, arguments: [(String, Message)])?
    /// What the operation calls the image.
    var names = ["x"]
    /// The answer, [channel][row][column] as the image is.
    let expected: @Sendable (Planes) -> Planes
}

private typealias Planes = [[[Float]]]

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

/// The image with rows and columns taken from these places.
private func taken(_ rows: [Int], _ columns: [Int]) -> @Sendable (Planes) -> Planes {
    { image in image.map { plane in rows.map { row in columns.map { plane[row][$0] } } } }
}

/// Less the mean, and by the deviation and the default epsilon.
private func centred(_ numbers: [Float]) -> [Float] {
    let mean = numbers.reduce(0, +) / Float(numbers.count)
    let variance = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(numbers.count)
    return numbers.map { ($0 - mean) / (variance.squareRoot() + 1e-5) }
}

/// Each row of a plane among all of them, the plane being queries, keys and values.
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

private let cases: [ComposedCase] = [
    ComposedCase(
        testDescription: "relu above a threshold", layer: { $0.activation.thresholdedReLU.alpha = 0.3 as Float },
        operation: ("thresholded_relu", [number("alpha", 0.3)]), expected: mapped { x, _ in x >= 0.3 ? x : 0 }),
    ComposedCase(
        testDescription: "relu held below",
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
        testDescription: "a slope for each channel",
        layer: { $0.activation.PReLU.alpha = .weights(Tensor(slopes, shape: [3])) },
        operation: ("prelu", [numbers("alpha", slopes)]), expected: mapped { x, c in x >= 0 ? x : slopes[c] * x }),
    ComposedCase(
        testDescription: "softplus with numbers for each channel",
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
        testDescription: "length one", layer: { $0.choose("l2normalize") }, operation: ("l2_norm", []),
        expected: { image in
            let sum = image.joined().joined().reduce(0) { $0 + $1 * $1 }
            return mapped { x, _ in x / (sum + 1e-6).squareRoot() }(image)
        }),
    ComposedCase(
        testDescription: "mean and variance of each channel", layer: { $0.mvn.normalizeVariance = true },
        expected: { image in
            image.map { plane in
                let row = centred(Array(plane.joined()))
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
        testDescription: "two channels cut out",
        layer: {
            $0.slice.startIndex = 1
            $0.slice.endIndex = 3
        }, expected: { Array($0[1..<3]) }),
    ComposedCase(
        testDescription: "a border cut off",
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
        testDescription: "rows and columns turned round",
        layer: { $0.reverse.reverseDim = [false, false, true, true] },
        operation: ("reverse", [integers("axes", [2, -1])]),
        expected: taken([3, 2, 1, 0], [3, 2, 1, 0])),
    ComposedCase(
        testDescription: "attention", operation: ("scaled_dot_product_attention", []),
        names: ["query", "key", "value"],
        expected: { $0.map(attention) }),
    ComposedCase(
        testDescription: "attention to rows that a mask of truth values lets through",
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
        testDescription: "magnitudes summed",
        layer: {
            $0.reduceL1.axes = [1]
            $0.reduceL1.keepDims = true
        },
        operation: ("reduce_l1_norm", [integers("axes", [1]), isTrue("keep_dims")]),
        expected: { image in
            [(0..<4).map { row in (0..<4).map { column in image.reduce(0) { $0 + abs($1[row][column]) } } }]
        }),
    ComposedCase(
        testDescription: "the logarithm of exponentials' sum",
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
        testDescription: "blocks of pixels made channels, those of a place together",
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
        testDescription: "blocks of pixels made channels, those of a channel together",
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
        testDescription: "a border of the outermost pixels",
        layer: {
            $0.padding.choose("replication")
            $0.padding["paddingAmounts"].setBorders([(1, 0), (2, 5)])
        }, operation: ("pad", [integers("pad", [1, 0, 2, 5]), ("mode", .text("replicate"))]),
        expected: taken([0, 0, 1, 2, 3], [0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3])),
]

@Suite struct ComposedTests {
    /// A relu on an image of three channels; the tests put something else in its place.
    private let model: Model = {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 4, 4, 3]))
        builder.output("output", try! builder.add(Unary(.relu), [input], name: "relu")[0])
        return Model(graph: builder.graph, image: ImageInput(name: "input", width: 4, height: 4, color: .rgb))
    }()
    private let input = Tensor(noise(48), shape: [1, 4, 4, 3])

    private var planes: Planes {
        let x = input.floats
        return (0..<3).map { c in (0..<4).map { row in (0..<4).map { x[(row * 4 + $0) * 3 + c] } } }
    }

    /// What a model answers; arithmetic at its head is read as the image's scaling.
    private func answer(_ message: Message) throws -> Tensor {
        let back = try ModelReader.run(message).model
        return back.graph.answer(to: input.scaled(back.image!.scaling))
    }

    /// The answer must be an image of these planes, in whatever order its axes stand.
    private func check(_ answer: Tensor, _ expected: Planes) {
        let first = Tensor(
            Array(expected.joined().joined()), shape: [1, expected.count, expected[0].count, expected[0][0].count])
        let isFirst = answer.shape == first.shape
        #expect(difference(answer, isFirst ? first : first.transposed(Graph.toLast)) <= 1e-5, "\(answer.shape)")
    }

    @Test(arguments: cases.filter { $0.layer != nil }) private func `a layer does what its formula says`(
        _ composed: ComposedCase
    ) throws {
        var message = try NeuralNetworkWriter.message(model)
        var layers: [Message] = message.neuralNetwork.layers
        composed.layer!(&layers[0])
        layers[0].output = ["output"]
        message.neuralNetwork.layers = [layers[0]]
        check(try answer(message), composed.expected(planes))
    }

    @Test(arguments: cases.filter { $0.operation != nil }) private func `an operation does what its formula says`(
        _ composed: ComposedCase
    ) throws {
        let (kind, arguments) = composed.operation!
        var message = try ProgramWriter.run(model, weights: WeightStorage(.float32)).message
        var functions: [Message] = message.mlProgram.functions
        var bodies: [Message] = functions[0].value.block_specializations
        let operations: [Message] = bodies[0].value.operations
        var operation = operations.first { $0.type as String == "relu" }!
        let expected = composed.expected(planes)
        operation.type = kind
        var inputs: [Message] = operation.inputs
        inputs = Set(composed.names).sorted().map { name in
            var entry = inputs[0]
            entry.key = name
            let image: [Message] = entry.value.arguments
            entry.value.arguments = Array(repeating: image[0], count: composed.names.count { $0 == name })
            return entry
        }
        for (key, value) in arguments {
            var entry = inputs[0]
            entry.key = key
            var binding = Message(MessageType.operation.type(of: "inputs").type(of: "value").type(of: "arguments"))
            binding.value = value
            entry.value.arguments = [binding]
            inputs.append(entry)
        }
        operation.inputs = inputs
        var outputs: [Message] = operation.outputs
        outputs[0].type = .tensorType(TensorType([1, expected.count, expected[0].count, expected[0][0].count]))
        operation.outputs = outputs
        bodies[0].value.operations = [operation]
        bodies[0].value.outputs = [outputs[0].name as String]
        functions[0].value.block_specializations = bodies
        message.mlProgram.functions = functions
        var described: [Message] = message.description.output
        described[0].name = outputs[0].name as String
        message.description.output = described
        check(try answer(message), expected)
    }

    @Test func `a mirrored border as wide as the image is refused`() throws {
        var message = try NeuralNetworkWriter.message(model)
        var layers: [Message] = message.neuralNetwork.layers
        layers[0].padding.choose("reflection")
        layers[0].padding["paddingAmounts"].setBorders([(0, 4), (0, 0)])
        message.neuralNetwork.layers = layers
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.problemText.contains("do not fit an array of shape") == true)
    }

    // MARK: Mean images

    @Test(arguments: [false, true]) func `a mean image is taken off, and what follows it done after it`(
        _ isScaled: Bool
    ) throws {
        let mean = noise(48, seed: 2)
        var message = try NeuralNetworkWriter.message(model)
        var preprocessing = Message(MessageType.model.type(of: "neuralNetwork").type(of: "preprocessing"))
        preprocessing.featureName = "input"
        preprocessing.meanImage.meanImage = Tensor(mean, shape: [48]).view
        var scaler = Message(MessageType.model.type(of: "neuralNetwork").type(of: "preprocessing"))
        scaler.featureName = "input"
        scaler.scaler.channelScale = 2.0
        scaler.scaler.greenBias = 0.5
        message.neuralNetwork.preprocessing = isScaled ? [preprocessing, scaler] : [preprocessing]
        let back = try ModelReader.run(message).model
        #expect(back.image?.scaling.isIdentity == true)
        let expected = planes.enumerated().map { c, plane in
            plane.enumerated().map { row, line in
                line.enumerated().map { column, x in
                    let rest = x - mean[c * 16 + row * 4 + column]
                    return max(0, isScaled ? 2 * rest + (c == 1 ? 0.5 : 0) : rest)
                }
            }
        }
        check(back.graph.answer(to: input), expected)
    }

    @Test func `a mean image of another size is refused`() throws {
        var message = try NeuralNetworkWriter.message(model)
        var preprocessing = Message(MessageType.model.type(of: "neuralNetwork").type(of: "preprocessing"))
        preprocessing.meanImage.meanImage = Tensor([1, 2, 3], shape: [3]).view
        message.neuralNetwork.preprocessing = [preprocessing]
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.problemText.contains("3 numbers; 48 are expected") == true)
    }

    // MARK: Names

    @Test func `two layers of one name are refused`() throws {
        var message = try NeuralNetworkWriter.message(model)
        var layers: [Message] = message.neuralNetwork.layers
        layers.append(layers[0])
        layers[1].input = layers[0].output as [String]
        layers[1].output = ["other"]
        message.neuralNetwork.layers = layers
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.problemText.contains("relu") == true)
    }

    @Test func `a layer that is not known is refused with its place`() throws {
        var message = try NeuralNetworkWriter.message(model)
        var layers: [Message] = message.neuralNetwork.layers
        layers[0].custom = Message(MessageType.layer.type(of: "custom"))
        message.neuralNetwork.layers = layers
        let failure = #expect(throws: Failure.self) { try ModelReader.run(message) }
        #expect(failure?.problemText.contains("layer 1 'relu'") == true)
        #expect(failure?.problemText.contains("'custom'") == true)
    }
}
