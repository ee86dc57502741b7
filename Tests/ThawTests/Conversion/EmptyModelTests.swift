import Foundation
import Testing

@testable import Thaw

/// Models that Core ML or Thaw itself could not load.
@Suite struct EmptyModelTests {
    private static func convert(_ shape: [Int], output: String, scale: [Double]? = nil) throws -> Model {
        let nodes = [
            NodeDefinition(name: "x", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape(shape)]),
            NodeDefinition(name: "same", op: "Identity", inputs: ["x"]),
            NodeDefinition(name: "half", op: "Const", attributes: ["value": .tensor(Tensor([0.5], shape: []))]),
            NodeDefinition(name: "scaled", op: "Mul", inputs: ["x", "half"]),
        ]
        var options = Converter.Options()
        options.scale = scale
        options.outputs = output.split(separator: " ").map(String.init)
        return try Converter(options).convert(graph: GraphDefinition(nodes: nodes)).model
    }

    @Test(arguments: ["x", "same"], ["m.mlmodel", "m.mlpackage"])
    func `a model with an output that is the input is not written`(_ output: String, _ file: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent(file).path
        for shape in [[1, 4, 4, 3], [1, 7]] {
            let model = try Self.convert(shape, output: output)
            let failure = #expect(throws: Failure.self) { try model.write(toFile: path) }
            #expect(failure?.problem.contains("is the input") == true)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test(arguments: ["m.mlmodel", "m.mlpackage"]) func `a model that consists of its image's scaling is written`(
        _ file: String
    )
        throws
    {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent(file).path
        try Self.convert([1, 4, 4, 3], output: "same", scale: [0.5]).write(toFile: path)
        #expect(try Model.load(contentsOfFile: path).model.image?.scaling.scale == [0.5, 0.5, 0.5])
    }

    @Test(arguments: [[1, 0], [1, 4, 0, 2], [0], [1, 0, 4, 3]]) func `an input without elements is refused`(
        _ shape: [Int]
    ) {
        let failure = #expect(throws: Failure.self) { try Self.convert(shape, output: "scaled") }
        #expect(failure?.description.contains("no elements") == true)
    }
}
