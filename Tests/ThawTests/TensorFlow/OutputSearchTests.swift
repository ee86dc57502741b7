import Testing

@testable import Thaw

/// Which of a graph's nodes show themselves to be its outputs.
@Suite struct OutputSearchTests {
    private static func node(_ name: String, _ op: String, _ inputs: String...) -> NodeDefinition {
        NodeDefinition(name: name, op: op, inputs: inputs)
    }

    /// What is added to an image `x` and an answer `y` = relu(`x`), and the outputs that are found.
    static let cases: [(note: String, nodes: [NodeDefinition], outputs: [String])] = [
        ("an answer alone", [], ["y"]),
        ("what is printed goes on", [node("p", "Print", "y", "x"), node("z", "Abs", "p")], ["z"]),
        ("what only reports", [node("s", "HistogramSummary", "y")], ["y"]),
        ("a check beside the answer", [node("c", "CheckNumerics", "x")], ["y"]),
        ("a check of the answer", [node("c", "CheckNumerics", "y")], ["c"]),
        ("what an assertion is made of", [node("c", "All", "x", "x"), node("a", "Assert", "c", "x")], ["y"]),
        (
            "what only has to be done before", [node("c", "Shape", "x"), node("z", "Abs", "y", "^c")],
            ["z"]
        ),
        ("an answer that others wait for", [node("z", "NoOp", "^y")], ["y"]),
        ("an answer of which a loss is made", [node("l", "L2Loss", "y")], ["y"]),
        ("what is claimed of the image", [node("assert_equal_1/All", "All", "x", "x")], ["y"]),
    ]

    @Test(arguments: cases) func `outputs show themselves`(
        _ note: String, _ nodes: [NodeDefinition], _ outputs: [String]
    ) throws {
        let image = NodeDefinition(
            name: "x", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([1, 4, 4, 3])])
        let survey = try GraphSurvey([image, Self.node("y", "Relu", "x")] + nodes)
        #expect(try survey.outputs() == outputs)
    }

    /// What is made of an image `x`, numbers `n` beside it and an answer `y` = relu(`x`), and the outputs that are found.
    static let casesOfTwo: [(note: String, nodes: [NodeDefinition], outputs: [String])] = [
        (
            "labels of a loss by name", [node("d", "Sub", "y", "n"), node("mean_squared_error/value", "Abs", "d")],
            ["y"]
        ),
        ("labels of a loss by operation", [node("l", "SoftmaxCrossEntropyWithLogits", "y", "n")], ["y"]),
        (
            "labels of a loss that is written out",
            [
                node("d", "Sub", "y", "n"), node("s", "Square", "d"), node("m", "Mean", "s", "a"),
                node("z", "Neg", "m"),
            ], ["y"]
        ),
        (
            "labels of how often an answer is right",
            [
                node("e", "Equal", "y", "n"), node("c", "Cast", "e"), node("right", "Mean", "c", "a"),
            ], ["y"]
        ),
        (
            "a second input of the network",
            [node("j", "ConcatV2", "y", "n", "a"), node("z", "Relu", "j")], ["z"]
        ),
        (
            "a style that a normalisation asks for",
            [
                node("m", "Mean", "y", "a"), node("d", "Sub", "y", "m"), node("b", "Mul", "d", "n"),
                node("m2", "Mean", "b", "a"), node("z", "Sub", "b", "m2"),
            ], ["z"]
        ),
    ]

    @Test(arguments: casesOfTwo) func `an input is taken for labels where it only judges answers`(
        _ note: String, _ nodes: [NodeDefinition], _ outputs: [String]
    ) throws {
        func placeholder(_ name: String, _ shape: [Int]) -> NodeDefinition {
            NodeDefinition(name: name, op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape(shape)])
        }
        let axes = NodeDefinition(name: "a", op: "Const", attributes: ["value": .tensor(Tensor(3, element: .int32))])
        let inputs = [placeholder("x", [1, 4, 4, 3]), placeholder("n", [-1, 3]), axes]
        #expect(try GraphSurvey(inputs + [Self.node("y", "Relu", "x")] + nodes).outputs() == outputs)
    }

    @Test func `what is printed is what comes out`() throws {
        let image = NodeDefinition(
            name: "x", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([1, 2, 2, 3])])
        let graph = GraphDefinition(
            nodes: [image, Self.node("p", "Print", "x", "x"), Self.node("y", "Neg", "p")])
        let read = try Importer.run(graph, ImportOptions()).graph
        let input = Tensor(noise(12), shape: [1, 2, 2, 3])
        #expect(read.evaluate([input])[0].floats == input.floats.map { -$0 })
    }

    @Test func `an output that is named twice is refused`() {
        let image = NodeDefinition(
            name: "x", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([1, 2, 2, 3])])
        let graph = GraphDefinition(nodes: [image, Self.node("y", "Neg", "x")])
        let failure = #expect(throws: Failure.self) {
            try Importer.run(graph, ImportOptions(outputs: ["y", "y:0"]))
        }
        #expect(failure?.problem == "--output names 'y' twice")
    }

    @Test func `an output without the input in it is refused, with those that have it`() {
        let image = NodeDefinition(
            name: "x", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([1, 2, 2, 3])])
        let nodes = [image, Self.node("size", "Shape", "x"), Self.node("y", "Neg", "x"), Self.node("z", "Abs", "y")]
        let failure = #expect(throws: Failure.self) {
            try Importer.run(GraphDefinition(nodes: nodes), ImportOptions(outputs: ["y", "size:0", "z:0"]))
        }
        #expect(failure?.problem == "the output 'size' does not depend on the input")
        #expect(failure?.hint == "--output y --output z")
    }
}
