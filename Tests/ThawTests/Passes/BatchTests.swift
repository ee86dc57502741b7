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

    private static func whole(_ name: String, _ numbers: [Int], _ shape: Shape? = nil) -> NodeDefinition {
        array(name, Tensor(integers: numbers, shape: shape ?? [numbers.count]))
    }

    private static func number(_ name: String, _ number: Int) -> NodeDefinition { whole(name, [number], []) }

    private static func array(_ name: String, _ tensor: Tensor) -> NodeDefinition {
        NodeDefinition(name: name, op: "Const", attributes: ["value": .tensor(tensor)])
    }

    private static let filter = array("filter", Tensor((0..<27).map { Float($0 % 5) - 2 }, shape: [3, 3, 3, 1]))
    private static let convolution: [String: Attribute] = [
        "strides": .list([.int(1), .int(1), .int(1), .int(1)]), "padding": .string("SAME"),
    ]
    private static let boxes = array("boxes", Tensor([0, 0, 1, 1, 0, 0.5, 1, 1], shape: [2, 4]))

    /// Padding that makes more elements than a trial may have.
    static let wide = BatchCase(
        "wide padding", needs: "blocks", whole("block", [2, 2]), whole("pads", [1000, 1000, 0, 2000], [2, 2]),
        node("blocks", "SpaceToBatchND", "x", "block", "pads"), node("y", "Relu", "blocks"))

    static let all: [BatchCase] = [
        // Along the batch, with as many results as items.
        BatchCase("a cumulative sum", needs: "y", number("axis", 0), node("y", "Cumsum", "x", "axis")),
        BatchCase(
            "a reversed cumulative sum", needs: "y", number("axis", 0),
            node("y", "Cumsum", "x", "axis", with: ["reverse": .bool(true)])),
        BatchCase("a reversed batch", needs: "y", whole("axis", [0]), node("y", "ReverseV2", "x", "axis")),
        BatchCase("a repeated batch", needs: "y", whole("times", [2, 1, 1, 1]), node("y", "Tile", "x", "times")),
        BatchCase(
            "a batch concatenated with itself", needs: "y", number("axis", 0), node("y", "ConcatV2", "x", "x", "axis")),
        BatchCase(
            "the first image for each", needs: "y", whole("first", [0, 0, 0, 0]), number("axis", 0),
            node("y", "GatherV2", "x", "first", "axis")),
        BatchCase(
            "permuted images", needs: "y", whole("order", [1, 0, 3, 2]), number("axis", 0),
            node("y", "GatherV2", "x", "order", "axis")),
        BatchCase(
            "a crop of the first image for each", needs: "y/images",
            array("boxes", Tensor([Float](repeating: 0.5, count: 16), shape: [4, 4])), whole("of", [0, 0, 0, 0]),
            whole("size", [2, 2]), node("y", "CropAndResize", "x", "boxes", "of", "size")),
        BatchCase(
            "a softmax over the batch", needs: "shares", whole("turn", [1, 2, 3, 0]),
            node("turned", "Transpose", "x", "turn"),
            node("shares", "Softmax", "turned"), whole("back", [3, 0, 1, 2]), node("y", "Transpose", "shares", "back")),
        BatchCase(
            "a log softmax over the batch", needs: "shares", whole("turn", [1, 2, 3, 0]),
            node("turned", "Transpose", "x", "turn"), node("shares", "LogSoftmax", "turned"),
            whole("back", [3, 0, 1, 2]),
            node("y", "Transpose", "shares", "back")),
        BatchCase(
            "a matrix product over the batch", needs: "y", whole("flat", [4, 48]), node("rows", "Reshape", "x", "flat"),
            array("matrix", Tensor((0..<16).map { Float($0) }, shape: [4, 4])), node("y", "MatMul", "matrix", "rows")),
        BatchCase(
            "space to batch without the inverse", needs: "y", whole("block", [2, 2]),
            whole("pads", [0, 0, 0, 0], [2, 2]),
            node("y", "SpaceToBatchND", "x", "block", "pads")),
        BatchCase(
            "the batch used as rows", needs: "y", whole("turn", [1, 0, 2, 3]), node("turned", "Transpose", "x", "turn"),
            filter, node("y", "Conv2D", "turned", "filter", with: convolution)),
        // A size other than the batch's.
        BatchCase("a mean", needs: "y", whole("axis", [0]), node("y", "Mean", "x", "axis")),
        BatchCase(
            "a border", needs: "y", whole("pads", [1, 1, 0, 0, 0, 0, 0, 0], [4, 2]), node("y", "Pad", "x", "pads")),
        BatchCase("the index of the maximum", needs: "y", number("axis", 0), node("y", "ArgMax", "x", "axis")),
        // Impossible for one image.
        BatchCase(
            "half of the batch", needs: "halves", number("axis", 0),
            node("halves", "Split", "axis", "x", with: ["num_split": .int(2)]), node("y", "Sub", "halves", "halves:1")),
        BatchCase(
            "unstacked images", needs: "items",
            node("items", "Unpack", "x", with: ["num": .int(4), "axis": .int(0)]), node("y", "Neg", "items:2")),
        BatchCase(
            "a top 2 over the batch", needs: "largest", whole("turn", [1, 2, 3, 0]),
            node("turned", "Transpose", "x", "turn"),
            number("k", 2), node("largest", "TopKV2", "turned", "k"), node("y", "Neg", "largest")),
        BatchCase(
            "weights for as many channels as images", needs: "product", whole("flat", [4, 48]),
            node("rows", "Reshape", "x", "flat"), array("weights", Tensor((0..<8).map { Float($0) }, shape: [4, 2])),
            node("product", "MatMul", "rows", "weights", with: ["transpose_a": .bool(true)]),
            node("y", "Neg", "product")),
        BatchCase(
            "a value per image", needs: "y", array("numbers", Tensor([1, 2, 3, 4], shape: [4, 1, 1, 1])),
            node("y", "Add", "x", "numbers")),

        // Each image separately.
        BatchCase("cumulative sums of rows", number("axis", 1), node("y", "Cumsum", "x", "axis")),
        BatchCase("reversed rows", whole("axis", [1]), node("y", "ReverseV2", "x", "axis")),
        BatchCase("repeated channels", whole("times", [1, 1, 1, 2]), node("y", "Tile", "x", "times")),
        BatchCase("concatenated channels", number("axis", 3), node("y", "ConcatV2", "x", "x", "axis")),
        BatchCase(
            "permuted channels", whole("order", [2, 0]), number("axis", 3),
            node("y", "GatherV2", "x", "order", "axis")),
        BatchCase("the index of the largest channel", number("axis", 3), node("y", "ArgMax", "x", "axis")),
        BatchCase(
            "a top 2 over the channels", number("k", 2), node("largest", "TopKV2", "x", "k"),
            node("y", "Neg", "largest")),
        BatchCase(
            "a mean per image", whole("axis", [1, 2]), node("y", "Mean", "x", "axis", with: ["keep_dims": .bool(true)])),
        BatchCase(
            "a border per image", whole("pads", [0, 0, 1, 1, 2, 0, 0, 0], [4, 2]), node("y", "Pad", "x", "pads")),
        BatchCase(
            "the batch last, with softmax and sums per image", whole("turn", [1, 2, 3, 0]),
            node("turned", "Transpose", "x", "turn"), whole("axes", [0, 1]),
            node("sums", "Sum", "turned", "axes"), whole("back", [1, 0]), node("rows", "Transpose", "sums", "back"),
            node("y", "Softmax", "rows")),
        BatchCase(
            "halves of each image", number("axis", 2),
            node("halves", "Split", "axis", "x", with: ["num_split": .int(2)]),
            node("y", "Sub", "halves", "halves:1")),
        BatchCase(
            "the batch last, and first again", whole("turn", [1, 2, 3, 0]), node("turned", "Transpose", "x", "turn"),
            whole("axis", [2]), node("flipped", "ReverseV2", "turned", "axis"), whole("back", [3, 0, 1, 2]),
            node("y", "Transpose", "flipped", "back")),
        BatchCase(
            "pixels as rows, with a matrix product", whole("flat", [64, 3]), node("rows", "Reshape", "x", "flat"),
            array("weights", Tensor((0..<12).map { Float($0) }, shape: [3, 4])),
            node("product", "MatMul", "rows", "weights"),
            node("shares", "Softmax", "product"), whole("image", [4, 4, 4, 4]), node("y", "Reshape", "shares", "image")),
        BatchCase(
            "space to batch and back", whole("block", [2, 2]), whole("pads", [0, 0, 0, 0], [2, 2]),
            node("blocks", "SpaceToBatchND", "x", "block", "pads"), filter,
            node("sums", "Conv2D", "blocks", "filter", with: convolution),
            node("y", "BatchToSpaceND", "sums", "block", "pads")),
        BatchCase(
            "space to batch with another shape", whole("block", [2, 2]),
            whole("pads", [0, 0, 0, 0], [2, 2]),
            node("blocks", "SpaceToBatchND", "x", "block", "pads"), whole("apart", [4, 4, 12]),
            node("groups", "Reshape", "blocks", "apart"), whole("turn", [1, 0, 2]),
            node("y", "Transpose", "groups", "turn")),
        BatchCase(
            "a product of each image with itself", whole("flat", [4, 16, 3]), node("rows", "Reshape", "x", "flat"),
            node("y", "BatchMatMulV2", "rows", "rows", with: ["adj_y": .bool(true)])),
        BatchCase(
            "the same value added to all",
            array("numbers", Tensor([Float](repeating: 2, count: 192), shape: [4, 4, 4, 3])),
            node("sum", "Add", "x", "numbers"), node("y", "Mul", "sum", "sum")),
        BatchCase(
            "the same value concatenated to all",
            array("numbers", Tensor([Float](repeating: 2, count: 64), shape: [4, 4, 4, 1])),
            number("axis", 3), node("y", "ConcatV2", "x", "numbers", "axis")),
        BatchCase(
            "as many equal values as images", array("numbers", Tensor([2, 2, 2, 2], shape: [4])),
            node("rows", "Reshape", "x", "shape"), whole("shape", [4, 3, 4, 4]), node("y", "Minimum", "rows", "numbers")
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
        let answers = try images.map { try single.evaluate([$0])[0] }
        #expect(together == Concatenation(axis: 0).evaluate(answers)[0])
    }
}
