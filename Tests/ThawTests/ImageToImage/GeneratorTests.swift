import Testing

@testable import Thaw

/// An image-to-image network in the fixtures that takes any size.
struct GeneratorCase: CustomTestStringConvertible, Sendable {
    let name: String
    let color: ColorLayout?

    static let all = Fixtures.table("generators/generators.tsv").map {
        GeneratorCase(name: $0[0], color: ColorLayout(rawValue: $0[3]))
    }

    static func named(_ name: String) -> GeneratorCase { all.first { $0.name == name }! }

    var testDescription: String { name }
    var graph: String { Fixtures.path("generators/\(name).pb") }

    var options: Converter.Options {
        var options = Converter.Options()
        options.color = color
        return options
    }

    /// The input arrays and TensorFlow's outputs.
    func references() throws -> [(input: Tensor, output: Tensor)] {
        try (0..<2).map {
            (
                try Tensor(contentsOfNumPyFile: Fixtures.path("generators/\(name).input\($0).npy")),
                try Tensor(contentsOfNumPyFile: Fixtures.path("generators/\(name).output\($0).npy"))
            )
        }
    }
}

@Suite struct GeneratorTests {
    /// TensorFlow adds in another order; with means over an image, this is the largest part of the difference.
    private let tolerance: Float = 1e-5

    @Test(arguments: GeneratorCase.all) func `a graph of open size and its Core ML model give TensorFlow's outputs`(
        _ generator: GeneratorCase
    ) throws {
        let folder = try TemporaryFolder()
        for (input, output) in try generator.references() {
            var options = generator.options
            let sides = input.shape.filter { $0 > 3 }
            options.size = ImageSize(width: sides[1], height: sides[0])
            let model = try Converter(options).convert(contentsOfFile: generator.graph).model
            #expect(model.imageOutput != nil)
            let path = folder.url.appendingPathComponent("model.mlmodel").path
            try model.write(toFile: path)
            let back = try Model.load(contentsOfFile: path).model
            #expect(back.imageOutput?.scaling == model.imageOutput?.scaling)
            #expect(back.imageOutput?.exceedsPixels == model.imageOutput?.exceedsPixels)
            #expect(back.imageOutput?.color == model.imageOutput?.color)
            #expect(back.metadata == model.metadata)
            for candidate in [model, back] {
                for instructionSet in InstructionSet.availableForFloats {
                    let program = try Program(candidate.graph, instructionSet: instructionSet)
                    let result = try ArrayRunner(candidate, program: program).run([(nil, input)])[0].array
                    #expect(difference(result, output) <= tolerance)
                }
            }
        }
    }

    /// In TensorFlow's graph a layer norm is ten operations, from the mean to the shift.
    @Test func `each layer norm of the generator becomes one operation and one layer`() throws {
        let generator = GeneratorCase.named("generator")
        let norms = try GraphDefinition(contentsOfFile: generator.graph).nodes.count { $0.op == "Rsqrt" }
        var options = generator.options
        options.size = ImageSize(width: 32, height: 24)
        let model = try Converter(options).convert(contentsOfFile: generator.graph).model
        let kinds = model.graph.nodes.map(\.operation.kind)
        #expect(norms == 11)
        #expect(kinds.count { $0 == "Normalization" } == norms, "\(kinds)")
        // The remains of a spelled-out norm.
        let parts: Set = [
            "ReduceMean", "ReciprocalSquareRoot", "Square", "reduceMean", "unary", "reduce_mean", "rsqrt",
        ]
        #expect(parts.isDisjoint(with: kinds))
        let folder = try TemporaryFolder()
        for (name, layer) in [("model.mlmodel", "batchnorm"), ("model.mlpackage", "layer_norm")] {
            let path = folder.url.appendingPathComponent(name).path
            try model.write(toFile: path)
            let written = try FileContents(contentsOfFile: path).parts
            #expect(written.first { $0.kind == layer }?.count == norms, "\(written)")
            #expect(parts.isDisjoint(with: written.map(\.kind)))
        }
    }

    @Test func `an open size must be given`() throws {
        for generator in GeneratorCase.all {
            let failure = #expect(throws: Failure.self) {
                try Converter(generator.options).convert(contentsOfFile: generator.graph)
            }
            #expect(failure?.remedy?.description == "set it with size WxH")
        }
    }
}
