import Testing

@testable import Thaw

/// Batch normalization that was exported in training mode.
@Suite struct TrainingNormalizationTests {
    private static func node(
        _ name: String, _ op: String, _ inputs: [String], _ attributes: [String: Attribute] = [:]
    ) -> NodeDefinition { NodeDefinition(name: name, op: op, inputs: inputs, attributes: attributes) }

    private static func constant(_ name: String, _ tensor: Tensor) -> NodeDefinition {
        node(name, "Const", [], ["value": .tensor(tensor)])
    }

    private static func image(batch: Int = -1) -> NodeDefinition {
        node("image", "Placeholder", [], ["dtype": .type(.float), "shape": .shape([batch, 4, 4, 3])])
    }

    /// A layer as written by `tf.nn.moments` and `tf.nn.batch_normalization`.
    private static func layer(_ name: String, _ input: String, axes: [Int], keepsAxes: Bool = true) -> [NodeDefinition]
    {
        let keep: [String: Attribute] = ["keep_dims": .bool(keepsAxes)]
        return [
            constant(name + "/axes", Tensor(integers: axes, shape: [axes.count])),
            node(name + "/mean", "Mean", [input, name + "/axes"], keep),
            node(name + "/still", "StopGradient", [name + "/mean"]),
            node(name + "/squares", "SquaredDifference", [input, name + "/still"]),
            node(name + "/variance", "Mean", [name + "/squares", name + "/axes"], keep),
            constant(name + "/epsilon", Tensor(1e-3)),
            node(name + "/raised", "AddV2", [name + "/variance", name + "/epsilon"]),
            node(name + "/inverse", "Rsqrt", [name + "/raised"]),
            node(name + "/centered", "Sub", [input, name + "/mean"]),
            node(name, "Mul", [name + "/centered", name + "/inverse"]),
        ]
    }

    /// The update of a moving average, as Keras 2 writes it.
    private static func update(_ statistic: String, _ average: [Float]) -> [NodeDefinition] {
        let name = statistic + "/update"
        return [
            constant(name + "/variable", Tensor(average, shape: [average.count])),
            node(name + "/flat", "Squeeze", [statistic]),
            node(name + "/distance", "Sub", [name + "/variable", name + "/flat"]),
            constant(name + "/share", Tensor(0.01)),
            node(name + "/change", "Mul", [name + "/distance", name + "/share"]),
            node(name, "AssignSubVariableOp", [name + "/variable", name + "/change"]),
        ]
    }

    /// The update of a moving average without bias towards 0, as TensorFlow 1's `assign_moving_average` writes it.
    private static func unbiasedUpdate(_ statistic: String, _ average: [Float]) -> [NodeDefinition] {
        let name = statistic + "/update"
        return [
            constant(name + "/variable", Tensor(average, shape: [average.count])),
            constant(name + "/variable/biased", Tensor(average.map { $0 / 10 }, shape: [average.count])),
            node(name + "/flat", "Squeeze", [statistic]),
            node(name + "/distance", "Sub", [name + "/variable/biased", name + "/flat"]),
            constant(name + "/share", Tensor(0.01)),
            node(name + "/change", "Mul", [name + "/distance", name + "/share"]),
            node(name + "/AssignSub", "AssignSub", [name + "/variable/biased", name + "/change"]),
            node(name + "/quotient", "RealDiv", [name + "/AssignSub", name + "/share"]),
            node(name, "Assign", [name + "/variable", name + "/quotient"]),
        ]
    }

    private static func converted(_ nodes: [NodeDefinition], _ mode: BatchNormMode = .graph) throws -> Importer.Result {
        var options = ImportOptions(outputs: ["output"])
        options.batchNorm = mode
        return try Importer.run(GraphDefinition(nodes: nodes), options)
    }

    private static let output = node("output", "Relu", ["norm"])

    @Test func `normalization in training mode causes a warning with advice`() throws {
        let nodes = [Self.image()] + Self.layer("norm", "image", axes: [0, 1, 2]) + [Self.output]
        let conversion = try Self.converted(nodes)
        let warning = try #require(conversion.warnings.first)
        #expect(warning.hasPrefix("batch normalization in training mode at 'norm/mean': "))
        #expect(warning.hasSuffix("; export the model with training=False"))
        #expect(!conversion.notes.contains { $0.contains("combines the images of a batch") })
    }

    @Test func `several layers cause one warning`() throws {
        let nodes =
            [Self.image()] + Self.layer("first", "image", axes: [0, 1, 2])
            + Self.layer("norm", "first", axes: [0, 1, 2]) + [Self.output]
        let warnings = try Self.converted(nodes).warnings
        #expect(warnings.count { $0.contains("training mode") } == 1)
        #expect(warnings.first?.contains("at 'first/mean', 'norm/mean': ") == true, "\(warnings)")
    }

    @Test(arguments: [[1, 2], [1, 2, 3], [3]])
    func `statistics of a single image are not batch normalization`(_ axes: [Int]) throws {
        let nodes = [Self.image()] + Self.layer("norm", "image", axes: axes) + [Self.output]
        #expect(try Self.converted(nodes).warnings == [])
    }

    @Test func `an image without a batch has no batch normalization`() throws {
        let nodes =
            [
                Self.node("image", "Placeholder", [], ["dtype": .type(.float), "shape": .shape([4, 4, 3])])
            ] + Self.layer("norm", "image", axes: [0, 1]) + [Self.output]
        #expect(try Self.converted(nodes).warnings == [])
    }

    @Test(arguments: [true, false], [true, false]) func `updated moving averages can be used`(
        _ keepsAxes: Bool, _ isUnbiased: Bool
    ) throws {
        let update = isUnbiased ? Self.unbiasedUpdate : Self.update
        let nodes =
            [Self.image()] + Self.layer("norm", "image", axes: [0, 1, 2], keepsAxes: keepsAxes)
            + update("norm/mean", [1, 2, 3]) + update("norm/variance", [4, 5, 6]) + [Self.output]
        let offer = try #require(try Self.converted(nodes).warnings.first)
        #expect(offer.hasSuffix("or use the moving averages that the file still has, with batchNorm inference"))
        let conversion = try Self.converted(nodes, .inference)
        #expect(conversion.warnings == [])
        #expect(
            conversion.notes.contains {
                $0.description == "the batch normalization at 'norm/mean' uses its moving averages, as at inference"
            })
        let input = Tensor((0..<48).map { Float($0) / 4 }, shape: [1, 4, 4, 3])
        let result = try conversion.graph.evaluate([input])[0].floats
        let averages: [(mean: Float, variance: Float)] = [(1, 4), (2, 5), (3, 6)]
        for (index, number) in result.enumerated() {
            let (mean, variance) = averages[index % 3]
            let expected = max(0, (Float(index) / 4 - mean) / (variance + 1e-3).squareRoot())
            #expect(abs(number - expected) <= 1e-5)
        }
    }

    @Test func `a fused layer can use its moving averages too`() throws {
        let ones = Self.constant("ones", Tensor([1, 1, 1], shape: [3]))
        let norm = Self.node(
            "norm", "FusedBatchNormV3", ["image", "ones", "ones", "ones", "ones"],
            ["is_training": .bool(true), "epsilon": .float(1e-3)])
        let updates = Self.update("norm:1", [1, 2, 3]) + Self.update("norm:2", [4, 5, 6])
        let nodes =
            [Self.image(), ones, norm]
            + updates.map { node in
                var node = node
                node.name = node.name.replacing(":", with: "_")
                node.inputs = node.inputs.map {
                    $0.hasSuffix(":1") || $0.hasSuffix(":2") ? $0 : $0.replacing(":", with: "_")
                }
                return node
            } + [Self.output]
        let refusal = try #require(throws: Failure.self) { try Self.converted(nodes) }
        #expect(refusal.description.contains("batchNorm inference"))
        let result = try Self.converted(nodes, .inference).graph
            .evaluate([Tensor([Float](repeating: 9, count: 48), shape: [1, 4, 4, 3])])[0]
        #expect(abs(result.floats[0] - (1 + 8 / (4.001 as Float).squareRoot())) <= 1e-5)
    }

    @Test func `statistics of one image are not passed on`() throws {
        var context = ImportContext()
        let type = TensorType([4, 6])
        let image = Operand.edge(context.builder.input("x", type), type)
        let pixels = try context.add(Reshape([1, 4, 6, 1]), image, name: "pixels")
        let channel = Operand.constant(Tensor([1], shape: [1]))
        let node = TensorFlowNode(
            definition: NodeDefinition(name: "norm", op: "FusedBatchNormV3"),
            inputs: [pixels, channel, channel, channel, channel])
        let results = try Operations.tensorFlow["FusedBatchNormV3"]!.build(node, &context)
        #expect(results.map(\.shape) == [[1, 4, 6, 1]])
    }

    @Test func `missing averages are refused`() throws {
        let nodes = [Self.image()] + Self.layer("norm", "image", axes: [0, 1, 2]) + [Self.output]
        let failure = try #require(throws: Failure.self) { try Self.converted(nodes, .inference) }
        #expect(
            failure.description
                == "the moving averages of the batch normalization 'norm/mean' are not in the graph; export the model with training=False"
        )
    }

    @Test func `a fused layer without its moving averages is refused, and no part of the graph is suggested`() throws {
        let ones = Self.constant("ones", Tensor([1, 1, 1], shape: [3]))
        let norm = Self.node(
            "norm", "FusedBatchNormV3", ["net", "ones", "ones", "ones", "ones"], ["is_training": .bool(true)])
        let nodes = [Self.image(), ones, Self.node("net", "Mul", ["image", "ones"]), norm, Self.output]
        let inGraph = try #require(throws: Failure.self) { try Self.converted(nodes) }
        #expect(inGraph.description.contains("if the file still has the moving averages") && inGraph.hint == nil)
        let atInference = try #require(throws: Failure.self) { try Self.converted(nodes, .inference) }
        #expect(
            atInference.problem.contains("the moving averages of the batch normalization 'norm' are not in the graph"))
    }

    @Test func `a graph without such layers reports that nothing changes`() throws {
        let conversion = try Self.converted([Self.image(), Self.node("output", "Relu", ["image"])], .inference)
        #expect(conversion.notes.contains { $0.hasPrefix("no batch normalization is in training mode") })
    }
}
