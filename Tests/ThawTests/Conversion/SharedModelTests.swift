import Foundation
import Testing

@testable import Thaw

/// A real graph of the shared material, with its preprocessing.
struct SharedModel: Decodable, CustomTestStringConvertible, Sendable {
    let name: String
    let graph: String
    let labels: String?
    let input: String
    let output: String
    let width: Int?
    let height: Int?
    let color: String
    let scale: Double
    let bias: [Double]
    let references: [[String]]

    private enum CodingKeys: String, CodingKey {
        case name, graph, labels, input, output, width, height, scale, bias, references
        // The shared material spells it so.
        case color = "colour"
    }

    /// The classifiers among them.
    static let all: [SharedModel] = {
        guard let shared = Fixtures.shared,
            let data = try? Data(contentsOf: shared.appendingPathComponent("models/models.json"))
        else { return [] }
        return try! JSONDecoder().decode([SharedModel].self, from: data).filter { $0.labels != nil }
    }()

    var testDescription: String { name }

    func path(_ relative: String) -> String { Fixtures.shared!.appendingPathComponent(relative).path }

    func conversion() throws -> Conversion {
        var options = Converter.Options()
        options.size = ImageSize(width: width!, height: height!)
        options.color = ColorLayout(rawValue: color)
        options.scale = [scale]
        options.bias = bias
        return try Converter(options).convert(
            contentsOfFile: path(graph), labels: Labels(contentsOfFile: path(labels!)))
    }
}

@Suite(.enabled(if: !SharedModel.all.isEmpty, "the shared material is absent")) struct SharedModelTests {
    @Test(arguments: SharedModel.all) func `a real graph and its Core ML model give TensorFlow's outputs`(
        _ shared: SharedModel
    ) throws {
        let model = try shared.conversion().model
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("model.mlmodel").path
        try model.write(toFile: path)
        let back = try Model.load(contentsOfFile: path).model
        for instructionSet in InstructionSet.availableForFloats {
            for candidate in [model, back] {
                let program = try Program(candidate.graph, instructionSet: instructionSet)
                for reference in shared.references {
                    let input = try Tensor(contentsOfNumPyFile: shared.path(reference[0]))
                    let runner = ArrayRunner(candidate, program: program)
                    let output = try runner.run([(nil, input)])[0].array
                    let expected = try Tensor(contentsOfNumPyFile: shared.path(reference[1]))
                    #expect(output.shape == expected.shape)
                    #expect(
                        difference(output, expected) <= referenceTolerance)
                }
            }
        }
    }
}
