import Testing

@testable import Thaw

/// Image sizes that are determined by a graph's layers.
@Suite struct SizeSearchTests {
    private static func node(_ name: String, _ op: String, _ inputs: String...) -> NodeDefinition {
        NodeDefinition(name: name, op: op, inputs: inputs)
    }

    private static func whole(_ name: String, _ numbers: [Int], _ shape: Shape? = nil) -> NodeDefinition {
        NodeDefinition(
            name: name, op: "Const",
            attributes: ["value": .tensor(Tensor(integers: numbers, shape: shape ?? [numbers.count]))])
    }

    private static func constant(_ name: String, _ shape: Shape) -> NodeDefinition {
        NodeDefinition(name: name, op: "Const", attributes: ["value": .tensor(tensor(shape))])
    }

    /// A convolution or pooling with strides.
    private static func window(_ name: String, _ op: String, _ inputs: [String], _ stride: Int, _ padding: String)
        -> NodeDefinition
    {
        let strides = Attribute.list([.int(1), .int(stride), .int(stride), .int(1)])
        return NodeDefinition(
            name: name, op: op, inputs: inputs,
            attributes: ["padding": .string(padding), "strides": strides, "ksize": strides])
    }

    private static func reshape(_ input: String, _ sizes: [Int]) -> [NodeDefinition] {
        [whole("sizes", sizes), node("rows", "Reshape", input, "sizes")]
    }

    private static func dense(_ input: String, _ count: Int) -> [NodeDefinition] {
        [constant("weights", [count, 10]), node("y", "MatMul", input, "weights")]
    }

    /// `tf.layers.flatten`: all axes after the batch, whatever their sizes.
    private static func flatten(_ input: String, after sizes: [Int] = [-1]) -> [NodeDefinition] {
        let parts = sizes.enumerated().map { whole("part\($0.offset)", [$0.element], []) }
        return [
            node("shape", "Shape", input), whole("zero", [0]), whole("one", [1]),
            NodeDefinition(
                name: "batch", op: "StridedSlice", inputs: ["shape", "zero", "one", "one"],
                attributes: ["shrink_axis_mask": .int(1)]),
        ] + parts + [
            NodeDefinition(name: "sizes", op: "Pack", inputs: ["batch"] + parts.map(\.name)),
            node("rows", "Reshape", input, "sizes"),
        ]
    }

    private static let convolution =
        [constant("filters", [3, 3, 3, 4])] + [
            window("conv", "Conv2D", ["x", "filters"], 1, "SAME")
        ]

    /// The placeholder's attributes, the following nodes, and the size and channels that are found.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var attributes: [String: Attribute] = [:]
        let nodes: [NodeDefinition]
        var size: ImageSize?
        let shape: Shape
    }

    private static let open = ["shape": Attribute.shape([-1, -1, -1, 3])]

    static let cases = [
        Case(
            testDescription: "flat gray pixels, unknown rank", nodes: reshape("x", [-1, 784]) + dense("rows", 784),
            shape: [1, 28, 28, 1]),
        Case(
            testDescription: "flat RGB pixels, unknown rank", nodes: reshape("x", [-1, 3072]) + dense("rows", 3072),
            shape: [1, 32, 32, 3]),
        Case(
            testDescription: "a large gray image", nodes: reshape("x", [-1, 16384]) + dense("rows", 16384),
            shape: [1, 128, 128, 1]),
        Case(
            testDescription: "a reshape to an image",
            nodes: reshape("x", [-1, 28, 28, 1]) + [node("y", "Relu", "rows")],
            shape: [1, 28, 28, 1]),
        Case(
            testDescription: "a reshape to an image that is not square",
            nodes: reshape("x", [-1, 20, 30, 3]) + [node("y", "Relu", "rows")], shape: [1, 20, 30, 3]),
        Case(
            testDescription: "a convolution and a reshape", attributes: open,
            nodes: convolution + reshape("conv", [-1, 32 * 32 * 4]) + dense("rows", 4096), shape: [1, 32, 32, 3]),
        Case(
            testDescription: "a convolution that determines the channels, unknown rank",
            nodes: convolution + reshape("conv", [-1, 28 * 28 * 4]) + dense("rows", 3136), shape: [1, 28, 28, 3]),
        Case(
            testDescription: "a dense layer after layers of any size", attributes: open,
            nodes: convolution + flatten("conv") + dense("rows", 4096), shape: [1, 32, 32, 3]),
        Case(
            testDescription: "a reshape with the batch's own size", attributes: open,
            nodes: convolution + flatten("conv", after: [4096]) + dense("rows", 4096), shape: [1, 32, 32, 3]),
        Case(
            testDescription: "one side known", attributes: ["shape": .shape([-1, 16, -1, 3])],
            nodes: convolution + reshape("conv", [-1, 16 * 24 * 4]) + dense("rows", 1536), shape: [1, 16, 24, 3]),
        Case(
            testDescription: "channels unknown", attributes: ["shape": .shape([-1, -1, -1, -1])],
            nodes: reshape("x", [-1, 784]) + dense("rows", 784), shape: [1, 28, 28, 1]),
        Case(
            testDescription: "the size given, the channels unknown",
            nodes: reshape("x", [-1, 600]) + dense("rows", 600),
            size: ImageSize(width: 20, height: 10), shape: [1, 10, 20, 3]),
        Case(
            testDescription: "TensorFlow's inferred shape",
            attributes: [
                "shape": .shape(nil), "_output_shapes": .list([.shape([-1, 20, 24, 3])]),
            ], nodes: [node("y", "Relu", "x")], shape: [1, 20, 24, 3]),
        Case(
            testDescription: "TensorFlow's inferred open shape",
            attributes: [
                "shape": .shape([-1, -1, -1, 3]), "_output_shapes": .list([.shape([1, 20, 24, 3])]),
            ], nodes: [node("y", "Relu", "x")], shape: [1, 20, 24, 3]),
    ]

    private static func convert(
        _ attributes: [String: Attribute], _ nodes: [NodeDefinition], _ size: ImageSize? = nil
    ) throws -> Conversion {
        var options = Converter.Options()
        (options.outputs, options.size) = (["y"], size)
        let image = NodeDefinition(
            name: "x", op: "Placeholder", attributes: attributes.merging(["dtype": .type(.float)]) { $1 })
        return try Converter(options).convert(graph: GraphDefinition(nodes: [image] + nodes))
    }

    @Test(arguments: cases) func `the only size that fits is used and reported`(_ c: Case) throws {
        let conversion = try Self.convert(c.attributes, c.nodes, c.size)
        let graph = conversion.model.graph
        #expect(graph[graph.inputs[0].value].shape == c.shape)
        #expect(conversion.model.image?.color == (c.shape[3] == 1 ? .gray : .rgb))
        let isInferred = c.attributes["_output_shapes"] != nil
        let said = conversion.notes.filter { $0.contains("because no other size fits '") }
        #expect(said.count == (isInferred ? 0 : 1))
        #expect(said.allSatisfy { $0.contains("the image has \(c.shape[2])x\(c.shape[1]) pixels") })
    }

    /// Several sizes fit, or none is reported.
    static let unknown: [(note: String, nodes: [NodeDefinition], problem: String, hint: String)] = [
        (
            "a stride that leaves a pixel",
            convolution + [window("pool", "MaxPool", ["conv"], 4, "SAME")] + reshape("pool", [-1, 196])
                + dense("rows", 196),
            "the size of the input is unknown: 25x25, 26x26, 27x27, 28x28 fit 'rows' (Reshape)",
            "size 28x28 is the most likely one"
        ),
        (
            "many sizes",
            convolution + [window("pool", "MaxPool", ["conv"], 16, "SAME")] + reshape("pool", [-1, 256])
                + dense("rows", 256),
            "the size of the input is unknown: 113x113 to 128x128 fit 'rows' (Reshape)",
            "size 128x128 is the most likely one"
        ),
        (
            "a mean over any number of pixels",
            convolution + [whole("axes", [1, 2]), node("rows", "Mean", "conv", "axes")] + dense("rows", 4),
            "the size of the input is unknown", "size 224x224 is what most"
        ),
        (
            "a dense layer per pixel", convolution + reshape("conv", [-1, 4]) + dense("rows", 4),
            "the size of the input is unknown", "size 224x224 is what most"
        ),
        (
            "not square", convolution + reshape("conv", [-1, 4 * 30]) + dense("rows", 120),
            "the size of the input is unknown", "size 224x224 is what most"
        ),
    ]

    @Test(arguments: unknown) func `sizes that fit are listed, without a hint about outputs`(
        _ note: String, _ nodes: [NodeDefinition], _ problem: String, _ hint: String
    ) {
        let failure = #expect(throws: Failure.self) { try Self.convert(Self.open, nodes) }
        #expect(failure?.problem.description == problem)
        #expect(failure?.hint?.hasPrefix(hint) == true)
    }

    @Test func `a size that does not fit is refused with those that do`() {
        let rows = Self.convolution + Self.reshape("conv", [1, 4096]) + Self.dense("rows", 4096)
        let size = ImageSize(width: 30, height: 30)
        let failure = #expect(throws: Failure.self) { try Self.convert(Self.open, rows, size) }
        #expect(failure?.hint?.description == "'rows' (Reshape) takes images of 32x32 pixels: set size accordingly")
        // Downsampled halves that must have equal sizes again.
        let halves =
            Self.convolution + [Self.window("half", "MaxPool", ["conv"], 2, "VALID")]
            + [Self.constant("up", [2, 2, 4, 4]), Self.whole("target", [1, 32, 32, 4])]
            + [Self.window("double", "Conv2DBackpropInput", ["target", "up", "half"], 2, "VALID")]
            + [Self.node("y", "Add", "conv", "double")]
        let other = #expect(throws: Failure.self) { try Self.convert(Self.open, halves, size) }
        #expect(other?.hint?.description == "the graph takes other sizes: size 32x32 converts")
    }
}
