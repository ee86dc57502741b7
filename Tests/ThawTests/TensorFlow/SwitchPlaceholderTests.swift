import Testing

@testable import Thaw

/// Boolean placeholders: x is multiplied by 2 if one is true, and by 3 if it is false.
@Suite struct SwitchPlaceholderTests {
    private static let values: [(name: String, value: Bool?)] = [
        ("is_training", false), ("isTraining", false), ("phase_train", false), ("keras_learning_phase", false),
        ("bn/keras_learning_phase_1", false), ("train", false), ("TRAINING", false), ("phase", false),
        ("serving_default_training", false), ("inference/is_training", false),
        ("test_mode", true), ("eval", true), ("is_test", true), ("isEvaluation", true), ("inference_mode", true),
        ("train/predict_only", true), ("test_phase", true),
        // Words that only look similar, contradictions and negations, and words around the name.
        ("latest", nil), ("medieval", nil), ("pretrained", nil), ("train_or_test", nil), ("not_training", nil),
        ("use_dropout", nil), ("training/Placeholder", nil), ("flag", nil), ("x7", nil),
    ]

    private func graph(_ names: [String], default truth: Bool? = nil) -> GraphDefinition {
        func node(_ name: String, _ op: String, _ inputs: String..., with: [String: Attribute] = [:]) -> NodeDefinition
        {
            NodeDefinition(name: name, op: op, inputs: inputs, attributes: with)
        }
        func number(_ name: String, _ tensor: Tensor) -> NodeDefinition {
            node(name, "Const", with: ["value": .tensor(tensor)])
        }
        let shape = Attribute.shape([1, 2, 2, 3])
        var nodes = [
            node("image", "Placeholder", with: ["dtype": .type(.float), "shape": shape]),
            number("two", Tensor(2)), number("three", Tensor(3)),
            number("truth", Tensor(truth == true ? 1 : 0, element: .bool)),
        ]
        var image = "image"
        for name in names {
            let attributes = ["dtype": Attribute.type(.bool), "shape": .shape([])]
            nodes += [
                truth == nil
                    ? node(name, "Placeholder", with: attributes)
                    : node(name, "PlaceholderWithDefault", "truth", with: attributes),
                node(name + "/factor", "Select", name, "two", "three"),
                node(name + "/product", "Mul", image, name + "/factor"),
            ]
            image = name + "/product"
        }
        return GraphDefinition(nodes: nodes)
    }

    /// The factor by which the graph multiplies.
    private func factor(_ graph: GraphDefinition, _ options: ImportOptions = ImportOptions()) throws -> (
        Float, [String]
    ) {
        let result = try Importer.run(graph, options)
        let one = Tensor([Float](repeating: 1, count: 12), shape: [1, 2, 2, 3])
        return try (result.graph.evaluate([one])[0].floats[0], result.notes.texts)
    }

    @Test(arguments: values) func `the words of a name determine a switch's value at inference`(
        _ name: String, _ value: Bool?
    )
        throws
    {
        guard let value else {
            let failure = try #require(throws: Failure.self) { try factor(graph([name])) }
            #expect(
                failure.description
                    == "the value of the placeholder '\(name)' at inference is unknown; "
                    + "set it with placeholderValues \(name)=true or placeholderValues \(name)=false")
            return
        }
        let (product, notes) = try factor(graph([name]))
        #expect(product == (value ? 2 : 3))
        #expect(
            notes == [
                "the placeholder '\(name)' is \(value), as at inference; placeholderValues \(name)=\(!value) overrides this"
            ])
    }

    @Test(arguments: [true, false]) func `the default is used if the name reveals nothing`(_ truth: Bool) throws {
        let (unknown, notes) = try factor(graph(["flag"], default: truth))
        #expect(unknown == (truth ? 2 : 3))
        #expect(notes.isEmpty)
        #expect(try factor(graph(["is_training"], default: truth)).0 == 3)
        #expect(try factor(graph(["test_mode"], default: truth)).0 == 2)
    }

    @Test(arguments: ["true", "1", "TRUE"]) func `a given value is used, whatever the name`(_ yes: String) throws {
        var options = ImportOptions()
        options.placeholderValues = ["flag", "is_training"].map { PlaceholderValue(name: $0, value: yes) }
        let (product, notes) = try factor(graph(["flag", "is_training"]), options)
        #expect(product == 4)
        #expect(notes.isEmpty)
    }

    @Test func `all unknown switches are reported together`() throws {
        let failure = try #require(throws: Failure.self) { try factor(graph(["flag", "is_training", "mirror"])) }
        #expect(
            failure.problem.description == "the values of the placeholders 'flag', 'mirror' at inference are unknown")
        #expect(failure.remedy?.hasSuffix("placeholderValues mirror=true or placeholderValues mirror=false") == true)
    }

    @Test func `switches are also set in a graph with array inputs`() throws {
        var options = ImportOptions()
        options.arrays = ["image": TensorType([1, 2, 2, 3])]
        let (product, notes) = try factor(graph(["is_training"]), options)
        #expect(product == 3)
        #expect(notes.count == 1)
        let failure = try #require(throws: Failure.self) { try factor(graph(["flag"]), options) }
        #expect(failure.problem.hasPrefix("the value of the placeholder 'flag' at inference is"))
    }

    @Test func `a switch that the output does not need is ignored`() throws {
        var definition = graph(["flag"])
        definition.nodes.append(NodeDefinition(name: "same", op: "Neg", inputs: ["image"]))
        var options = ImportOptions()
        options.outputs = ["same"]
        #expect(try factor(definition, options).0 == -1)
    }

    @Test func `only values that decide a condition are reported`() throws {
        func function(_ name: String, _ op: String) -> FunctionDefinition {
            FunctionDefinition(
                name: name, inputs: ["x"], outputs: ["y"],
                nodes: [NodeDefinition(name: "y", op: op, inputs: ["x"])], results: ["y": "y:y:0"])
        }
        var definition = graph(["is_training", "eval"])
        definition.functions = [function("Train", "Neg"), function("Answer", "Abs")]
        definition.nodes += [
            NodeDefinition(name: "not", op: "LogicalNot", inputs: ["is_training"]),
            NodeDefinition(
                name: "if", op: "If", inputs: ["not", "image"],
                attributes: ["then_branch": .function("Answer"), "else_branch": .function("Train")]),
        ]
        var options = ImportOptions()
        options.outputs = ["if"]
        let (product, notes) = try factor(definition, options)
        #expect(product == 1)
        #expect(
            notes == [
                "the placeholder 'is_training' is false, as at inference; placeholderValues is_training=true overrides this"
            ])
    }
}
