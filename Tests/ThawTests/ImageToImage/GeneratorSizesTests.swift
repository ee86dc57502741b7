import Foundation
import Testing

@testable import Thaw

/// A generator with layer norms over the whole image and resizes to twice the size, written once for several sizes.
@Suite struct GeneratorSizesTests {
    enum Dialect: String, CaseIterable { case mlmodel, mlpackage }

    /// Both include the sizes of the fixture's two images.
    private static let sizes: [ImageSizes] = [
        .range(width: 24...40, height: 20...48),
        .enumerated([
            ImageSize(width: 24, height: 24), ImageSize(width: 32, height: 24), ImageSize(width: 28, height: 40),
        ]),
    ]

    private static func model(_ sizes: ImageSizes) throws -> Model {
        let generator = GeneratorCase.named("generator")
        var options = generator.options
        options.sizes = sizes
        return try Converter(options).convert(contentsOfFile: generator.graph).model
    }

    @Test(arguments: Dialect.allCases, sizes) func `the network gives TensorFlow's outputs at each size`(
        _ dialect: Dialect, _ sizes: ImageSizes
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "model." + dialect.rawValue).path
        try Self.model(sizes).write(toFile: path, weights: WeightStorage(.float32))
        let back = try Model.load(contentsOfFile: path).model
        #expect(back.image?.sizes == sizes)
        for (input, output) in try GeneratorCase.named("generator").references() {
            let sides = input.shape.filter { $0 > 3 }
            let model = try back.resizer!.model(at: ImageSize(width: sides[1], height: sides[0]))
            let program = try Program(model.graph, instructionSet: InstructionSet.available.last!)
            let result = try ArrayRunner(model, program: program).run([(nil, input)])[0].array
            // TensorFlow adds in another order; with means over an image, this is the largest part of the difference.
            #expect(difference(result, output) <= 1e-5)
        }
    }

    @Test func `layer norms are reductions, and resizes are upsampling`() throws {
        let folder = try TemporaryFolder()
        for (name, present, absent) in [
            (
                "model.mlmodel", ["reduceMean", "upsample", "padding"],
                ["reshapeStatic", "resizeBilinear", "layerNormalization"]
            ),
            (
                "model.mlpackage", ["reduce_mean", "upsample_bilinear", "pad"],
                ["reshape", "resize_bilinear", "layer_norm"]
            ),
        ] {
            let path = folder.url.appending(path: name).path
            try Self.model(Self.sizes[0]).write(toFile: path)
            let kinds = try FileContents(contentsOfFile: path).parts.map(\.kind)
            #expect(Set(present).isSubset(of: kinds), "\(kinds)")
            #expect(Set(absent).isDisjoint(with: kinds), "\(kinds)")
        }
    }

    @Test func `a program for iOS 15 has no such upsampling`() throws {
        let model = try Self.model(Self.sizes[0])
        let failure = #expect(throws: Failure.self) { try ProgramWriter.run(model, target: .iOS15) }
        #expect(failure?.description.contains("iOS 16") == true, "\(failure?.description ?? "")")
        #expect(try ProgramWriter.run(model).version == .iOS16)
    }

    @Test(arguments: Dialect.allCases) func `the written model accepts each image in its own size`(
        _ dialect: Dialect
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "model." + dialect.rawValue).path
        try Self.model(Self.sizes[0]).write(toFile: path, weights: WeightStorage(.float32))
        let written = try ImageToImage(contentsOfFile: path)
        let generator = GeneratorCase.named("generator")
        let graph = try ImageToImage(contentsOfFile: generator.graph, graphOptions: generator.options)
        for (width, height) in [(24, 40), (40, 20), (28, 36)] {
            let image = Pixels(
                width: width, height: height, channels: 3,
                bytes: (0..<width * height * 3).map { UInt8($0 * 37 % 251) })
            let (result, expected) = (try written.apply(to: image), try graph.apply(to: image))
            #expect((result.width, result.height) == (width, height))
            #expect((expected.width, expected.height) == (width, height))
            // The same sums in another order: one step of 255 at most.
            let worst = zip(result.bytes, expected.bytes).map { abs(Int($0) - Int($1)) }.max()!
            #expect(worst <= 1)
        }
    }

    @Test func `a tanh at the end suggests the range of the input`() throws {
        for (name, isNamed) in [("generator", true), ("style", false), ("super_resolution", false)] {
            let generator = GeneratorCase.named(name)
            var options = generator.options
            options.size = ImageSize(width: 32, height: 24)
            let warnings = try Converter(options).convert(contentsOfFile: generator.graph).warnings
            #expect(warnings.contains { $0.contains("try preprocessing inception") } == isNamed, "\(name): \(warnings)")
            options.preprocessing = .inception
            guard options.color != .gray else { continue }
            #expect(try Converter(options).convert(contentsOfFile: generator.graph).warnings == [])
        }
    }

    @Test(arguments: [true, false])
    func `new sizes come from the graph that was loaded, also after its file is replaced`(
        _ mapsFiles: Bool
    ) throws {
        let generator = GeneratorCase.named("generator")
        var options = generator.options
        options.mapsFiles = mapsFiles
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "graph.pb").path
        try FileManager.default.copyItem(atPath: generator.graph, toPath: path)
        let network = try ImageToImage(contentsOfFile: path, graphOptions: options)
        try FileManager.default.removeItem(atPath: path)
        let image = Pixels(width: 28, height: 36, channels: 3, bytes: [UInt8](repeating: 90, count: 28 * 36 * 3))
        let expected = try ImageToImage(contentsOfFile: generator.graph, graphOptions: options).apply(to: image)
        #expect(try network.apply(to: image) == expected)
    }
}
