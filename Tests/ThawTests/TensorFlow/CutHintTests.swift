import Testing

@testable import Thaw

/// Suggestions for graphs that can be converted only in part.
@Suite struct CutHintTests {
    private static func node(_ name: String, _ op: String, _ inputs: String...) -> NodeDefinition {
        NodeDefinition(name: name, op: op, inputs: inputs)
    }

    private static let image = NodeDefinition(
        name: "image", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([1, 4, 4, 3])])

    private static func number(_ name: String, _ number: Double, _ element: ElementType = .float32) -> NodeDefinition {
        NodeDefinition(name: name, op: "Const", attributes: ["value": .tensor(Tensor(number, element: element))])
    }

    /// The image with a weight per channel.
    private static let network = [
        NodeDefinition(name: "weights", op: "Const", attributes: ["value": .tensor(Tensor([1, 2, 3], shape: [3]))]),
        node("net", "Mul", "image", "weights"),
    ]

    private static let isBright = [
        number("axis", 3, .int32), node("largest", "Max", "image", "axis"), number("half", 0.5),
        node("bright", "Greater", "largest", "half"),
    ]

    private static func switched(_ input: String) -> [NodeDefinition] {
        isBright + [
            node("sides", "Switch", input, "bright"), node("on", "Neg", "sides:1"), node("end", "Merge", "sides", "on"),
        ]
    }

    private static let filter = NodeDefinition(
        name: "filter", op: "Const", attributes: ["value": .tensor(Tensor(noise(9), shape: [1, 1, 3, 3]))])

    private static func convolution(_ input: String, name: String = "end") -> NodeDefinition {
        NodeDefinition(
            name: name, op: "Conv2D", inputs: [input, "filter"],
            attributes: ["padding": .string("SAME"), "strides": .list([.int(1), .int(1), .int(1), .int(1)])])
    }

    static let cases: [(note: String, nodes: [NodeDefinition], hint: String?)] = [
        ("a network before", network + [node("end", "MyOwn", "net")], "outputs net"),
        ("the image next to a network", network + [node("end", "MyOwn", "image", "net")], "outputs net"),
        ("only the image before", [node("end", "MyOwn", "image")], nil),
        (
            "the image under other names, and a network",
            network + [
                node("same", "Identity", "image"), node("end", "MyOwn", "same", "net"),
            ], "outputs net"
        ),
        ("a switch of the image", switched("image"), nil),
        ("a switch of a network", network + switched("net"), "outputs net"),
        (
            "a network behind",
            [filter, node("own", "MyOwn", "image"), convolution("own")],
            "input own size 4x4 (if it still has that size there)"
        ),
        (
            "a part of a network behind a layer",
            [filter, convolution("image", name: "first"), node("own", "MyOwn", "first"), convolution("own")],
            "outputs first"
        ),
    ]

    @Test(arguments: cases)
    func `a cut is suggested if it leaves a part of the graph`(
        _ note: String, _ nodes: [NodeDefinition], _ hint: String?
    ) throws {
        var options = Converter.Options()
        options.outputs = ["end"]
        let failure = try #require(throws: Failure.self) {
            try Converter(options).convert(graph: GraphDefinition(nodes: [CutHintTests.image] + nodes))
        }
        #expect(failure.hint?.description == hint.map { "\($0) converts the rest of the graph" })
    }

    @Test func `unused quantized values are not outputs`() throws {
        let graph = GraphDefinition(nodes: [
            CutHintTests.image, CutHintTests.number("low", 0), CutHintTests.number("high", 1),
            CutHintTests.node("codes", "QuantizeV2", "image", "low", "high"),
            CutHintTests.node("relu", "QuantizedInstanceNorm", "codes", "codes:1", "codes:2"),
            CutHintTests.node("answer", "Dequantize", "relu", "relu:1", "relu:2"),
            CutHintTests.node("left", "QuantizeV2", "answer", "low", "high"),
            CutHintTests.node("over", "QuantizeV2", "image", "low", "high"), CutHintTests.node("end", "Neg", "answer"),
        ])
        let failure = try #require(throws: Failure.self) { try Converter().convert(graph: graph) }
        #expect(failure.problem.contains("\n  QuantizedInstanceNorm (quantized arithmetic): relu"))
        #expect(failure.hint == nil)
    }

    @Test func `among several inputs, the one that resembles an image is suggested`() throws {
        let graph = GraphDefinition(nodes: [
            NodeDefinition(name: "mode", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([])]),
            CutHintTests.image, CutHintTests.node("end", "Mul", "mode", "image"),
        ])
        let failure = try #require(throws: Failure.self) { try Converter().convert(graph: graph) }
        #expect(failure.hint?.description == "input image placeholderValues mode=VALUE")
    }
}
