import Testing

@testable import Thaw

/// Which of several outputs the labels belong to.
@Suite struct ClassOutputTests {
    private static func node(
        _ name: String, _ op: String, _ inputs: [String] = [], _ attributes: [String: Attribute] = [:]
    ) -> NodeDefinition { NodeDefinition(name: name, op: op, inputs: inputs, attributes: attributes) }

    /// Logits, another tensor of the same shape, and probabilities.
    private static let graph = GraphDefinition(nodes: [
        node("x", "Placeholder", [], ["dtype": .type(.float), "shape": .shape([1, 3])]), node("logits", "Neg", ["x"]),
        node("other", "Square", ["x"]), node("probs", "Softmax", ["logits"]),
    ])

    @Test(
        arguments: [
            (["logits", "probs"], "logits"), (["other", "logits"], "other"), (["probs", "other"], "probs"),
        ])
    func `the first named output has the labels`(_ names: [String], _ expected: String) throws {
        var options = Converter.Options()
        options.outputs = names
        let conversion = try Converter(options).convert(graph: Self.graph, labels: Labels(["a", "b", "c"]))
        #expect(conversion.model.classifier?.probabilities == expected)
        #expect(!conversion.notes.contains { $0.code == .outputDetected })
    }

    @Test(arguments: [(["logits", "other"], "other", false), (["logits", "probs"], "probs", true)])
    func `probabilities are preferred, with a note`(_ names: [String], _ other: String, _ isProbability: Bool) throws {
        let graph = try Importer.run(Self.graph, ImportOptions(outputs: names)).graph
        for prefersProbabilities in [false, true] {
            var copy = graph
            let fitting = copy.putFirst(classCount: 3, prefersProbabilities: prefersProbabilities)
            let first = prefersProbabilities && isProbability ? other : "logits"
            #expect(copy.outputs[0].name == first)
            #expect(fitting == [first, first == other ? "logits" : other])
        }
    }
}
