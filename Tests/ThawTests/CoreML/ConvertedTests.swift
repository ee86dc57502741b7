import Foundation
import Testing

@testable import Thaw

/// A model that coremltools wrote, and what it is fed.
private struct ConvertedCase: CustomTestStringConvertible, Sendable {
    /// The file, with its extension.
    let file: String
    /// The kind of pictures: numbers from -1 to 1, or pixels.
    let pictures: String
    /// How far answers may lie apart: coremltools rounded the weights to float16 where it had to make them dense first.
    let tolerance: Float

    static let all = Fixtures.table("converted/converted.tsv").map {
        ConvertedCase(file: $0[0], pictures: $0[1], tolerance: $0[3] == "-" ? referenceTolerance : 1e-3)
    }

    var testDescription: String { file }
    var path: String { Fixtures.path("converted/" + file) }

    /// What the model's graph takes for a picture, and what comes of it.
    func reference(_ index: Int, _ model: Model) throws -> (input: Tensor, answer: Tensor) {
        let picture = try Fixtures.tensor(Fixtures.path("networks/pictures/\(pictures)\(index).npy"))
        let pixels = pictures == "pixels" ? picture.floats : picture.floats.map { ($0 + 1) * 127.5 }
        let shape = model.graph[model.graph.inputs[0].value].shape
        let name = file.split(separator: ".")[0]
        return (
            Tensor(pixels, shape: shape).scaled(model.image!.scaling),
            try Fixtures.tensor(Fixtures.path("converted/\(name).output\(index).npy"))
        )
    }
}

@Suite struct ConvertedTests {
    @Test(arguments: ConvertedCase.all) private func `what coremltools writes answers as another interpreter says`(
        _ converted: ConvertedCase
    ) throws {
        let model = try Model.load(contentsOf: converted.path).model
        let program = try Program(model.graph)
        for index in 0...1 {
            let (input, answer) = try converted.reference(index, model)
            #expect(difference(model.graph.answer(to: input), answer) <= converted.tolerance)
            #expect(difference(program.run([input], threads: 1)[0], answer) <= converted.tolerance)
        }
    }

    @Test(arguments: ConvertedCase.all, Dialect.allCases)
    private func `a model that is written again has the same layers and answers`(
        _ converted: ConvertedCase, _ dialect: Dialect
    ) throws {
        let model = try Model.load(contentsOf: converted.path).model
        let back = try dialect.roundTrip(model)
        // An input that is rounded to float16 in the one may not be so in the other.
        let (input, answer) = try converted.reference(0, back)
        #expect(difference(back.graph.answer(to: input), answer) <= max(dialect.tolerance, 1e-3))
        let again = try dialect.roundTrip(back)
        #expect(again.graph.nodes.map(\.operation.kind) == back.graph.nodes.map(\.operation.kind))
        let fed = try converted.reference(0, again).input
        #expect(difference(again.graph.answer(to: fed), back.graph.answer(to: input)) <= 1e-6)
    }
}
