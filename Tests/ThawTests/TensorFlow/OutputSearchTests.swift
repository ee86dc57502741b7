import Testing

@testable import Thaw

/// Detection of a graph's outputs.
@Suite struct OutputSearchTests {
    static func node(_ name: String, _ op: String, _ inputs: String...) -> NodeDefinition {
        NodeDefinition(name: name, op: op, inputs: inputs)
    }

    /// Nodes added to an image `x` and a result `y` = relu(`x`), and the outputs that are found.
    static let cases: [(note: String, nodes: [NodeDefinition], outputs: [String])] = [
        ("a result alone", [], ["y"]),
        ("a printed value is passed on", [node("p", "Print", "y", "x"), node("z", "Abs", "p")], ["z"]),
        ("a summary", [node("s", "HistogramSummary", "y")], ["y"]),
        (
            "a summary of a mean",
            [
                NodeDefinition(
                    name: "all", op: "Const",
                    attributes: ["value": .tensor(Tensor(integers: [0, 1, 2, 3], shape: [4]))]),
                node("m", "Mean", "y", "all"), node("s", "ScalarSummary", "m"),
            ], ["y"]
        ),
        ("a check next to the result", [node("c", "CheckNumerics", "x")], ["y"]),
        ("a check of the result", [node("c", "CheckNumerics", "y")], ["c"]),
        ("the condition of an assertion", [node("c", "All", "x", "x"), node("a", "Assert", "c", "x")], ["y"]),
        (
            "a control dependency", [node("c", "Shape", "x"), node("z", "Abs", "y", "^c")],
            ["z"]
        ),
        ("a result that others wait for", [node("z", "NoOp", "^y")], ["y"]),
        ("a result used in a loss", [node("l", "L2Loss", "y")], ["y"]),
        ("an assertion about the image", [node("assert_equal_1/All", "All", "x", "x")], ["y"]),
    ]

    @Test(arguments: cases) func `outputs are detected`(
        _ note: String, _ nodes: [NodeDefinition], _ outputs: [String]
    ) throws {
        let image = NodeDefinition(
            name: "x", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([1, 4, 4, 3])])
        let graph = try GraphIndex([image, Self.node("y", "Relu", "x")] + nodes)
        #expect(try graph.outputs() == outputs)
    }

    /// Nodes added to an image `x`, a second input `n` and a result `y` = relu(`x`), and the outputs that are found.
    static let casesOfTwo: [(note: String, nodes: [NodeDefinition], outputs: [String])] = [
        (
            "labels of a named loss", [node("d", "Sub", "y", "n"), node("mean_squared_error/value", "Abs", "d")],
            ["y"]
        ),
        ("labels of a loss by operation", [node("l", "SoftmaxCrossEntropyWithLogits", "y", "n")], ["y"]),
        (
            "labels of a spelled-out loss",
            [
                node("d", "Sub", "y", "n"), node("s", "Square", "d"), node("m", "Mean", "s", "a"),
                node("z", "Neg", "m"),
            ], ["y"]
        ),
        (
            "labels of an accuracy",
            [
                node("e", "Equal", "y", "n"), node("c", "Cast", "e"), node("right", "Mean", "c", "a"),
            ], ["y"]
        ),
        (
            "a second input of the network",
            [node("j", "ConcatV2", "y", "n", "a"), node("z", "Relu", "j")], ["z"]
        ),
        (
            "a style input of a normalization",
            [
                node("m", "Mean", "y", "a"), node("d", "Sub", "y", "m"), node("b", "Mul", "d", "n"),
                node("m2", "Mean", "b", "a"), node("z", "Sub", "b", "m2"),
            ], ["z"]
        ),
    ]

    @Test(arguments: casesOfTwo) func `an input is recognized as labels if outputs are only compared with it`(
        _ note: String, _ nodes: [NodeDefinition], _ outputs: [String]
    ) throws {
        func placeholder(_ name: String, _ shape: [Int]) -> NodeDefinition {
            NodeDefinition(name: name, op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape(shape)])
        }
        let axes = NodeDefinition(name: "a", op: "Const", attributes: ["value": .tensor(Tensor(3, element: .int32))])
        let inputs = [placeholder("x", [1, 4, 4, 3]), placeholder("n", [-1, 3]), axes]
        #expect(try GraphIndex(inputs + [Self.node("y", "Relu", "x")] + nodes).outputs() == outputs)
    }

    static func number(_ name: String, _ tensor: Tensor) -> NodeDefinition {
        NodeDefinition(name: name, op: "Const", attributes: ["value": .tensor(tensor)])
    }

    static func placeholder(_ name: String, _ shape: [Int]?, _ type: DataType = .float) -> NodeDefinition {
        NodeDefinition(name: name, op: "Placeholder", attributes: ["dtype": .type(type), "shape": .shape(shape)])
    }

    @Test(arguments: trained) func `the tensor before losses and ArgMax is the output`(
        _ note: String, _ nodes: [NodeDefinition], _ outputs: [String]
    ) throws {
        let shared = [
            Self.placeholder("x", [-1, 784]), Self.placeholder("t", nil), Self.placeholder("rate", []),
            Self.number("w", Tensor(noise(7840), shape: [784, 10])),
            Self.number("w2", Tensor(noise(100), shape: [10, 10])),
            Self.number("w3", Tensor(noise(7840), shape: [10, 784])),
            Self.number("b", Tensor(noise(10), shape: [10])), Self.number("one", Tensor(1, element: .int32)),
            Self.number("zero", Tensor(0, element: .int32)), Self.number("tiny", Tensor(1e-7)),
            Self.number("two", Tensor(2)), Self.number("ten", Tensor(10, element: .int32)),
            Self.number("ends", Tensor(integers: [-1, 10], shape: [2])),
            Self.number("all", Tensor(integers: [0, 1], shape: [2])),
            Self.node("xw", "MatMul", "x", "w"), Self.node("y", "BiasAdd", "xw", "b"),
        ]
        #expect(try GraphIndex(shared + nodes).outputs() == outputs)
    }

    @Test func `a map of top classes is an output, and so is the score of each image of a pair`() throws {
        let filter = Self.number("f", Tensor(noise(12), shape: [1, 1, 3, 4]))
        let map = [
            Self.placeholder("x", [1, 8, 8, 3]), filter, Self.node("y", "Conv2D", "x", "f"),
            Self.number("last", Tensor(3, element: .int32)), Self.node("map", "ArgMax", "y", "last"),
        ]
        #expect(try GraphIndex(map).outputs() == ["map"])
        let pair = [
            Self.placeholder("a", [1, 8, 8, 3]), Self.placeholder("b", [1, 8, 8, 3]), Self.placeholder("same", [-1]),
            filter,
            Self.node("ya", "Conv2D", "a", "f"), Self.node("yb", "Conv2D", "b", "f"),
            Self.number("axes", Tensor(integers: [1, 2, 3], shape: [3])),
            Self.node("d", "SquaredDifference", "ya", "yb"), Self.node("score", "Mean", "d", "axes"),
            Self.node("e", "Sub", "score", "same"), Self.number("zero", Tensor(0, element: .int32)),
            Self.node("l", "Mean", "e", "zero"),
        ]
        #expect(try GraphIndex(pair).outputs() == ["score"])
    }

    @Test func `labels for a class index are refused, naming the node before ArgMax`() throws {
        let graph = GraphDefinition(nodes: [
            Self.placeholder("x", [1, 8, 8, 3]), Self.number("axes", Tensor(integers: [1, 2], shape: [2])),
            Self.number("one", Tensor(1, element: .int32)), Self.node("y", "Mean", "x", "axes"),
            Self.node("best", "ArgMax", "y", "one"),
        ])
        let labels = try Labels(parsing: Array("red\ngreen\nblue\n".utf8))
        var options = Converter.Options()
        #expect(try Converter(options).convert(graph: graph, labels: labels).model.classifier != nil)
        options.outputs = ["best"]
        let failure = #expect(throws: Failure.self) { try Converter(options).convert(graph: graph, labels: labels) }
        #expect(failure?.problem.description == "3 labels for 1 class")
        #expect(
            failure?.hint?.description
                == "the output 'best' is the index of the top class; outputs y returns the score of each class")
    }

    @Test func `labels for the highest scores are refused, naming the node before TopK`() throws {
        let graph = GraphDefinition(nodes: [
            Self.placeholder("x", [1, 8, 8, 3]), Self.number("axes", Tensor(integers: [1, 2], shape: [2])),
            Self.number("two", Tensor(2, element: .int32)), Self.node("y", "Mean", "x", "axes"),
            Self.node("best", "TopKV2", "y", "two"),
        ])
        let labels = try Labels(parsing: Array("red\ngreen\nblue\n".utf8))
        func hint(_ output: String) -> String? {
            var options = Converter.Options()
            options.outputs = [output]
            let failure = #expect(throws: Failure.self) { try Converter(options).convert(graph: graph, labels: labels) }
            return failure?.hint?.description
        }
        let remedy = "outputs y returns the score of each class"
        #expect(hint("best") == "the output 'best' has only the highest scores; " + remedy)
        #expect(hint("best:1") == "the output 'best:1' is the index of the top class; " + remedy)
    }

    @Test func `outputs of a signature that do not depend on its inputs are dropped`() throws {
        let graph = GraphDefinition(nodes: [
            Self.placeholder("x", [-1, 3]), Self.number("indices", Tensor(integers: [0, 1, 2], shape: [1, 3])),
            Self.node("y", "Softmax", "x"), Self.node("size", "Shape", "x"),
            Self.node("all", "Tile", "indices", "size"),
        ])
        let signature = MetaGraph.Signature(
            name: "predict", inputs: [("image", "x:0")], outputs: [("class_ids", "all:0"), ("scores", "y:0")],
            textOutputs: [])
        let selected = try signature.selecting([], in: graph)
        #expect(selected.outputs.map(\.key) == ["scores"] && selected.constantOutputs == ["class_ids"])
        #expect(try signature.selecting(["class_ids"], in: graph).outputs.map(\.key) == ["class_ids"])
    }

    @Test func `fake quantization in training uses its stored range`() throws {
        func graph(_ range: [String]) -> GraphDefinition {
            GraphDefinition(nodes: [
                Self.placeholder("x", [1, 4]), Self.number("low", Tensor(-1)), Self.number("high", Tensor(2)),
                Self.number("zero", Tensor(0, element: .int32)), Self.number("decay", Tensor(0.1)),
                Self.node("largest", "Max", "x", "zero"), Self.node("change", "Mul", "largest", "decay"),
                Self.node("new_low", "AssignSub", "low", "change"),
                Self.node("new_high", "AssignAdd", "high", "change"),
                NodeDefinition(name: "q", op: "FakeQuantWithMinMaxVars", inputs: ["x"] + range),
                Self.node("y", "Relu", "q"),
            ])
        }
        let input = Tensor([-3, 0.123, 0.77, 5], shape: [1, 4])
        let results = try [["new_low", "new_high"], ["low", "high"]].map { range in
            let source = try GraphSource(definition: graph(range), outputs: [])
            return try Importer.run(source, ImportOptions()).graph.evaluate([input])[0].floats
        }
        #expect(results[0] == results[1])
    }

    @Test func `a printed value is the output`() throws {
        let image = NodeDefinition(
            name: "x", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([1, 2, 2, 3])])
        let graph = GraphDefinition(
            nodes: [image, Self.node("p", "Print", "x", "x"), Self.node("y", "Neg", "p")])
        let read = try Importer.run(graph, ImportOptions()).graph
        let input = Tensor(noise(12), shape: [1, 2, 2, 3])
        #expect(try read.evaluate([input])[0].floats == input.floats.map { -$0 })
    }

    @Test func `a duplicate output is refused`() {
        let image = NodeDefinition(
            name: "x", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([1, 2, 2, 3])])
        let graph = GraphDefinition(nodes: [image, Self.node("y", "Neg", "x")])
        let failure = #expect(throws: Failure.self) {
            try Importer.run(graph, ImportOptions(outputs: ["y", "y:0"]))
        }
        #expect(failure?.problem.description == "outputs names 'y' twice")
    }

    @Test func `an output that does not depend on the input is refused, with those that do`() {
        let image = NodeDefinition(
            name: "x", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([1, 2, 2, 3])])
        let nodes = [image, Self.node("size", "Shape", "x"), Self.node("y", "Neg", "x"), Self.node("z", "Abs", "y")]
        let failure = #expect(throws: Failure.self) {
            try Importer.run(GraphDefinition(nodes: nodes), ImportOptions(outputs: ["y", "size:0", "z:0"]))
        }
        #expect(failure?.problem.description == "the output 'size' does not depend on the input")
        #expect(failure?.hint?.description == "outputs y outputs z")
    }
}
