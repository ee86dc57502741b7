import Testing

@testable import Thaw

/// Convolutions between SpaceToBatchND and BatchToSpaceND.
@Suite struct DilationTests {
    private static let cases = GraphCase.all.filter {
        $0.name.hasPrefix("dilation/") || $0.name == "blocks/dilated_convolution"
    }
    /// Strides inside the blocks are not a dilation, and one of two convolutions has two consumers.
    private static let left = ["dilation/stride_inside": 1, "dilation/read_twice": 1]

    @Test(arguments: cases) func `a convolution in space-to-batch form becomes dilated`(_ graphCase: GraphCase) throws {
        let graph = try Passes.run(Passes.simplification, on: graphCase.imported())
        let kinds = graph.nodes.map(\.operation.kind)
        let left = Self.left[graphCase.name] ?? 0
        #expect(kinds.filter { $0 == "SpaceToBatch" }.count == left)
        #expect(kinds.filter { $0 == "BatchToSpace" }.count == left)
        #expect(graphCase.name.hasSuffix("crops_of_the_picture") || !kinds.contains("StridedSlice") || left > 0)
    }

    @Test(arguments: [1, 2]) func `a convolution of single pixels is not dilated`(_ batch: Int) throws {
        func constant(_ name: String, _ tensor: Tensor) -> NodeDefinition {
            NodeDefinition(name: name, op: "Const", attributes: ["value": .tensor(tensor)])
        }
        let borders = Tensor(integers: [0, 1, 0, 0], shape: [2, 2])
        let nodes = [
            NodeDefinition(
                name: "x", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([1, 5, 4, 3])]),
            constant("multiples", Tensor(integers: [batch, 1, 1, 1], shape: [4])),
            NodeDefinition(name: "images", op: "Tile", inputs: ["x", "multiples"]),
            constant("blocks", Tensor(integers: [2, 2], shape: [2])), constant("borders", borders),
            NodeDefinition(name: "split", op: "SpaceToBatchND", inputs: ["images", "blocks", "borders"]),
            constant("filters", Tensor([2, -1, 0.5], shape: [1, 1, 3, 1])),
            NodeDefinition(
                name: "depthwise", op: "DepthwiseConv2dNative", inputs: ["split", "filters"],
                attributes: ["strides": .list([1, 1, 1, 1].map { .int($0) }), "padding": .string("VALID")]),
            NodeDefinition(name: "joined", op: "BatchToSpaceND", inputs: ["depthwise", "blocks", "borders"]),
        ]
        let imported = try Importer.run(GraphDefinition(nodes: nodes), ImportOptions()).graph
        let graph = try Passes.run(Passes.simplification, on: imported)
        #expect(graph.nodes.contains { $0.operation.kind == "SpaceToBatch" } == (batch == 1))
        let input = Tensor(noise(60), shape: [1, 5, 4, 3])
        #expect(try graph.evaluate([input])[0].floats == imported.evaluate([input])[0].floats)
    }

    @Test func `the table of cases is complete`() { #expect(Self.cases.count > 15) }

    @Test func `a bias inside the blocks is folded into the dilated convolution`() throws {
        let inside = try #require(Self.cases.first { $0.name == "dilation/bias_and_relu_inside" })
        let graph = try Passes.run(Passes.simplification, on: inside.imported())
        #expect(graph.nodes.map(\.operation.kind) == ["Convolution", "Relu"])
        let convolution = try #require(graph.nodes[0].operation as? Convolution)
        #expect(convolution.window.height == Window.Axis(size: 3, dilation: 2, before: 2, after: 2))
        #expect(convolution.window.width == Window.Axis(size: 3, dilation: 2, before: 2, after: 2))
    }
}
