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

    @Test func `there are cases`() { #expect(Self.cases.count > 15) }

    @Test func `a bias inside the blocks is folded into the dilated convolution`() throws {
        let inside = try #require(Self.cases.first { $0.name == "dilation/bias_and_relu_inside" })
        let graph = try Passes.run(Passes.simplification, on: inside.imported())
        #expect(graph.nodes.map(\.operation.kind) == ["Convolution", "Relu"])
        let convolution = try #require(graph.nodes[0].operation as? Convolution)
        #expect(convolution.window.height == Window.Axis(size: 3, dilation: 2, before: 2, after: 2))
        #expect(convolution.window.width == Window.Axis(size: 3, dilation: 2, before: 2, after: 2))
    }
}
