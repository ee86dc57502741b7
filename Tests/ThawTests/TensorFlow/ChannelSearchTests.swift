import Testing

@testable import Thaw

/// Detection of channels-first and channels-last images.
@Suite struct ChannelSearchTests {
    // MARK: Networks

    private static func node(
        _ name: String, _ op: String, _ inputs: [String], _ attributes: [String: Attribute] = [:]
    ) -> NodeDefinition { NodeDefinition(name: name, op: op, inputs: inputs, attributes: attributes) }

    private static func constant(_ name: String, _ tensor: Tensor) -> NodeDefinition {
        node(name, "Const", [], ["value": .tensor(tensor)])
    }

    private static func whole(_ name: String, _ numbers: Int...) -> NodeDefinition {
        constant(name, Tensor(integers: numbers, shape: [numbers.count]))
    }

    /// A convolution named `conv` of `channels` in either layout.
    private static func convolution(_ input: String, _ format: String, channels: Int = 3) -> [NodeDefinition] {
        let one = Attribute.list(Array(repeating: .int(1), count: 4))
        return [
            constant("filters", Tensor(noise(18 * channels), shape: [3, 3, channels, 2])),
            node(
                "conv", "Conv2D", [input, "filters"],
                ["strides": one, "padding": .string("SAME"), "data_format": .string(format)]),
        ]
    }

    /// The mean of `input` over height and width.
    private static func mean(_ input: String, _ first: Int) -> [NodeDefinition] {
        [whole("mean/axes", first, first + 1), node("mean", "Mean", [input, "mean/axes"])]
    }

    private static func transposed(_ input: String) -> [NodeDefinition] {
        [whole("order", 0, 2, 3, 1), node("last", "Transpose", [input, "order"])]
    }

    private static let direct = convolution("image", "NCHW") + mean("conv", 2)
    private static let turned = transposed("image") + convolution("last", "NHWC") + mean("conv", 1)
    private static let usual = convolution("image", "NHWC") + mean("conv", 1)
    /// Per-channel arithmetic before a border and the transpose.
    private static let prepared =
        [
            constant("means", Tensor([1, 2, 3], shape: [1, 3, 1, 1])), node("less", "Sub", ["image", "means"]),
            constant("border", Tensor(integers: [0, 0, 0, 0, 1, 1, 1, 1], shape: [4, 2])),
            node("padded", "Pad", ["less", "border"]),
        ] + transposed("padded") + convolution("last", "NHWC") + mean("conv", 1)
    /// Nothing in it distinguishes height from channels.
    private static let silent = [node("relu", "Relu", ["image"])] + mean("relu", 2)
    private static let pooled =
        [
            node(
                "pool", "MaxPool", ["image"],
                [
                    "ksize": .list([.int(1), .int(1), .int(2), .int(2)]),
                    "strides": .list([.int(1), .int(1), .int(2), .int(2)]), "padding": .string("VALID"),
                    "data_format": .string("NCHW"),
                ])
        ] + mean("pool", 2)
    /// A reshape of rows to images of these sizes.
    private static func reshaped(_ sizes: Int...) -> [NodeDefinition] {
        [constant("sizes", Tensor(integers: [-1] + sizes, shape: [4])), node("images", "Reshape", ["image", "sizes"])]
    }

    private static let flat = reshaped(3, 6, 8) + convolution("images", "NCHW") + mean("conv", 2)
    private static let flatTurned =
        reshaped(3, 6, 8) + transposed("images") + convolution("last", "NHWC") + mean("conv", 1)
    private static let flatUsual = reshaped(6, 8, 3) + convolution("images", "NHWC") + mean("conv", 1)
    /// A batch axis added to one image.
    private static let expanded =
        [whole("zero", 0), node("batch", "ExpandDims", ["image", "zero"])]
        + convolution("batch", "NCHW") + mean("conv", 2)

    private static func graph(_ shape: [Int]?, _ body: [NodeDefinition]) -> GraphDefinition {
        GraphDefinition(
            nodes: [node("image", "Placeholder", [], ["dtype": .type(.float), "shape": .shape(shape)])] + body)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var shape: [Int]?
        var body: [NodeDefinition]
        var options = Converter.Options()
        /// Nil if the input is an array.
        var order: Graph.ChannelOrder?

        init(
            _ name: String, _ shape: [Int]?, _ body: [NodeDefinition], sized: Bool = false,
            color: ColorLayout? = nil, channels: Graph.ChannelOrder? = nil, _ order: Graph.ChannelOrder?
        ) {
            (testDescription, self.shape, self.body, self.order) = (name, shape, body, order)
            if sized { options.size = ImageSize(width: 8, height: 6) }
            options.color = color
            options.channels = channels
        }
    }

    static let cases = [
        Case("height and width open", [-1, 3, -1, -1], direct, sized: true, .channelsFirst),
        Case("a batch of one, the rest open", [1, 3, -1, -1], direct, sized: true, .channelsFirst),
        Case("all open", [-1, -1, -1, -1], direct, sized: true, .channelsFirst),
        Case("no shape", nil, direct, sized: true, .channelsFirst),
        Case("no shape, and transposed", nil, turned, sized: true, .channelsFirst),
        Case("transposed at once", [1, 3, 6, 8], turned, .channelsFirst),
        Case("transposed, with a given size", [1, 3, 6, 8], turned, sized: true, color: .rgb, .channelsFirst),
        Case("transposed after arithmetic and a border", [1, 3, 6, 8], prepared, .channelsFirst),
        Case("the same with any size", [-1, 3, -1, -1], prepared, sized: true, .channelsFirst),
        Case("a pooling decides", [1, 3, 6, 8], pooled, .channelsFirst),
        Case(
            "one channel", [1, 1, -1, -1], convolution("image", "NCHW", channels: 1) + mean("conv", 2), sized: true,
            .channelsFirst),
        Case("without a batch", [3, 6, 8], expanded, .channelsFirst),
        Case("three pixels wide", [1, 3, 6, 3], direct, .channelsFirst),
        Case("nothing decides", [1, 3, 6, 8], silent, .channelsFirst),
        Case("nothing decides, gray", [1, 1, 6, 8], silent, nil),
        Case("nothing decides, with --color gray", [1, 1, 6, 8], silent, color: .gray, .channelsFirst),
        Case("nothing decides, with --channels first", [1, 1, 6, 8], silent, channels: .channelsFirst, .channelsFirst),
        Case("nothing decides, a batch of arrays", [4, 3, 6, 8], silent, nil),
        Case("nothing decides, too small for an image", [1, 3, 4, 8], silent, nil),
        Case("channels last", [1, 6, 8, 3], usual, .channelsLast),
        Case("channels last, all open", nil, usual, sized: true, .channelsLast),
        Case("three pixels high, channels last", [1, 3, 8, 3], usual, .channelsLast),
        Case(
            "three pixels high, many channels", [1, 3, 6, 8],
            convolution("image", "NHWC", channels: 8) + mean("conv", 1), nil),
    ]

    @Test(arguments: cases) func `the graph determines the channel axis`(_ test: Case) throws {
        let model = try Converter(test.options).convert(graph: Self.graph(test.shape, test.body)).model
        #expect((model.image != nil) == (test.order != nil))
        guard let image = model.image else { return }
        #expect(image.isChannelsFirst == (test.order == .channelsFirst))
        let isNarrow = test.shape?.last == 3 && test.shape?.count == 4 && test.order == .channelsFirst
        #expect(image.width == (isNarrow ? 3 : 8))
        #expect(model.graph.nodes.allSatisfy { !($0.operation is Transpose) }, "\(model.graph)")
    }

    /// The graphs of one network in both layouts.
    @Test(arguments: cases.filter { $0.order == .channelsFirst && $0.testDescription != "three pixels wide" })
    func `arrays are in the graph's layout, and outputs are those of the original graph`(_ test: Case) throws {
        let definition = Self.graph(test.shape, test.body)
        let channels = test.shape?.first { $0 == 1 || $0 == 3 } == 3 || test.shape?.dropFirst().first != 1 ? 3 : 1
        let own = Tensor(noise(48 * channels), shape: [1, channels, 6, 8])
        // The array unchanged, whether or not it is an image.
        let fed = test.shape?.count == 3 ? own.reshaped([3, 6, 8]) : own
        let plain = try Importer.run(definition, ImportOptions(arrays: ["image": fed.type])).graph
        let expected = try plain.evaluate([fed])[0]
        let folder = try TemporaryFolder()
        let model = try Converter(test.options).convert(graph: definition).model
        for name in ["m.mlmodel", "m.mlpackage"] {
            let path = folder.url.appending(path: name).path
            try model.write(toFile: path, weights: WeightStorage(.float32))
            for model in [model, try Model.load(contentsOfFile: path).model] {
                let runner = try ArrayRunner(model)
                for array in [fed, own.transposed(Graph.toLast)] {
                    let output = try runner.run([(name: nil, array: array)])[0].array
                    #expect(difference(output, expected) <= referenceTolerance)
                }
            }
        }
    }

    @Test(
        arguments: [
            ("channels first", [-1, 144], flat, nil, true), ("channels first without a batch", [144], flat, nil, true),
            ("channels first and transposed", [-1, 144], flatTurned, nil, true),
            ("any length", [-1, -1], flat, nil, true),
            ("channels last", [-1, 144], flatUsual, nil, false),
            ("as the options say", [-1, 48], mean("rows", 1), .channelsFirst, true),
        ] as [(String, [Int], [NodeDefinition], Graph.ChannelOrder?, Bool)])
    func `a reshape of rows to images determines their size and channels`(
        _ name: String, _ shape: [Int], _ body: [NodeDefinition], _ channels: Graph.ChannelOrder?, _ isFirst: Bool
    ) throws {
        let isSquare = shape.last == 48
        let rows = isSquare ? [Self.node("relu", "Relu", ["image"]), Self.whole("n", 1, 4, 4, 3)] : []
        let reshape = isSquare ? [Self.node("rows", "Reshape", ["relu", "n"])] : []
        let definition = Self.graph(shape, rows + reshape + body)
        var options = Converter.Options()
        options.channels = channels
        let model = try Converter(options).convert(graph: definition).model
        let image = try #require(model.image)
        #expect([image.width, image.height, image.color.channels] == (isSquare ? [4, 4, 3] : [8, 6, 3]))
        #expect(image.isChannelsFirst == isFirst)
        let pixels = Tensor(noise(isSquare ? 48 : 144), shape: [1, image.height, image.width, 3])
        let row = (isFirst ? pixels.transposed(Graph.toFirst) : pixels)
            .reshaped(shape.count == 1 ? [pixels.elementCount] : [1, pixels.elementCount])
        let plain = try Importer.run(definition, ImportOptions(arrays: ["image": row.type])).graph
        #expect(difference(try model.graph.evaluate([pixels])[0], try plain.evaluate([row])[0]) <= 1e-6)
    }

    @Test func `flat pixels are refused, because their layout is ambiguous`() throws {
        let runner = try ArrayRunner(Converter().convert(graph: Self.graph([1, 3, 6, 8], Self.turned)).model)
        let row = Tensor(noise(144), shape: [1, 144])
        let failure = #expect(throws: Failure.self) { try runner.run([(name: nil, array: row)]) }
        #expect(failure?.description.contains("expected [1, 3, 6, 8]") == true)
    }

    @Test func `an unknown layout causes a warning with advice`() throws {
        let notes = try Converter().convert(graph: Self.graph([1, 1, 6, 8], Self.silent)).notes
        #expect(
            notes.contains { $0.contains("'image', [1, 1, 6, 8]") && $0.hasSuffix("channels first treats it as one") })
        var options = Converter.Options()
        options.channels = .channelsLast
        let failure = #expect(throws: Failure.self) {
            try Converter(options).convert(graph: Self.graph([1, 3, 6, 8], Self.silent))
        }
        #expect(failure?.description.contains("expected an image of 1 or 3 channels") == true)
    }

    @Test func `a given size is compared with the graph's height and width`() throws {
        var options = Converter.Options()
        options.size = ImageSize(width: 6, height: 8)
        let failure = #expect(throws: Failure.self) {
            try Converter(options).convert(graph: Self.graph([1, 3, 6, 8], Self.turned))
        }
        #expect(failure?.description.contains("size 6x8 differs from the graph's 8x6") == true)
    }
}
