import Testing

@testable import Thaw

/// Recognizing RGB or BGR input from indirect signs.
@Suite struct ChannelOrderGuessTests {
    private static func constant(_ name: String, _ value: Tensor) -> NodeDefinition {
        NodeDefinition(name: name, op: "Const", attributes: ["value": .tensor(value)])
    }

    private static func convolution(_ name: String, of input: String, _ channels: (Int, Int)) -> [NodeDefinition] {
        [
            constant(name + "/weights", tensor([1, 1, channels.0, channels.1])),
            NodeDefinition(
                name: name, op: "Conv2D", inputs: [input, name + "/weights"],
                attributes: ["padding": .string("SAME"), "strides": .list([.int(1), .int(8), .int(8), .int(1)])]),
        ]
    }

    private static func image(_ name: String, side: Int) -> NodeDefinition {
        NodeDefinition(
            name: name, op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([-1, side, side, 3])])
    }

    /// A graph with all marks of an early Custom Vision export except the changed ones.
    struct Export: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var isRecognized = false
        var input = "Placeholder"
        var side = 227
        var squeeze = "fire2_squeeze1x1/Conv2D"
        var dense = "fc/fc/MatMul"
        var output = (name: "loss", op: "Sigmoid")
        var head: [NodeDefinition] = []

        var graph: GraphDefinition {
            var nodes = [image(input, side: side)] + head
            nodes += convolution("conv1/Conv2D", of: head.last?.name ?? input, (3, 4))
            nodes += convolution(squeeze, of: "conv1/Conv2D", (4, 2)) + convolution(dense, of: squeeze, (2, 5))
            nodes.append(constant("axes", Tensor(integers: [1, 2], shape: [2])))
            nodes.append(NodeDefinition(name: "pool", op: "Mean", inputs: [dense, "axes"]))
            nodes.append(NodeDefinition(name: output.name, op: output.op, inputs: ["pool"]))
            return GraphDefinition(nodes: nodes)
        }
    }

    static let exports = [
        Export(testDescription: "all marks, independent labels", isRecognized: true),
        Export(testDescription: "all marks, one label", isRecognized: true, output: ("loss", "Softmax")),
        Export(testDescription: "another input", input: "image"),
        Export(testDescription: "another size", side: 224),
        Export(testDescription: "no SqueezeNet", squeeze: "block2/Conv2D"),
        Export(testDescription: "no layer fc", dense: "logits/MatMul"),
        Export(testDescription: "another output", output: ("probabilities", "Sigmoid")),
        Export(testDescription: "an output named loss that is not a result", output: ("loss", "Square")),
        Export(
            testDescription: "a batch normalization of the image",
            head: [
                constant("data_bn/mean", Tensor([-110, -110, -110], shape: [3])),
                NodeDefinition(name: "data_bn/add", op: "Add", inputs: ["Placeholder", "data_bn/mean"]),
            ]),
    ]

    private static let bgr = PixelScaling(scale: [1, 1, 1], bias: [-104, -117, -123])

    @Test(arguments: exports) func `an early Custom Vision export takes BGR minus its means if it has all marks`(
        _ export: Export
    ) throws {
        let conversion = try Converter().convert(graph: export.graph)
        let image = try #require(conversion.model.image)
        let isAssumed = conversion.notes.contains { $0.contains("the signature of an early Custom Vision export") }
        #expect(isAssumed == export.isRecognized)
        #expect((image.color == .bgr) == export.isRecognized)
        #expect((image.scaling == Self.bgr) == export.isRecognized)
        #expect(!conversion.isPreprocessingCertain || !export.isRecognized)
    }

    @Test func `options take precedence over the marks`() throws {
        var options = Converter.Options()
        options.color = .rgb
        let rgb = try #require(try Converter(options).convert(graph: Self.exports[0].graph).model.image)
        #expect(rgb.color == .rgb)
        #expect(rgb.scaling.bias == [-123, -117, -104])
        options.color = nil
        options.preprocessing = .raw
        let plain = try #require(try Converter(options).convert(graph: Self.exports[0].graph).model.image)
        #expect(plain.color == .rgb)
        #expect(plain.scaling.isIdentity)
    }

    // MARK: Means in the graph

    /// Means, the scale of pixels before the subtraction, and whether a warning is expected.
    static let means: [(means: [Float], scale: Float, isDoubtful: Bool)] = [
        ([111, 120, 130], 1, true),
        ([0.43, 0.47, 0.51], 1 / 255, true),
        ([130, 120, 111], 1, false),
        ([120, 120, 120], 1, false),
        ([111, 130, 120], 1, false),
        ([127, 127.5, 128], 1, false),
        // ImageNet's means are known.
        ([104, 117, 123], 1, false),
    ]

    private static func graph(_ means: [Float], scale: Float) -> GraphDefinition {
        GraphDefinition(
            nodes: [
                image("x", side: 8), constant("scale", Tensor([scale], shape: [])),
                constant("means", Tensor(means, shape: [3])),
                NodeDefinition(name: "scaled", op: "Mul", inputs: ["x", "scale"]),
                NodeDefinition(name: "centered", op: "Sub", inputs: ["scaled", "means"]),
            ] + convolution("y", of: "centered", (3, 2)))
    }

    @Test(arguments: means) func `means that rise from channel to channel cause a warning about RGB`(
        _ means: [Float], _ scale: Float, _ isDoubtful: Bool
    ) throws {
        let conversion = try Converter().convert(graph: Self.graph(means, scale: scale))
        let warnings = conversion.warnings.filter { $0.contains("color bgr") }
        #expect(warnings.count == (isDoubtful ? 1 : 0))
        #expect((conversion.model.image?.color == .rgb) == (means[0] != 104))
        for color in [ColorLayout.rgb, .bgr] {
            var options = Converter.Options()
            options.color = color
            #expect(try Converter(options).convert(graph: Self.graph(means, scale: scale)).warnings == [])
        }
    }

    // MARK: The range of pixels

    /// (x · scale − means) · factor, and whether it is for values from 0 to 1.
    @Test(
        arguments: [
            ([0.5, 0.5, 0.5], 1, 2, true),
            ([0.485, 0.456, 0.406], 1, 4.4, true),
            ([123.68, 116.779, 103.939], 255, 1, true),
            ([0, 0, 0], 255, 1, true),
            ([0.5, 0.5, 0.5], 1, 1, true),
            ([127.5, 127.5, 127.5], 1, 1 / 127.5, false),
            ([1, 1, 1], 1 / 127.5, 1, false),
            ([123.68, 116.779, 103.939], 1, 1, false),
            ([0.485, 0.456, 0.406], 1 / 255, 4.4, false),
        ] as [([Float], Float, Float, Bool)])
    func `arithmetic for values from 0 to 1 gets pixels divided by 255`(
        _ means: [Float], _ scale: Float, _ factor: Float, _ isForUnitRange: Bool
    ) throws {
        var graph = Self.graph(means, scale: scale)
        graph.nodes.insert(Self.constant("factor", Tensor([factor], shape: [])), at: 0)
        graph.nodes.append(NodeDefinition(name: "factored", op: "Mul", inputs: ["centered", "factor"]))
        for index in graph.nodes.indices where graph.nodes[index].op == "Conv2D" {
            graph.nodes[index].inputs[0] = "factored"
        }
        let conversion = try Converter().convert(graph: graph)
        let scaling = try #require(conversion.model.image).scaling
        let expected = Double(scale * factor) / (isForUnitRange ? 255 : 1)
        #expect(scaling.scale.allSatisfy { abs($0 / expected - 1) < 1e-6 }, "\(scaling)")
        #expect(conversion.notes.contains { $0.contains("expects values from 0 to 1") } == isForUnitRange)
        #expect(conversion.isPreprocessingCertain == !isForUnitRange)
        for (preset, isDoubtful) in [(Preprocessing.unit, false), (.inception, true), (.raw, true)] {
            var options = Converter.Options()
            options.preprocessing = preset
            let warnings = try Converter(options).convert(graph: graph).warnings
            #expect(warnings.contains { $0.contains("expects values from 0 to 1") } == (isForUnitRange && isDoubtful))
        }
    }
}
