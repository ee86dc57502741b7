import Testing

@testable import Thaw

/// Networks that upscale the luma of a photo, each for another value range, of which the graph shows nothing.
@Suite struct LumaNetworkTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let scale: Double
        let bias: Double
        var testDescription: String { name }
        var path: String { Fixtures.path("generators/\(name).pb") }
    }

    static let all = Fixtures.table("generators/luma.tsv").map {
        Case(name: $0[0], scale: Double($0[1])!, bias: Double($0[2])!)
    }

    @Test(arguments: all) func `the range of the input is found by a trial`(_ network: Case) throws {
        var options = Converter.Options()
        options.size = ImageSize(width: 40, height: 24)
        let conversion = try Converter(options).convert(contentsOfFile: network.path)
        #expect(conversion.model.image?.scaling == PixelScaling(scale: [network.scale], bias: [network.bias]))
        #expect(conversion.warnings == [])
        let range = network.bias < 0 ? "-1 to 1" : network.scale < 1 ? "0 to 1" : "0 to 255"
        let note =
            "the network reproduces a test image if its input is scaled to \(range); preprocessing, or scale and bias, override this"
        #expect(conversion.notes.texts.contains(note))

        options.preprocessing = .raw
        #expect(try Converter(options).convert(contentsOfFile: network.path).model.image?.scaling.isIdentity == true)
    }

    /// Random weights do not reproduce anything.
    @Test func `an inconclusive trial leaves the warning`() throws {
        let generator = GeneratorCase.named("super_resolution")
        var options = generator.options
        options.size = ImageSize(width: 40, height: 24)
        let conversion = try Converter(options).convert(contentsOfFile: generator.graph)
        #expect(conversion.pixelRange == nil)
        #expect(conversion.warnings.contains { $0.contains("the network's preprocessing is unknown") })
    }

    @Test(arguments: all, ["cat", "coffee"]) func `a color photo gets the network's luma and Pillow's chroma`(
        _ network: Case, _ photograph: String
    ) throws {
        let image = try DecodedImage(contentsOfFile: Fixtures.path("generators/\(photograph).png")).pixels
        let output = try Tensor(contentsOfNumPyFile: Fixtures.path("generators/\(network.name).\(photograph).npy"))
            .floats
        for tile in [nil, 24] {
            var options = ImageToImage.Options()
            options.tile = tile
            let result = try ImageToImage(contentsOfFile: network.path, options: options).apply(to: image)
            #expect((result.width, result.height, result.channels) == (2 * image.width, 2 * image.height, 3))
            let planes = LumaAndChroma(result)
            var furthest: Float = 0
            for (byte, pixel) in zip(planes.luma.bytes, output) {
                furthest = max(furthest, abs(Float(byte) - pixel.rounded()))
            }
            #expect(furthest <= 1)
            let luma = Pixels(
                width: result.width, height: result.height, channels: 1, bytes: output.map { UInt8($0.rounded()) })
            let expected = LumaAndChroma(image).with(luma: luma).rgb
            let difference = zip(result.bytes, expected.bytes).map { abs(Int($0) - Int($1)) }.max()
            #expect(difference! <= 2)
        }
    }

    @Test func `a gray photo stays gray`() throws {
        let image = try DecodedImage(contentsOfFile: Fixtures.path("generators/cat.png")).pixels.converted(to: .gray)
        let result = try ImageToImage(contentsOfFile: Self.all[0].path).apply(to: image)
        #expect((result.width, result.channels) == (2 * image.width, 1))
    }

    @Test func `a network that does not upscale returns its gray image unchanged`() throws {
        let model = try imageModel(color: .gray, size: (16, 12)) { builder, input in
            try builder.add(Unary(.sigmoid), [input], name: "mask")[0]
        }
        let image = PixelRangeTrial.testImage(width: 16, height: 12, channels: 3)
        #expect(try ImageToImage(model).apply(to: image).channels == 1)
    }

    /// The graph divides by 255 and multiplies by it again: its output is pixels, although it computes with 0 to 1.
    @Test func `the range of the output is found if the graph itself scales its pixels`() throws {
        let graph = GraphDefinition(nodes: [
            NodeDefinition(
                name: "image", op: "Placeholder",
                attributes: ["dtype": .type(.float), "shape": .shape([1, 32, 32, 1])]),
            NodeDefinition(
                name: "whole", op: "Const",
                attributes: ["dtype": .type(.float), "value": .tensor(Tensor([255], shape: []))]),
            NodeDefinition(name: "share", op: "RealDiv", inputs: ["image", "whole"]),
            NodeDefinition(
                name: "filters", op: "Const",
                attributes: ["dtype": .type(.float), "value": .tensor(Tensor([1, 1, 1, 1], shape: [1, 1, 1, 4]))]),
            NodeDefinition(
                name: "spread", op: "Conv2D", inputs: ["share", "filters"],
                attributes: ["strides": .list([.int(1), .int(1), .int(1), .int(1)]), "padding": .string("SAME")]),
            NodeDefinition(name: "relu", op: "Relu", inputs: ["spread"]),
            NodeDefinition(
                name: "shuffled", op: "DepthToSpace", inputs: ["relu"], attributes: ["block_size": .int(2)]),
            NodeDefinition(name: "answer", op: "Mul", inputs: ["shuffled", "whole"]),
        ])
        var options = Converter.Options()
        options.imageOutput = true
        let model = try Converter(options).convert(graph: graph).model
        #expect(model.image?.lifted != nil)
        #expect(model.imageOutput?.scaling.isIdentity == true)
    }
}
