import Testing

@testable import Thaw

/// Conditions of TensorFlow 1 with a known predicate: placeholders of the other branch are not inputs.
@Suite struct KnownBranchesTests {
    private static func node(
        _ name: String, _ op: String, _ inputs: [String] = [], _ attributes: [String: Attribute] = [:]
    ) -> NodeDefinition { NodeDefinition(name: name, op: op, inputs: inputs, attributes: attributes) }

    private static func placeholder(_ name: String, _ type: DataType = .float) -> NodeDefinition {
        node(name, "Placeholder", [], ["dtype": .type(type), "shape": .shape(type == .bool ? [] : [1, 2, 2, 3])])
    }

    /// tf.cond(is_training, training, lambda: image), followed by a negation.
    private static func graph(_ training: [NodeDefinition], _ result: String, merge: [String]? = nil) -> GraphDefinition
    {
        GraphDefinition(
            nodes: [
                placeholder("image"), placeholder("is_training", .bool),
                node("cond/Switch", "Switch", ["is_training", "is_training"]),
                node("cond/switch_t", "Identity", ["cond/Switch:1"]),
                node("cond/image", "Switch", ["image", "is_training"]),
            ] + training + [
                node("cond/Merge", "Merge", merge ?? ["cond/image", result]), node("y", "Neg", ["cond/Merge"]),
            ])
    }

    static let branches: [(note: String, nodes: [NodeDefinition], result: String)] = [
        (
            "a data set that waits for the branch",
            [node("Y", "IteratorGetNext", ["iterator", "^cond/switch_t"]), node("iterator", "IteratorV2")], "Y"
        ),
        ("a placeholder that waits for the branch", [node("Y", "Placeholder", ["^cond/switch_t"])], "Y"),
        (
            "a placeholder outside, switched", [placeholder("Y"), node("cond/y", "Switch", ["Y", "is_training"])],
            "cond/y:1"
        ),
        (
            "a queue and noise",
            [
                node("queue", "FIFOQueueV2", ["^cond/switch_t"]), node("Y", "QueueDequeueV2", ["queue"]),
                node("noisy", "AddV2", ["Y", "Y"]),
            ], "noisy"
        ),
    ]

    @Test(arguments: branches) func `a placeholder that only the training branch reads is not an input`(
        _ note: String, _ nodes: [NodeDefinition], _ result: String
    ) throws {
        let read = try Importer.run(Self.graph(nodes, result), ImportOptions())
        let input = Tensor(noise(12), shape: [1, 2, 2, 3])
        #expect(read.graph.inputs.map(\.name) == ["image"])
        #expect(try read.graph.evaluate([input])[0].floats == input.floats.map { -$0 })
        #expect(
            read.notes.texts == [
                "the placeholder 'is_training' is false, as at inference; placeholderValues is_training=true overrides this"
            ]
        )
    }

    @Test func `the selected branch keeps its input`() throws {
        let nodes = [Self.placeholder("Y"), Self.node("cond/y", "Switch", ["Y", "is_training"])]
        var options = ImportOptions()
        options.placeholderValues = [PlaceholderValue(name: "is_training", value: "true")]
        let read = try Importer.run(Self.graph(nodes, "cond/y:1"), options)
        #expect(read.graph.inputs.map(\.name) == ["Y"])
    }

    @Test func `hints ask only for values of placeholders, and following them works`() throws {
        let graph = GraphDefinition(nodes: [
            Self.placeholder("image"), Self.node("data", "IteratorGetNext", ["iterator"]),
            Self.node("iterator", "IteratorV2"), Self.placeholder("scale"), Self.node("a", "Mul", ["image", "data"]),
            Self.node("b", "Mul", ["a", "scale"]),
        ])
        let failure = #expect(throws: Failure.self) { try Importer.run(graph, ImportOptions()) }
        #expect(failure?.problem.description == "the graph has 3 inputs: 'image', 'scale', 'data'")
        #expect(failure?.hint?.description == "input image placeholderValues scale=VALUE")
    }

    @Test func `of several images of open size, the hint is to give it`() throws {
        func image(_ name: String, _ channels: Int) -> NodeDefinition {
            Self.node(name, "Placeholder", [], ["dtype": .type(.float), "shape": .shape([-1, -1, -1, channels])])
        }
        let graph = GraphDefinition(nodes: [
            image("image", 3), image("mask", 1), Self.node("masked", "Mul", ["image", "mask"]),
        ])
        let failure = #expect(throws: Failure.self) { try Importer.run(graph, ImportOptions()) }
        let expected = "size WxH keeps all of them; for one alone, input image placeholderValues mask=VALUE"
        #expect(failure?.hint?.description == expected)
    }

    @Test func `a placeholder inside a function is set by the name in the hint`() throws {
        let body = FunctionDefinition(
            name: "scaled", inputs: ["x"], outputs: ["z"],
            nodes: [
                Self.node("Y", "Placeholder", [], ["dtype": .type(.float), "shape": .shape([])]),
                Self.node("product", "Mul", ["x", "Y:output:0"]),
            ], results: ["z": "product:z:0"])
        let graph = GraphDefinition(
            nodes: [
                Self.placeholder("image"), Self.node("call", "PartitionedCall", ["image"], ["f": .function("scaled")]),
                Self.node("y", "Neg", ["call"]),
            ], functions: [body])
        let failure = #expect(throws: Failure.self) { try Importer.run(graph, ImportOptions()) }
        #expect(failure?.hint?.description == "input image placeholderValues call/Y=VALUE")
        var options = ImportOptions(input: "image")
        options.placeholderValues = [PlaceholderValue(name: "call/Y", value: "3")]
        let read = try Importer.run(graph, options).graph
        let input = Tensor(noise(12), shape: [1, 2, 2, 3])
        #expect(try read.evaluate([input])[0].floats == input.floats.map { -($0 * 3) })
        options.placeholderValues = [PlaceholderValue(name: "call/Z", value: "3")]
        let unknown = #expect(throws: Failure.self) { try Importer.run(graph, options) }
        #expect(
            unknown?.description
                == "placeholderValues: there is no placeholder 'call/Z'; the placeholders are 'image', 'call/Y'")
    }
}
