import Foundation
import Testing

@testable import Thaw

/// Networks as stages of pipelines: flexible arrays and image outputs.
@Suite struct NetworkStageTests {
    private static func message(_ name: String) throws -> Message {
        let data = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path(name)))
        return try Message(.model, reading: data.withUnsafeBytes { ByteView(copying: $0) })
    }

    /// A pipeline with the inputs of the first model and the outputs of the last.
    private static func pipeline(_ models: [Message]) throws -> Message {
        var message = Message(.model)
        message.specificationVersion = 4
        var description: Message = message["description"]
        description.input = models[0].description.input as [Message]
        description.output = models[models.count - 1].description.output as [Message]
        message["description"] = description
        message.pipeline.models = models
        return message
    }

    /// A scaler of an array of `count` values, which may be described without a shape.
    private static func scaler(_ input: String, count: Int?) throws -> Message {
        var model = try message("pipelines/only_scaler.mlmodel")
        var description: Message = model["description"]
        var (inputs, outputs): ([Message], [Message]) = (description.input, description.output)
        inputs[0].name = input
        inputs[0].type.multiArrayType.shape = count.map { [$0] } ?? [Int]()
        outputs[0].type.multiArrayType.shape = count.map { [$0] } ?? [Int]()
        (description.input, description.output) = (inputs, outputs)
        model["description"] = description
        model.scaler.shiftValue = [1.0]
        model.scaler.scaleValue = [2.0]
        return model
    }

    private static func values(_ shape: [Int]) -> FeatureValue {
        .multiArray((0..<shape.reduce(1, *)).map { Double($0 % 7) - 3 }, shape: shape)
    }

    @Test func `a flexible array may have each of its shapes`() throws {
        let network = try Self.message("inputs/enumerated_network.mlmodel")
        let pipeline = try Pipeline(Self.pipeline([network, Self.scaler("y", count: nil)]))
        let file = Fixtures.path("inputs/enumerated_network.mlmodel")
        let runner = try ModelRunner(ModelDocument(contentsOfFile: file))
        #expect("\(pipeline.inputs[0].shapes)" == "[1, 2, 6, 8] or [1, 2, 4, 4] or [1, 2, 5, 9]")
        for shape in [[1, 2, 6, 8], [1, 2, 4, 4], [1, 2, 5, 9]] {
            let value = Self.values(shape)
            let expected = try runner.run([
                ("x", .tensor(Tensor((value.numbers ?? []).map { Float($0) }, shape: Shape(shape))))
            ])
            let output = try #require(try pipeline.run(["x": value]).first?.value.numbers)
            #expect(output == expected[0].tensor.floats.map { (Double($0) + 1) * 2 })
        }
        let failure = #expect(throws: Failure.self) { try pipeline.run(["x": Self.values([1, 2, 3, 3])]) }
        #expect(
            failure?.problemText
                == "input 'x': the array has shape [1, 2, 3, 3]; expected [1, 2, 6, 8] or [1, 2, 4, 4] or [1, 2, 5, 9]")
    }

    @Test func `a flexible network's output has the shape that it computes`() throws {
        let pipeline = try Pipeline(Self.pipeline([Self.message("inputs/enumerated_network.mlmodel")]))
        guard case .multiArray(_, let shape) = try pipeline.run(["x": Self.values([1, 2, 5, 9])])[0].value else {
            throw Failure.noBytes()
        }
        #expect(shape == [1, 5, 9])
    }

    @Test func `the number of axes shows whether a flexible array has rows`() throws {
        let pipeline = try Pipeline(Self.pipeline([Self.message("inputs/enumerated_network.mlmodel")]))
        let input = pipeline.inputs[0]
        #expect(try input.rows([Double](repeating: 0, count: 32), shape: [1, 2, 4, 4]).count == 1)
        #expect(try input.rows([Double](repeating: 0, count: 96), shape: [3, 1, 2, 4, 4]).count == 3)
        #expect(throws: Failure.self) { try input.rows([Double](repeating: 0, count: 96), shape: [3, 1, 2, 2, 8]) }
    }

    @Test func `a stage after a flexible network refuses more values than it takes`() throws {
        let network = try Self.message("inputs/enumerated_network.mlmodel")
        let pipeline = try Pipeline(Self.pipeline([network, Self.scaler("y", count: 48)]))
        #expect(try pipeline.run(["x": Self.values([1, 2, 6, 8])])[0].value.numbers?.count == 48)
        let failure = #expect(throws: Failure.self) { try pipeline.run(["x": Self.values([1, 2, 5, 9])]) }
        #expect(failure?.problemText == "stage 2 (scaler): there are 45 values; expected 48")
    }

    /// A network that copies the first channel of an image of 4×3 pixels, halves the second, and clears the third.
    private static func imageNetwork(
        _ input: String, _ output: String, _ color: ColorLayout = .rgb
    ) throws -> Message {
        var model = try imageModel(color: color) { builder, value in
            let factors = BatchNormalization(ChannelArithmetic(scale: [1, 0.5, 0], offset: [0, 0, 0]))
            let scaled = try builder.add(factors, [value], name: "factors")
            return try builder.add(Unary(.clip(0, 255)), scaled, name: "clip")[0]
        }
        (model.graph.inputs[0].name, model.graph.outputs[0].name) = (input, output)
        model.image?.name = input
        let bytes = try model.encoded(as: .coreML).bytes().model
        return try Message(.model, reading: bytes.withUnsafeBytes { ByteView(copying: $0) })
    }

    private static let photo = Pixels(
        width: 4, height: 3, channels: 3, bytes: (0..<36).map { [200, 100, 50][$0 % 3] })

    @Test(arguments: [ColorLayout.rgb, .bgr]) func `a stage returns an image`(_ color: ColorLayout) throws {
        let pipeline = try Pipeline(Self.pipeline([Self.imageNetwork("photo", "painting", color)]))
        guard case .image(let pixels) = try pipeline.run(["photo": .image(Self.photo)])[0].value else {
            throw Failure.noBytes()
        }
        #expect((pixels.width, pixels.height, pixels.channels) == (4, 3, 3))
        #expect(Array(pixels.bytes.prefix(3)) == (color == .rgb ? [200, 50, 0] : [0, 50, 50]))
    }

    @Test func `a stage takes the image that another returns`() throws {
        let models = try [Self.imageNetwork("photo", "painting"), Self.imageNetwork("painting", "drawing", .bgr)]
        let pipeline = try Pipeline(Self.pipeline(models))
        #expect(
            try pipeline.run(["photo": .image(Self.photo)])[0].value
                == .image(Pixels(width: 4, height: 3, channels: 3, bytes: (0..<36).map { [0, 25, 0][$0 % 3] })))
    }

    @Test func `an image of 16-bit values between stages is refused`() throws {
        var model = try Self.imageNetwork("photo", "painting")
        var outputs: [Message] = model.description.output
        outputs[0].type.imageType.colorSpace = "GRAYSCALE_FLOAT16"
        model.description.output = outputs
        #expect(throws: Failure.self) { try Pipeline(Self.pipeline([model])) }
    }

    @Test(
        arguments: [([.nan, 0.9, 0.9], 1), ([0.5, .nan], 0), ([.nan, .nan], 0), ([1, 3, 3, 2], 1)] as [([Double], Int)]
    ) func `the top label is the first of the highest scores, and NaN is the lowest`(_ scores: [Double], _ top: Int) {
        #expect(ClassScores(scores).top == top)
    }
}
