import Foundation
import Testing

@testable import Thaw

/// A Core ML model in the fixtures, made by coremltools, with two inputs and TensorFlow's outputs.
private struct CoreMLCase: CustomTestStringConvertible, Sendable {
    let name: String
    let layout: String
    let scale: Double?
    let biases: [Double]

    static let all = Fixtures.table("coreml/coreml.tsv").map { row in
        CoreMLCase(
            name: row[0], layout: row[1], scale: Double(row[2]),
            biases: row[3].split(separator: ",").compactMap { Double($0) })
    }

    var testDescription: String { name }
    func model() throws -> Model { try Model.load(contentsOfFile: Fixtures.path("coreml/\(name).mlmodel")).model }
}

@Suite struct ReadingTests {
    @Test func `a program without its package lacks the weights`() throws {
        let path = Fixtures.path("converted/tiny_list1.mlpackage/Data/com.apple.CoreML/model.mlmodel")
        let failure = #expect(throws: Failure.self) { try Model.load(contentsOfFile: path) }
        #expect(failure?.code == .incomplete)
        #expect(failure?.description.hasSuffix("pass the .mlpackage that contains both files") == true, "\(failure!)")
    }

    @Test func `a compiled model is refused with advice`() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: folder.url.appending(path: "coremldata.bin"))
        let failure = #expect(throws: Failure.self) { try Model.load(contentsOfFile: folder.url.path) }
        #expect(failure?.description.contains("is a compiled Core ML model") == true)
        #expect(failure?.hint?.description.contains("that it was compiled from") == true, "\(failure!)")
    }

    @Test(arguments: ["m.onnx", "m", "m.MLPACKAGE"]) func `the extension selects the format, and must be one`(
        _ name: String
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: name).path
        let model = try Model.load(contentsOfFile: Fixtures.path("coreml/\(CoreMLCase.all[0].name).mlmodel")).model
        let failure = #expect(throws: Failure.self) { try model.write(toFile: path) }
        #expect(failure?.code == .unknownFormat && failure?.file == path)
    }

    @Test(arguments: CoreMLCase.all) private func `a model by coremltools gives TensorFlow's outputs`(
        _ coreML: CoreMLCase
    ) throws {
        let model = try coreML.model()
        for index in 0...1 {
            let input = try Tensor(contentsOfNumPyFile: Fixtures.path("coreml/\(coreML.name).input\(index).npy"))
            let expected = try Tensor(contentsOfNumPyFile: Fixtures.path("coreml/\(coreML.name).output\(index).npy"))
            let shape = model.graph[model.graph.inputs[0].value].shape
            let output: Tensor
            if let image = model.image {
                // The fixtures' pixels are RGB.
                let floats = input.floats
                let ordered = image.color == .bgr ? floats.indices.map { floats[$0 / 3 * 3 + 2 - $0 % 3] } : floats
                output = try model.graph.evaluate([Tensor(ordered, shape: shape).scaled(image.scaling)])[0]
            } else {
                output = try model.graph.evaluate([input.reshaped(shape)])[0]
            }
            #expect(difference(output, expected) <= referenceTolerance)
        }
    }

    @Test(arguments: CoreMLCase.all) private func `a model's image input is read as it was written`(
        _ coreML: CoreMLCase
    ) throws {
        let image = try coreML.model().image
        #expect(image?.color.rawValue ?? "-" == coreML.layout)
        guard let image else { return }
        let channels = image.color.channels
        #expect(image.scaling.scale.allSatisfy { abs($0 - (coreML.scale ?? 1)) < 1e-7 })
        let biases =
            coreML.biases.count == channels ? coreML.biases : Array(repeating: coreML.biases[0], count: channels)
        #expect(zip(image.scaling.bias, biases).allSatisfy { abs($0 - $1) < 1e-6 })
    }

    @Test(arguments: Fixtures.table("coreml/refuse/refuse.tsv"))
    func `an invalid model is refused with the reason`(_ row: [String]) throws {
        let failure = #expect(throws: Failure.self) {
            try Model.load(contentsOfFile: Fixtures.path("coreml/refuse/\(row[0])"))
        }
        for word in row[1].split(separator: " ") where word != "-" {
            #expect(failure?.problemText.contains(word) == true, "\(word) is not in: \(failure.map { "\($0)" } ?? "")")
        }
    }
}

extension ReadingTests {
    @Test func `a newer version is read if every layer is known, with a warning`() throws {
        var message = try NeuralNetworkWriter.message(NetworkCase.all[0].conversion().model)
        message.specificationVersion = 99
        let warnings = try ModelReader.run(message).warnings
        #expect(warnings.count == 1 && warnings[0].contains("99"))
    }
}

extension ReadingTests {
    @Test(arguments: [(Dialect.neuralNetwork, 1, 4), (.program, 5, 6)])
    func `a version older than the model's features causes a warning`(
        _ dialect: Dialect, _ version: Int, _ needed: Int
    ) throws {
        var builder = GraphBuilder()
        let image = builder.input("image", TensorType([1, 4, 4, 3]))
        builder.output("held", try builder.one(Unary(.relu6), image))
        let model = Model(graph: builder.graph)
        var message =
            dialect == .program ? try ProgramWriter.run(model).message : try NeuralNetworkWriter.message(model)
        message.specificationVersion = version
        let warnings = try ModelReader.run(message).warnings
        #expect(warnings.count == 1 && warnings[0].contains("version \(version)") && warnings[0].contains("\(needed)"))
    }
}

extension Failure {
    /// The message without the file, whose name might contain the expected words.
    var problemText: String {
        var copy = self
        copy.file = nil
        return copy.description
    }
}
