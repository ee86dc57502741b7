import Testing

@testable import Thaw

/// Models whose image has several sizes: written once, correct at each.
@Suite struct ImageSizesTests {
    // MARK: Networks

    private static func node(
        _ name: String, _ op: String, _ inputs: [String], _ attributes: [String: Attribute] = [:]
    ) -> NodeDefinition { NodeDefinition(name: name, op: op, inputs: inputs, attributes: attributes) }

    private static func constant(_ name: String, _ tensor: Tensor) -> NodeDefinition {
        node(name, "Const", [], ["value": .tensor(tensor)])
    }

    private static func whole(_ name: String, _ numbers: [Int]) -> NodeDefinition {
        constant(name, Tensor(integers: numbers, shape: [numbers.count]))
    }

    private static func convolution(
        _ name: String, _ input: String, _ channels: (Int, Int), stride: Int = 1, padding: String = "SAME"
    ) -> [NodeDefinition] {
        let filters = Tensor(noise(9 * channels.0 * channels.1), shape: [3, 3, channels.0, channels.1])
        return [
            constant(name + "/filters", filters),
            node(
                name, "Conv2D", [input, name + "/filters"],
                [
                    "strides": .list([.int(1), .int(stride), .int(stride), .int(1)]),
                    "padding": .string(padding),
                ]),
        ]
    }

    private static func pooling(_ name: String, _ input: String, size: Int, stride: Int, padding: String)
        -> NodeDefinition
    {
        let sizes: (Int) -> Attribute = { .list([.int(1), .int($0), .int($0), .int(1)]) }
        return node(
            name, "MaxPool", [input],
            ["ksize": sizes(size), "strides": sizes(stride), "padding": .string(padding)])
    }

    private static let image = node(
        "image", "Placeholder", [], ["dtype": .type(.float), "shape": .shape([1, -1, -1, 3])])

    /// Strides of 2, whose padding depends on whether a side is even, and a mean over the whole image.
    private static let classifying = GraphDefinition(
        nodes: [image] + convolution("first", "image", (3, 4), stride: 2)
            + convolution("second", "first", (4, 6), padding: "VALID")
            + [
                pooling("pooled", "second", size: 3, stride: 2, padding: "SAME"), whole("axes", [1, 2]),
                node("mean", "Mean", ["pooled", "axes"]), node("answer", "Softmax", ["mean"]),
            ])

    /// An image twice as large.
    private static let enlarging = GraphDefinition(
        nodes: [image] + convolution("first", "image", (3, 4), stride: 2)
            + [
                node("shape", "Shape", ["first"]), whole("begin", [1]), whole("end", [3]), whole("step", [1]),
                node("sides", "StridedSlice", ["shape", "begin", "end", "step"]), whole("four", [4, 4]),
                node("larger", "Mul", ["sides", "four"]),
                node("resized", "ResizeBilinear", ["first", "larger"], ["half_pixel_centers": .bool(true)]),
            ] + convolution("last", "resized", (4, 3)) + [node("styled", "Sigmoid", ["last"])])

    /// A mirrored border and depth to space: an image twice as large.
    private static let bordered = GraphDefinition(
        nodes: [
            image, constant("border", Tensor(integers: [0, 0, 1, 1, 1, 1, 0, 0], shape: [4, 2])),
            node("mirror", "MirrorPad", ["image", "border"], ["mode": .string("REFLECT")]),
        ] + convolution("first", "mirror", (3, 12), padding: "VALID")
            + [
                node("blocks", "DepthToSpace", ["first"], ["block_size": .int(2)]),
                node("styled", "Sigmoid", ["blocks"]),
            ])

    /// An array of one channel, twice as large: neither dialect moves that axis in memory.
    private static let gray = GraphDefinition(
        nodes: [image] + convolution("first", "image", (3, 4))
            + [
                node("blocks", "DepthToSpace", ["first"], ["block_size": .int(2)]),
                node("styled", "Tanh", ["blocks"]),
            ])

    /// Channels first, followed by a classifier's output.
    private static let channelsFirst = GraphDefinition(
        nodes: [
            node("image", "Placeholder", [], ["dtype": .type(.float), "shape": .shape([-1, 3, -1, -1])]),
            constant("filters", Tensor(noise(108), shape: [3, 3, 3, 4])),
            node(
                "first", "Conv2D", ["image", "filters"],
                [
                    "strides": .list([.int(1), .int(1), .int(2), .int(2)]), "padding": .string("SAME"),
                    "data_format": .string("NCHW"),
                ]), whole("axes", [2, 3]), node("mean", "Mean", ["first", "axes"]),
            node("answer", "Softmax", ["mean"]),
        ])

    private static let list = ImageSizes.enumerated([
        ImageSize(width: 16, height: 16), ImageSize(width: 21, height: 17), ImageSize(width: 40, height: 24),
    ])
    private static let range = ImageSizes.range(width: 12...33, height: 14...40)

    private static func converted(
        _ graph: GraphDefinition, _ sizes: ImageSizes, default size: ImageSize? = nil
    ) throws -> Model {
        var options = Converter.Options()
        options.sizes = sizes
        options.size = size
        options.preprocessing = .unit
        return try Converter(options).convert(graph: graph).model
    }

    private static func converted(_ graph: GraphDefinition, _ size: ImageSize) throws -> Model {
        var options = Converter.Options()
        options.size = size
        options.preprocessing = .unit
        return try Converter(options).convert(graph: graph).model
    }

    @Test(
        arguments: [
            (.enumerated([]), nil, "a list of 0 sizes is invalid; it has from 1 to 128"),
            (
                .enumerated(Array(repeating: ImageSize(width: 8, height: 8), count: 129)), nil,
                "a list of 129 sizes is invalid; it has from 1 to 128"
            ),
            (
                .enumerated([ImageSize(width: 8, height: 0)]), nil,
                "an image of 8×0 pixels is invalid; sides are from 1 to 16384"
            ),
            (.range(width: 1...8, height: 1...(.max)), nil, "an image of 8×9223372036854775807 pixels is invalid"),
            (.range(width: -8...8, height: 1...8), nil, "an image of -8×1 pixels is invalid"),
            (
                .fixed, ImageSize(width: 1 << 40, height: 1 << 40),
                "an image of 1099511627776×1099511627776 pixels is invalid; sides are from 1 to 65536"
            ),
        ] as [(ImageSizes, ImageSize?, String)])
    func `sizes that no image has are refused`(_ sizes: ImageSizes, _ size: ImageSize?, _ problem: String) throws {
        let failure = #expect(throws: Failure.self) { try Self.converted(Self.classifying, sizes, default: size) }
        #expect(failure?.description.contains(problem) == true, "\(failure!)")
        #expect(failure?.code == .invalidOption)
    }

    // MARK: Writing and reading

    enum Dialect: CaseIterable { case neuralNetwork, program }

    private static func message(_ model: Model, _ dialect: Dialect) throws -> Message {
        switch dialect {
        case .neuralNetwork: try NeuralNetworkWriter.message(model)
        case .program: try ProgramWriter.run(model, weights: WeightStorage(.float32)).message
        }
    }

    /// A model written and read again, as a message or as a package in `folder`.
    private static func again(_ model: Model, _ dialect: Dialect, _ folder: TemporaryFolder) throws -> Model {
        let path = folder.url.appending(path: dialect == .program ? "model.mlpackage" : "model.mlmodel").path
        try model.write(toFile: path, weights: WeightStorage(.float32))
        return try Model.load(contentsOfFile: path).model
    }

    @Test(arguments: Dialect.allCases, [list, range])
    func `a written model agrees with the graph at each size`(_ dialect: Dialect, _ sizes: ImageSizes) throws {
        for graph in [Self.classifying, Self.enlarging, Self.bordered, Self.gray, Self.channelsFirst] {
            let folder = try TemporaryFolder()
            let read = try Self.again(Self.converted(graph, sizes), dialect, folder)
            #expect(read.image?.sizes == sizes)
            let others = sizes == Self.range ? [ImageSize(width: 19, height: 30)] : []
            for size in sizes.samples(from: sizes.defaultSize!) + others {
                let one = try read.resizer!.model(at: size)
                let expected = try Self.converted(graph, size)
                let input = Tensor(noise(size.width * size.height * 3), shape: [1, size.height, size.width, 3])
                var output = try one.graph.evaluate([input])[0]
                let truth = try expected.graph.evaluate([input])[0]
                // An image may be returned with channels first, as its layout shows.
                if one.imageOutput?.form.isChannelsFirst == true { output = output.transposed(Graph.toLast) }
                #expect(output.shape == truth.shape)
                // The same sums, some of them in another order.
                #expect(difference(output, truth) <= 1e-5, "\(size)")
            }
        }
    }

    @Test(arguments: Dialect.allCases) func `the description contains the sizes`(_ dialect: Dialect) throws {
        let listed = try Self.message(Self.converted(Self.enlarging, Self.list), dialect)
        let input = (listed.description.input as [Message])[0]
        let output = (listed.description.output as [Message])[0]
        func sizes(_ feature: Message) -> [[Int]] {
            (feature.type.imageType.enumeratedSizes.sizes as [Message]).map { [$0.width, $0.height] }
        }
        #expect(sizes(input) == [[16, 16], [21, 17], [40, 24]])
        #expect(sizes(output) == [[32, 32], [44, 36], [80, 48]])
        let ranged = try Self.message(Self.converted(Self.enlarging, Self.range), dialect)
        let bounds: Message = (ranged.description.output as [Message])[0].type.imageType.imageSizeRange.widthRange
        #expect([bounds.lowerBound, bounds.upperBound] as [Int] == [24, 68])
        #expect((ranged.specificationVersion as Int) >= CoreMLVersion.iOS12.rawValue)
    }

    @Test(arguments: Dialect.allCases) func `the default size is the one that is given`(_ dialect: Dialect) throws {
        let chosen = ImageSize(width: 21, height: 17)
        let reordered = ImageSizes.enumerated([
            chosen, ImageSize(width: 16, height: 16), ImageSize(width: 40, height: 24),
        ])
        for (given, expected) in [(Self.range, Self.range), (Self.list, reordered)] {
            let (folder, plainFolder) = (try TemporaryFolder(), try TemporaryFolder())
            let model = try Self.converted(Self.classifying, given, default: chosen)
            #expect(model.image?.sizes == expected)
            let message = try Self.message(model, dialect)
            let type: Message = (message.description.input as [Message])[0].type.imageType
            #expect([type.width, type.height] as [Int] == [21, 17])
            let read = try Self.again(model, dialect, folder)
            #expect(read.image?.sizes == expected)
            #expect(read.image.map { [$0.width, $0.height] } == [21, 17])
            // Only the default differs.
            let size = given.defaultSize!
            let other = try read.resizer!.model(at: size)
            let plain = try Self.again(Self.converted(Self.classifying, given), dialect, plainFolder)
            let input = Tensor(noise(size.width * size.height * 3), shape: [1, size.height, size.width, 3])
            #expect(try other.graph.evaluate([input])[0].floats == plain.graph.evaluate([input])[0].floats)
        }
    }

    @Test func `a default outside of the sizes is refused`() {
        for (sizes, width, height) in [(Self.range, 11, 20), (Self.range, 20, 41), (Self.list, 17, 16)] {
            let size = ImageSize(width: width, height: height)
            let failure = #expect(throws: Failure.self) {
                try Self.converted(Self.classifying, sizes, default: size)
            }
            #expect(failure?.code == .wrongSize)
            #expect(failure?.problem.contains("\(size)") == true, "\(failure?.description ?? "")")
        }
    }

    @Test func `an ML Program leaves only the differing sizes open`() throws {
        let message = try Self.message(Self.converted(Self.classifying, Self.range), .program)
        let functions: [Message] = message.mlProgram.functions
        func dimensions(_ value: Message) -> [Int] {
            (value.type.tensorType.dimensions as [Message]).map { $0.has("unknown") ? -1 : $0.constant.size }
        }
        #expect(dimensions((functions[0].value.inputs as [Message])[0]) == [1, 3, -1, -1])
        let blocks: [Message] = functions[0].value.block_specializations
        let operations: [Message] = blocks[0].value.operations
        let convolutions = operations.filter { $0.type as String == "conv" }
        #expect(convolutions.map { dimensions(($0.outputs as [Message])[0]) } == [[1, 4, -1, -1], [1, 6, -1, -1]])
        #expect(dimensions((operations.last!.outputs as [Message])[0]) == [1, 6])
    }

    @Test func `an array with open sizes is read at its default size`() throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 3, 4, 5]))
        builder.output("output", try builder.add(Unary(.relu), [input], name: "relu")[0])
        let model = Model(graph: builder.graph)
        var message = try ProgramWriter.run(model, weights: WeightStorage(.float32)).message
        var functions: [Message] = message.mlProgram.functions
        var inputs: [Message] = functions[0].value.inputs
        var sizes: [Message] = inputs[0].type.tensorType.dimensions
        sizes[3].choose("unknown")
        inputs[0].type.tensorType.dimensions = sizes
        functions[0].value.inputs = inputs
        message.mlProgram.functions = functions
        let back = try ModelReader.run(message).model
        #expect(back.graph.inputs.map { back.graph[$0.value].shape } == [[1, 3, 4, 5]])
    }

    @Test func `compressed weights work with several sizes`() throws {
        let program = try ProgramWriter.run(
            Self.converted(Self.classifying, Self.list), weights: WeightStorage(.palette4, minimumCount: 8))
        let folder = try TemporaryFolder()
        _ = try ModelPackage.write(
            EncodedModel(program), to: folder.url.appending(path: "m.mlpackage").path, mayReplace: true)
        let read = try Model.load(contentsOfFile: folder.url.appending(path: "m.mlpackage").path).model
        #expect(try read.resizer!.model(at: ImageSize(width: 40, height: 24)).image?.width == 40)
    }

    // MARK: Refusals

    @Test func `a network that works at only one size is refused by node`() throws {
        // A window as large as the image, and a reshape of all its pixels.
        let whole = GraphDefinition(
            nodes: [Self.image] + Self.convolution("first", "image", (3, 4))
                + [
                    Self.whole("row", [-1, 1024]), Self.node("flat", "Reshape", ["first", "row"]),
                    Self.constant("matrix", Tensor(noise(4096), shape: [1024, 4])),
                    Self.node("answer", "MatMul", ["flat", "matrix"]),
                ])
        let failure = #expect(throws: Failure.self) { try Self.converted(whole, Self.list) }
        #expect(failure?.location?.contains("flat") == true, "\(failure?.description ?? "")")
        #expect(failure?.problem.contains("for images of 21×17 pixels") == true)
        #expect(failure?.hint?.contains("size") == true)

        var fixed = Self.classifying
        fixed.nodes[0].attributes["shape"] = .shape([1, 16, 16, 3])
        let other = #expect(throws: Failure.self) { try Self.converted(fixed, Self.list) }
        #expect(other?.location?.contains("image") == true)
        #expect(other?.problem.contains("differs from the graph's 16x16") == true)
    }

    @Test func `systems without several sizes are refused`() throws {
        let model = try Self.converted(Self.classifying, Self.list)
        let failure = #expect(throws: Failure.self) { try NeuralNetworkWriter.message(model, target: .iOS11) }
        #expect(failure?.description.contains("iOS 12") == true)
    }

    @Test func `invalid sizes are refused by the reader`() throws {
        var message = try Self.message(Self.converted(Self.classifying, Self.range), .neuralNetwork)
        var inputs: [Message] = message.description.input
        inputs[0].type.imageType.imageSizeRange.widthRange.lowerBound = 50
        message.description.input = inputs
        #expect(throws: Failure.self) { try ModelReader.run(message) }
        inputs[0].type.imageType.imageSizeRange.widthRange.lowerBound = 12
        inputs[0].type.imageType.imageSizeRange.heightRange.upperBound = -1
        message.description.input = inputs
        let model = try ModelReader.run(message).model
        #expect(model.image?.sizes == .range(width: 12...33, height: 14...ImageSizes.longestSide))
        let failure = #expect(throws: Failure.self) { try model.resizer!.model(at: ImageSize(width: 34, height: 20)) }
        #expect(failure?.description.contains("34×20") == true)
    }

    // MARK: The nearest size

    @Test func `an image gets the size nearest to its own`() {
        func size(_ sizes: ImageSizes, _ width: Int, _ height: Int) -> [Int] {
            sizes.nearest(to: ImageSize(width: width, height: height)).map { [$0.width, $0.height] } ?? []
        }
        let range = ImageSizes.range(width: 100...400, height: 100...200)
        #expect(size(range, 300, 150) == [300, 150])
        #expect(size(range, 800, 300) == [400, 150])
        #expect(size(range, 50, 60) == [100, 120])
        #expect(size(range, 4000, 20) == [400, 100])
        #expect(size(Self.list, 100, 100) == [16, 16])
        #expect(size(Self.list, 500, 300) == [40, 24])
        #expect(range.defaultSize == ImageSize(width: 224, height: 200))
    }
}
