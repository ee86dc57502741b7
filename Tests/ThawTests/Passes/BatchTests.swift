import Testing

@testable import Thaw

/// A graph for a batch of four images of 4×4, from `x` to `y`.
struct BatchCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The node that needs the whole batch; nil if every image is processed separately.
    let needing: String?
    let nodes: [NodeDefinition]

    init(_ note: String, needs node: String? = nil, _ nodes: NodeDefinition...) {
        (testDescription, needing) = (note, node)
        self.nodes = nodes
    }

    var graph: GraphDefinition {
        GraphDefinition(
            nodes: [
                NodeDefinition(
                    name: "x", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([4, 4, 4, 3])])
            ] + nodes)
    }

    private static func node(_ name: String, _ op: String, _ inputs: String..., with: [String: Attribute] = [:])
        -> NodeDefinition
    {
        NodeDefinition(name: name, op: op, inputs: inputs, attributes: with)
    }

    private static func integers(_ name: String, _ values: [Int], _ shape: Shape? = nil) -> NodeDefinition {
        constant(name, Tensor(integers: values, shape: shape ?? [values.count]))
    }

    private static func scalar(_ name: String, _ value: Int) -> NodeDefinition { integers(name, [value], []) }

    private static func constant(_ name: String, _ tensor: Tensor) -> NodeDefinition {
        NodeDefinition(name: name, op: "Const", attributes: ["value": .tensor(tensor)])
    }

    private static let filter = constant("filter", Tensor((0..<27).map { Float($0 % 5) - 2 }, shape: [3, 3, 3, 1]))
    private static let convolution: [String: Attribute] = [
        "strides": .list([.int(1), .int(1), .int(1), .int(1)]), "padding": .string("SAME"),
    ]
    private static let boxes = constant("boxes", Tensor([0, 0, 1, 1, 0, 0.5, 1, 1], shape: [2, 4]))

    /// Padding that makes more elements than a trial may have.
    static let wide = BatchCase(
        "wide padding", needs: "blocks", integers("block", [2, 2]), integers("pads", [1000, 1000, 0, 2000], [2, 2]),
        node("blocks", "SpaceToBatchND", "x", "block", "pads"), node("y", "Relu", "blocks"))

    static let all: [BatchCase] = [
        // Along the batch, with as many results as items.
        BatchCase("a cumulative sum", needs: "y", scalar("axis", 0), node("y", "Cumsum", "x", "axis")),
        BatchCase(
            "a reversed cumulative sum", needs: "y", scalar("axis", 0),
            node("y", "Cumsum", "x", "axis", with: ["reverse": .bool(true)])),
        BatchCase("a reversed batch", needs: "y", integers("axis", [0]), node("y", "ReverseV2", "x", "axis")),
        BatchCase("a repeated batch", needs: "y", integers("times", [2, 1, 1, 1]), node("y", "Tile", "x", "times")),
        BatchCase(
            "a batch concatenated with itself", needs: "y", scalar("axis", 0), node("y", "ConcatV2", "x", "x", "axis")),
        BatchCase(
            "the first image for each", needs: "y", integers("first", [0, 0, 0, 0]), scalar("axis", 0),
            node("y", "GatherV2", "x", "first", "axis")),
        BatchCase(
            "permuted images", needs: "y", integers("order", [1, 0, 3, 2]), scalar("axis", 0),
            node("y", "GatherV2", "x", "order", "axis")),
        BatchCase(
            "a crop of the first image for each", needs: "y/images",
            constant("boxes", Tensor([Float](repeating: 0.5, count: 16), shape: [4, 4])), integers("of", [0, 0, 0, 0]),
            integers("size", [2, 2]), node("y", "CropAndResize", "x", "boxes", "of", "size")),
        BatchCase(
            "a softmax over the batch", needs: "shares", integers("turn", [1, 2, 3, 0]),
            node("turned", "Transpose", "x", "turn"),
            node("shares", "Softmax", "turned"), integers("back", [3, 0, 1, 2]),
            node("y", "Transpose", "shares", "back")),
        BatchCase(
            "a log softmax over the batch", needs: "shares", integers("turn", [1, 2, 3, 0]),
            node("turned", "Transpose", "x", "turn"), node("shares", "LogSoftmax", "turned"),
            integers("back", [3, 0, 1, 2]),
            node("y", "Transpose", "shares", "back")),
        BatchCase(
            "a matrix product over the batch", needs: "y", integers("flat", [4, 48]),
            node("rows", "Reshape", "x", "flat"),
            constant("matrix", Tensor((0..<16).map { Float($0) }, shape: [4, 4])), node("y", "MatMul", "matrix", "rows")
        ),
        BatchCase(
            "space to batch without the inverse", needs: "y", integers("block", [2, 2]),
            integers("pads", [0, 0, 0, 0], [2, 2]),
            node("y", "SpaceToBatchND", "x", "block", "pads")),
        BatchCase(
            "the batch used as rows", needs: "y", integers("turn", [1, 0, 2, 3]),
            node("turned", "Transpose", "x", "turn"),
            filter, node("y", "Conv2D", "turned", "filter", with: convolution)),
        // A size other than the batch's.
        BatchCase("a mean", needs: "y", integers("axis", [0]), node("y", "Mean", "x", "axis")),
        BatchCase(
            "a border", needs: "y", integers("pads", [1, 1, 0, 0, 0, 0, 0, 0], [4, 2]), node("y", "Pad", "x", "pads")),
        BatchCase("the index of the maximum", needs: "y", scalar("axis", 0), node("y", "ArgMax", "x", "axis")),
        // Impossible for one image.
        BatchCase(
            "half of the batch", needs: "halves", scalar("axis", 0),
            node("halves", "Split", "axis", "x", with: ["num_split": .int(2)]), node("y", "Sub", "halves", "halves:1")),
        BatchCase(
            "unstacked images", needs: "items",
            node("items", "Unpack", "x", with: ["num": .int(4), "axis": .int(0)]), node("y", "Neg", "items:2")),
        BatchCase(
            "a top 2 over the batch", needs: "largest", integers("turn", [1, 2, 3, 0]),
            node("turned", "Transpose", "x", "turn"),
            scalar("k", 2), node("largest", "TopKV2", "turned", "k"), node("y", "Neg", "largest")),
        BatchCase(
            "weights for as many channels as images", needs: "product", integers("flat", [4, 48]),
            node("rows", "Reshape", "x", "flat"),
            constant("weights", Tensor((0..<8).map { Float($0) }, shape: [4, 2])),
            node("product", "MatMul", "rows", "weights", with: ["transpose_a": .bool(true)]),
            node("y", "Neg", "product")),
        BatchCase(
            "a value per image", needs: "y", constant("numbers", Tensor([1, 2, 3, 4], shape: [4, 1, 1, 1])),
            node("y", "Add", "x", "numbers")),

        // Each image separately.
        BatchCase("cumulative sums of rows", scalar("axis", 1), node("y", "Cumsum", "x", "axis")),
        BatchCase("reversed rows", integers("axis", [1]), node("y", "ReverseV2", "x", "axis")),
        BatchCase("repeated channels", integers("times", [1, 1, 1, 2]), node("y", "Tile", "x", "times")),
        BatchCase("concatenated channels", scalar("axis", 3), node("y", "ConcatV2", "x", "x", "axis")),
        BatchCase(
            "permuted channels", integers("order", [2, 0]), scalar("axis", 3),
            node("y", "GatherV2", "x", "order", "axis")),
        BatchCase("the index of the largest channel", scalar("axis", 3), node("y", "ArgMax", "x", "axis")),
        BatchCase(
            "a top 2 over the channels", scalar("k", 2), node("largest", "TopKV2", "x", "k"),
            node("y", "Neg", "largest")),
        BatchCase(
            "a mean per image", integers("axis", [1, 2]),
            node("y", "Mean", "x", "axis", with: ["keep_dims": .bool(true)])),
        BatchCase(
            "a border per image", integers("pads", [0, 0, 1, 1, 2, 0, 0, 0], [4, 2]), node("y", "Pad", "x", "pads")),
        BatchCase(
            "the batch last, with softmax and sums per image", integers("turn", [1, 2, 3, 0]),
            node("turned", "Transpose", "x", "turn"), integers("axes", [0, 1]),
            node("sums", "Sum", "turned", "axes"), integers("back", [1, 0]), node("rows", "Transpose", "sums", "back"),
            node("y", "Softmax", "rows")),
        BatchCase(
            "halves of each image", scalar("axis", 2),
            node("halves", "Split", "axis", "x", with: ["num_split": .int(2)]),
            node("y", "Sub", "halves", "halves:1")),
        BatchCase(
            "the batch last, and first again", integers("turn", [1, 2, 3, 0]), node("turned", "Transpose", "x", "turn"),
            integers("axis", [2]), node("flipped", "ReverseV2", "turned", "axis"), integers("back", [3, 0, 1, 2]),
            node("y", "Transpose", "flipped", "back")),
        BatchCase(
            "pixels as rows, with a matrix product", integers("flat", [64, 3]), node("rows", "Reshape", "x", "flat"),
            constant("weights", Tensor((0..<12).map { Float($0) }, shape: [3, 4])),
            node("product", "MatMul", "rows", "weights"),
            node("shares", "Softmax", "product"), integers("image", [4, 4, 4, 4]),
            node("y", "Reshape", "shares", "image")),
        BatchCase(
            "space to batch and back", integers("block", [2, 2]), integers("pads", [0, 0, 0, 0], [2, 2]),
            node("blocks", "SpaceToBatchND", "x", "block", "pads"), filter,
            node("sums", "Conv2D", "blocks", "filter", with: convolution),
            node("y", "BatchToSpaceND", "sums", "block", "pads")),
        BatchCase(
            "space to batch with another shape", integers("block", [2, 2]),
            integers("pads", [0, 0, 0, 0], [2, 2]),
            node("blocks", "SpaceToBatchND", "x", "block", "pads"), integers("apart", [4, 4, 12]),
            node("groups", "Reshape", "blocks", "apart"), integers("turn", [1, 0, 2]),
            node("y", "Transpose", "groups", "turn")),
        BatchCase(
            "a product of each image with itself", integers("flat", [4, 16, 3]), node("rows", "Reshape", "x", "flat"),
            node("y", "BatchMatMulV2", "rows", "rows", with: ["adj_y": .bool(true)])),
        BatchCase(
            "the same value added to all",
            constant("numbers", Tensor([Float](repeating: 2, count: 192), shape: [4, 4, 4, 3])),
            node("sum", "Add", "x", "numbers"), node("y", "Mul", "sum", "sum")),
        BatchCase(
            "the same value concatenated to all",
            constant("numbers", Tensor([Float](repeating: 2, count: 64), shape: [4, 4, 4, 1])),
            scalar("axis", 3), node("y", "ConcatV2", "x", "numbers", "axis")),
        BatchCase(
            "as many equal values as images", constant("numbers", Tensor([2, 2, 2, 2], shape: [4])),
            node("rows", "Reshape", "x", "shape"), integers("shape", [4, 3, 4, 4]),
            node("y", "Minimum", "rows", "numbers")
        ),
    ]
}

@Suite struct BatchTests {
    @Test(arguments: [([0, 1, 2, 3], -1), ([0], -1), ([1, 2], -1), ([0, 1, 2, 3], 1)])
    func `a node that combines an open batch is named`(_ axes: [Int], _ batch: Int) throws {
        let nodes = [
            NodeDefinition(
                name: "x", op: "Placeholder",
                attributes: ["dtype": .type(.float), "shape": .shape([batch, 4, 4, 3])]),
            NodeDefinition(
                name: "axes", op: "Const",
                attributes: ["value": .tensor(Tensor(integers: axes, shape: [axes.count]))]),
            NodeDefinition(
                name: "sum", op: "Sum", inputs: ["x", "axes"], attributes: ["keep_dims": .bool(true)]),
            NodeDefinition(name: "y", op: "Sub", inputs: ["x", "sum"]),
        ]
        let notes = try Converter().convert(graph: GraphDefinition(nodes: nodes)).notes
        let isTold = notes.contains { $0.hasPrefix("'sum' combines the images of a batch") }
        #expect(isTold == (axes.contains(0) && batch < 0))
    }

    @Test(arguments: BatchCase.all.filter { $0.needing != nil })
    func `a node that needs the whole batch is refused`(_ batch: BatchCase) throws {
        let failure = try #require(throws: Failure.self) { try Converter().convert(graph: batch.graph) }
        #expect(failure.location == batch.needing)
        #expect(failure.problem.description == "the batch is fixed at 4, and this node needs all of it")
    }

    @Test func `a batch that cannot be tested in little memory is refused`() throws {
        let failure = try #require(throws: Failure.self) { try Converter().convert(graph: BatchCase.wide.graph) }
        #expect(failure.code == .limitExceeded && failure.location == BatchCase.wide.needing)
        #expect(failure.problem == Failure.batchTooLarge().problem)
    }

    @Test(arguments: BatchCase.all.filter { $0.needing == nil })
    func `one image gives the same alone as in a batch`(_ batch: BatchCase) throws {
        let whole = try Importer.run(batch.graph, ImportOptions()).graph
        let single = try whole.withBatchOfOne()
        try single.validate()
        let images = (0..<4).map { image in
            Tensor(shape: [1, 4, 4, 3], element: .float32) { Double(($0 * 7 + image * 31) % 23) - 9 }
        }
        let together = try whole.evaluate([Concatenation(axis: 0).evaluate(images)[0]])[0]
        let outputs = try images.map { try single.evaluate([$0])[0] }
        #expect(together == Concatenation(axis: 0).evaluate(outputs)[0])
    }
}
