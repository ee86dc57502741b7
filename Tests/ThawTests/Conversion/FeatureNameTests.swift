import Testing

@testable import Thaw

/// Inputs and outputs of a graph that have the same name in Core ML, which has no slashes and dots.
@Suite struct FeatureNameTests {
    private static func node(
        _ name: String, _ op: String, _ inputs: [String] = [], _ attributes: [String: Attribute] = [:]
    ) -> NodeDefinition { NodeDefinition(name: name, op: op, inputs: inputs, attributes: attributes) }

    private func graph(_ input: String, _ outputs: [(name: String, op: String)]) -> GraphDefinition {
        GraphDefinition(
            nodes: [Self.node(input, "Placeholder", [], ["dtype": .type(.float), "shape": .shape([1, 4])])]
                + outputs.map { Self.node($0.name, $0.op, [input]) })
    }

    @Test(arguments: Dialect.allCases) func `each gets a name of its own`(_ dialect: Dialect) throws {
        var options = Converter.Options()
        options.outputs = ["x_1", "x.1"]
        let conversion = try Converter(options).convert(graph: graph("x/1", [("x_1", "Neg"), ("x.1", "Square")]))
        #expect(conversion.model.graph.inputs.map(\.name) == ["x/1"])
        #expect(conversion.model.graph.outputs.map(\.name) == ["x_1_1", "x_1_2"])
        #expect(conversion.notes.count { $0.code == .featureRenamed } == 2)
        let back = try dialect.roundTrip(conversion.model)
        let array = Tensor([1, 2, 3, 4], shape: [1, 4])
        let outputs = try ArrayRunner(back).run([(nil, array)])
        #expect(outputs.map(\.array.floats) == [[-1, -2, -3, -4], [1, 4, 9, 16]])
    }

    @Test(arguments: Dialect.allCases) func `the top label keeps its name`(_ dialect: Dialect) throws {
        let labels = try Labels(["a", "b", "c", "d"])
        let graph = graph("image", [("classLabel", "Softmax")])
        let conversion = try Converter().convert(graph: graph, labels: labels)
        let back = try dialect.roundTrip(conversion.model)
        #expect(back.classifier?.predictedFeature == "classLabel")
        #expect(back.classifier?.probabilities == "classLabel_1")
    }
}
