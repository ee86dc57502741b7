import Foundation
import Testing

@testable import Thaw

/// A model written by coremltools, and its input.
private struct ConvertedCase: CustomTestStringConvertible, Sendable {
    /// The file, with its extension.
    let file: String
    /// The kind of input: values from -1 to 1, or pixels.
    let images: String
    /// The tolerance: coremltools rounded weights to float16 if it had to make them dense first.
    let tolerance: Float

    static let all = Fixtures.table("converted/converted.tsv").map {
        ConvertedCase(file: $0[0], images: $0[1], tolerance: $0[3] == "-" ? referenceTolerance : 1e-3)
    }

    var testDescription: String { file }
    var path: String { Fixtures.path("converted/" + file) }

    /// The graph's input for an image, and the expected output.
    func reference(_ index: Int, _ model: Model) throws -> (input: Tensor, output: Tensor) {
        let image = try Tensor(contentsOfNumPyFile: Fixtures.path("networks/pictures/\(images)\(index).npy"))
        let pixels = images == "pixels" ? image.floats : image.floats.map { ($0 + 1) * 127.5 }
        let shape = model.graph[model.graph.inputs[0].value].shape
        let name = file.split(separator: ".")[0]
        return (
            Tensor(pixels, shape: shape).scaled(model.image!.scaling),
            try Tensor(contentsOfNumPyFile: Fixtures.path("converted/\(name).output\(index).npy"))
        )
    }
}

@Suite struct ConvertedTests {
    @Test(arguments: ConvertedCase.all) private func `models by coremltools give the outputs of another interpreter`(
        _ converted: ConvertedCase
    ) throws {
        let model = try Model.load(contentsOfFile: converted.path).model
        let program = try Program(model.graph)
        for index in 0...1 {
            let (input, output) = try converted.reference(index, model)
            #expect(difference(model.graph.output(for: input), output) <= converted.tolerance)
            #expect(try difference(program.run([input], threads: 1)[0], output) <= converted.tolerance)
        }
    }

    @Test(arguments: ConvertedCase.all, Dialect.allCases)
    private func `a model that is read and written has the same layers and outputs`(
        _ converted: ConvertedCase, _ dialect: Dialect
    ) throws {
        let model = try Model.load(contentsOfFile: converted.path).model
        let back = try dialect.roundTrip(model)
        // An input may be rounded to float16 in one and not in the other.
        let (input, output) = try converted.reference(0, back)
        #expect(difference(back.graph.output(for: input), output) <= max(dialect.tolerance, 1e-3))
        let again = try dialect.roundTrip(back)
        #expect(again.graph.nodes.map(\.operation.kind) == back.graph.nodes.map(\.operation.kind))
        let fed = try converted.reference(0, again).input
        #expect(difference(again.graph.output(for: fed), back.graph.output(for: input)) <= 1e-6)
    }
}
