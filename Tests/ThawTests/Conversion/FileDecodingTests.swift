import Testing

@testable import Thaw

/// A SavedModel in the fixtures whose signature takes encoded images.
struct DecodingCase: CustomTestStringConvertible, Sendable {
    let name: String
    let note: String

    static let all = Fixtures.table("decoding/decoding.tsv").map { DecodingCase(name: $0[0], note: $0[1]) }

    var testDescription: String { "\(name): \(note)" }
}

@Suite struct FileDecodingTests {
    @Test(arguments: DecodingCase.all) func `a signature that takes encoded images becomes a model that takes an image`(
        _ decoding: DecodingCase
    ) throws {
        let conversion = try Converter().convert(contentsOfFile: Fixtures.path("decoding/\(decoding.name)"))
        let model = conversion.model
        #expect(model.image?.width == 8 && model.image?.height == 8 && model.image?.color == .rgb)
        #expect(model.graph.outputs.map(\.name) == ["probabilities"])
        #expect(conversion.warnings.isEmpty)
        for index in 0..<2 {
            let image = try Tensor(contentsOfNumPyFile: Fixtures.path("ways/pixels\(index).npy"))
            let fed = model.image?.lifted.map { image.scaled($0) } ?? image
            let output = try model.graph.evaluate([fed.reshaped(model.graph[model.graph.inputs[0].value].shape)])[0]
            let expected = try Tensor(
                contentsOfNumPyFile: Fixtures.path("decoding/\(decoding.name).output\(index).npy"))
            #expect(output.shape == expected.shape)
            #expect(difference(output, expected) <= referenceTolerance)
        }
    }
}
