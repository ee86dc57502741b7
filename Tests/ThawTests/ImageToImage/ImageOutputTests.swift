import Testing

@testable import Thaw

/// A model of one image input with a graph made by `build`, and the image output that the converter detects.
func imageModel(
    color: ColorLayout = .rgb, size: (width: Int, height: Int) = (4, 3), options: Converter.Options = .init(),
    _ build: (inout GraphBuilder, Graph.Value) throws -> Graph.Value
) throws -> Model {
    var builder = GraphBuilder()
    let input = builder.input("input", TensorType([1, size.height, size.width, color.channels]))
    builder.output("output", try build(&builder, input))
    var model = Model(
        graph: builder.graph,
        image: ImageInput(name: "input", width: size.width, height: size.height, color: color))
    var notes: [Note] = []
    model.imageOutput = try Converter(options).imageOutput(model, &notes)
    return model
}

/// A graph that computes an array from an array of 48 numbers.
private func arrayConversion(_ shape: [Int]) throws -> Conversion {
    var options = Converter.Options()
    options.isTensor = true
    return try Converter(options).convert(
        graph: GraphDefinition(nodes: [
            NodeDefinition(
                name: "x", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([1, 48])]),
            NodeDefinition(
                name: "shape", op: "Const",
                attributes: ["value": .tensor(Tensor(shape: [shape.count], element: .int32) { Double(shape[$0]) })]),
            NodeDefinition(name: "map", op: "Reshape", inputs: ["x", "shape"]),
            NodeDefinition(name: "y", op: "Sigmoid", inputs: ["map"]),
        ]))
}

/// The range of pixels according to a graph's last operations.
struct RangeCase: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var operations: [any Operation]
    /// pixel = scale · y + bias; nil if the output stays an array.
    var scaling: (scale: Double, bias: Double)?
    var exceedsPixels = false

    static let all = [
        RangeCase(testDescription: "tanh", operations: [Unary(.tanh)], scaling: (127.5, 127.5)),
        RangeCase(testDescription: "sigmoid", operations: [Unary(.sigmoid)], scaling: (255, 0)),
        RangeCase(testDescription: "relu6", operations: [Unary(.relu6)], scaling: (42.5, 0)),
        RangeCase(testDescription: "clip 0…1", operations: [Unary(.clip(0, 1))], scaling: (255, 0)),
        RangeCase(testDescription: "clip 0…255", operations: [Unary(.clip(0, 255))], scaling: (1, 0)),
        RangeCase(
            testDescription: "tanh · 127.5 + 127.5", operations: [Unary(.tanh), arithmetic(127.5, 127.5)],
            scaling: (1, 0)),
        RangeCase(
            testDescription: "tanh · 150 + 127.5", operations: [Unary(.tanh), arithmetic(150, 127.5)], scaling: (1, 0),
            exceedsPixels: true),
        RangeCase(
            testDescription: "(tanh + 1) / 2",
            operations: [
                Unary(.tanh), Binary(.add, constant: Tensor([1 as Float], shape: [])),
                Binary(.divide, constant: Tensor([2 as Float], shape: [])),
            ], scaling: (255, 0)),
        RangeCase(
            testDescription: "tanh, channels first", operations: [Unary(.tanh), Transpose(Graph.toFirst)],
            scaling: (127.5, 127.5)),
        RangeCase(
            testDescription: "tanh, no batch", operations: [Unary(.tanh), Reshape([3, 4, 3])], scaling: (127.5, 127.5)),
        RangeCase(testDescription: "relu", operations: [Unary(.relu)], scaling: nil),
        RangeCase(
            testDescription: "tanh, then exponential", operations: [Unary(.tanh), Unary(.exponential)], scaling: nil),
        RangeCase(
            testDescription: "a vector of probabilities", operations: [Reshape([1, 36]), Softmax(axis: 1)], scaling: nil
        ),
        RangeCase(
            testDescription: "probabilities of three classes per pixel", operations: [Softmax(axis: 3)], scaling: nil),
        RangeCase(
            testDescription: "class probabilities, transposed",
            operations: [Softmax(axis: 3), Transpose(Graph.toFirst)],
            scaling: nil),
        RangeCase(
            testDescription: "scores per location", operations: [Reshape([1, 6, 6]), Unary(.sigmoid)], scaling: nil),
        RangeCase(
            testDescription: "smaller than the input", operations: [Reshape([1, 2, 6, 3]), Unary(.sigmoid)],
            scaling: nil),
        RangeCase(
            testDescription: "one pixel",
            operations: [Reduction(function: .mean, axes: [1, 2], keepsAxes: true), Unary(.tanh)], scaling: nil),
    ]

    private static func arithmetic(_ scale: Double, _ offset: Double) -> any Operation {
        BatchNormalization(ChannelArithmetic(scale: [scale, scale, scale], offset: [offset, offset, offset]))
    }
}

@Suite struct ImageOutputTests {
    @Test(arguments: [([1, 4, 4, 3], true), ([1, 6, 8, 1], true), ([1, 6, 8], false), ([6, 8], false)])
    func `what is computed from an array is an image only if it has four axes`(_ shape: [Int], _ isImage: Bool) throws {
        let conversion = try arrayConversion(shape)
        #expect((conversion.model.imageOutput != nil) == isImage)
        #expect(conversion.notes.contains { $0.code == .arrayOutput } == !isImage)
    }

    @Test(arguments: RangeCase.all) func `an output of known range becomes an image automatically`(_ range: RangeCase)
        throws
    {
        let model = try imageModel { builder, input in
            try range.operations.reduce(input) { try builder.add($1, [$0], name: $1.kind)[0] }
        }
        #expect(model.imageOutput?.scaling.scale == range.scaling.map { [$0.scale, $0.scale, $0.scale] })
        #expect(model.imageOutput?.scaling.bias == range.scaling.map { [$0.bias, $0.bias, $0.bias] })
        #expect(model.imageOutput?.exceedsPixels == range.scaling.map { _ in range.exceedsPixels })
    }

    @Test(arguments: RangeCase.all.filter { $0.scaling != nil })
    func `a neural network keeps everything known about its image`(
        _ range: RangeCase
    ) throws {
        let model = try imageModel { builder, input in
            let scaled = try builder.add(
                Binary(.multiply, constant: Tensor([0.01 as Float], shape: [])), [input], name: "x")
            return try range.operations.reduce(scaled[0]) { try builder.add($1, [$0], name: $1.kind)[0] }
        }
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("model.mlmodel").path
        try model.write(toFile: path)
        let back = try Model.load(contentsOfFile: path).model
        #expect(back.imageOutput?.scaling == model.imageOutput?.scaling)
        #expect(back.imageOutput?.exceedsPixels == model.imageOutput?.exceedsPixels)
        #expect(back.imageOutput?.form.width == 4)
        let image = Pixels(width: 4, height: 3, channels: 3, bytes: (0..<36).map { UInt8($0 * 7) })
        #expect(try ImageToImage(back).apply(to: image) == ImageToImage(model).apply(to: image))
        // The layers return the pixels themselves.
        let pixels = try back.graphOfPixels().evaluate([input(of: image, back)])[0]
        let numbers = try model.graphOfPixels().evaluate([input(of: image, model)])[0]
        #expect(difference(pixels, numbers) <= 1e-6)
    }

    @Test func `removing the scaling does not exchange a square image's rows and columns`() throws {
        let model = try imageModel(color: .gray, size: (4, 4)) { builder, input in
            let value = try builder.add(Unary(.sigmoid), [input], name: "value")
            let factor = Tensor([255 as Float], shape: [])
            let pixels = try builder.add(Binary(.multiply, constant: factor), value, name: "pixels")
            return try builder.add(Transpose([0, 2, 1, 3]), pixels, name: "order")[0]
        }
        try #require(model.imageOutput != nil)
        let back = try model.withoutPixels(PixelScaling(scale: [255], bias: [0]), hasBounds: false)
        let image = Tensor((0..<16).map { Float($0) / 8 - 1 }, shape: [1, 4, 4, 1])
        #expect(try difference(back.graphOfPixels().evaluate([image])[0], model.graph.evaluate([image])[0]) == 0)
    }

    private func input(of image: Pixels, _ model: Model) -> Tensor {
        let values = image.bytes.enumerated().map {
            Float($1) * Float(model.image!.scaling.scale[$0 % 3]) + Float(model.image!.scaling.bias[$0 % 3])
        }
        return Tensor(values, shape: [1, image.height, image.width, 3])
    }

    @Test func `a requested image of unknown range uses the input's scaling`() throws {
        var options = Converter.Options()
        options.imageOutput = true
        var model = try imageModel(options: options) { builder, input in
            try builder.add(Unary(.relu), [input], name: "relu")[0]
        }
        #expect(model.imageOutput?.scaling == .identity(channels: 3))
        model.image?.scaling = PixelScaling(scale: [0.5, 0.25, 1], bias: [-1, 0, 1])
        var notes: [Note] = []
        let image = try #require(try Converter(options).imageOutput(model, &notes))
        #expect(image.scaling == PixelScaling(scale: [2, 4, 1], bias: [2, 0, -1]))
        #expect(image.exceedsPixels)
    }

    @Test func `options for an image output are used and checked`() throws {
        let tanh = { (builder: inout GraphBuilder, input: Graph.Value) in
            try builder.add(Unary(.tanh), [input], name: "tanh")[0]
        }
        var options = Converter.Options()
        options.imageOutput = false
        #expect(try imageModel(options: options, tanh).imageOutput == nil)
        options = Converter.Options()
        options.outputScale = [100]
        options.outputColor = .bgr
        let image = try #require(try imageModel(options: options, tanh).imageOutput)
        #expect(image.scaling == PixelScaling(scale: [100, 100, 100], bias: [0, 0, 0]))
        #expect(image.color == .bgr)
        #expect(image.exceedsPixels)
        options.outputScale = [1, 2]
        #expect(throws: Failure.self) { try imageModel(options: options, tanh) }
        options = Converter.Options()
        options.outputColor = .gray
        #expect(throws: Failure.self) { try imageModel(options: options, tanh) }
        options = Converter.Options()
        options.imageOutput = true
        #expect(throws: Failure.self) {
            try imageModel(options: options) { builder, input in
                try builder.add(Reshape([1, 36]), [input], name: "row")[0]
            }
        }
    }

    @Test func `the image is the output of the given name`() throws {
        let graph = GraphDefinition(nodes: [
            NodeDefinition(
                name: "x", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([1, 3, 4, 3])]),
            NodeDefinition(name: "a", op: "Tanh", inputs: ["x"]),
            NodeDefinition(name: "b", op: "Sigmoid", inputs: ["x"]),
            NodeDefinition(
                name: "sizes", op: "Const", attributes: ["value": .tensor(Tensor(integers: [1, 36], shape: [2]))]),
            NodeDefinition(name: "row", op: "Reshape", inputs: ["a", "sizes"]),
        ])
        var options = Converter.Options()
        options.outputs = ["a", "b", "row"]
        func index(_ name: String?, labels: Labels? = nil) throws -> Int? {
            options.imageOutputName = name
            return try Converter(options).convert(graph: graph, labels: labels).model.imageOutput?.index
        }
        #expect(try index(nil) == 0)
        #expect(try index("a") == 0)
        #expect(try index("b") == 1)
        for (name, labels, code) in [
            ("c", nil, .noSuchFeature), ("row", nil, .wrongShape),
            ("b", try Labels((0..<36).map { "\($0)" }), .unsupportedModel),
        ] as [(String, Labels?, Failure.Code)] {
            let failure = #expect(throws: Failure.self) { try index(name, labels: labels) }
            #expect(failure?.code == code)
        }
    }

    /// Only green is halved, which reveals a wrong channel order.
    @Test(arguments: [ColorLayout.rgb, .bgr]) func `the output has the channel order of the input`(_ color: ColorLayout)
        throws
    {
        let model = try imageModel(color: color) { builder, input in
            // Channel 0 is copied, 1 halved, 2 black.
            let factors = BatchNormalization(ChannelArithmetic(scale: [1, 0.5, 0], offset: [0, 0, 0]))
            return try builder.add(Unary(.clip(0, 255)), builder.add(factors, [input], name: "factors"), name: "clip")[
                0]
        }
        #expect(model.imageOutput?.color == color)
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("model.mlmodel").path
        try model.write(toFile: path)
        let image = Pixels(width: 4, height: 3, channels: 3, bytes: (0..<36).map { [200, 100, 50][$0 % 3] })
        for candidate in [model, try Model.load(contentsOfFile: path).model] {
            let result = try ImageToImage(candidate).apply(to: image)
            #expect(Array(result.bytes.prefix(3)) == (color == .rgb ? [200, 50, 0] : [0, 50, 50]))
        }
    }

    @Test func `pixels are rounded and clamped, and NaN is black`() throws {
        var options = Converter.Options()
        options.imageOutput = true
        let model = try imageModel(color: .gray, size: (3, 2), options: options) { builder, input in
            let values: [Float] = [-7, 0.49, 0.5, 254.5, 300, .nan]
            let zero = try builder.add(
                Binary(.multiply, constant: Tensor([0 as Float], shape: [])), [input], name: "zero")
            return try builder.add(
                Binary(.add, constant: Tensor(values, shape: [1, 2, 3, 1])), zero, name: "values")[0]
        }
        let image = Pixels(width: 3, height: 2, channels: 1, bytes: Array(repeating: 9, count: 6))
        #expect(try ImageToImage(model).apply(to: image).bytes == [0, 0, 1, 255, 255, 0])
    }
}
