import Foundation
import Testing

@testable import Thaw

/// An ML Program or a neural network of one operation, written by coremltools, with NumPy's outputs.
private struct ProgramCase: CustomTestStringConvertible, Sendable {
    /// The path in the fixtures, without the extension.
    let path: String
    let inputCount: Int
    let outputCount: Int
    let tolerance: Float

    static let all = cases("programs/programs.tsv") + cases("layers/layers.tsv")

    private static func cases(_ table: String) -> [ProgramCase] {
        let folder = table.prefix { $0 != "/" }
        return Fixtures.table(table).map {
            ProgramCase(
                path: "\(folder)/\($0[0])", inputCount: Int($0[1])!, outputCount: Int($0[2])!,
                tolerance: Float($0.last!)!)
        }
    }

    var testDescription: String { path }

    func model() throws -> Model { try Model.load(contentsOfFile: Fixtures.path(path + ".mlmodel")).model }

    func outputs() throws -> [Tensor] {
        try (0..<outputCount).map { try Tensor(contentsOfNumPyFile: Fixtures.path("\(path).output\($0).npy")) }
    }

    /// The inputs in the types of the graph's.
    func inputs(of graph: Graph) throws -> [Tensor] {
        try (0..<inputCount).map { index in
            let tensor = try Tensor(contentsOfNumPyFile: Fixtures.path("\(path).input\(index).npy"))
            return tensor.converted(to: graph[graph.inputs[index].value].element)
        }
    }
}

@Suite struct ProgramCaseTests {
    @Test(arguments: ProgramCase.all) private func `an operation of a program gives NumPy's output`(
        _ programCase: ProgramCase
    ) throws {
        let graph = try programCase.model().graph
        let inputs = try programCase.inputs(of: graph)
        let expected = try programCase.outputs()
        let results = try [
            "reference": graph.evaluate(inputs), "engine": Program(graph).run(inputs, threads: 1),
        ]
        for (method, outputs) in results {
            #expect(outputs.map(\.shape) == expected.map(\.shape), "\(method)")
            for (output, reference) in zip(outputs, expected) where output.shape == reference.shape {
                #expect(difference(output, reference) <= programCase.tolerance, "\(method)")
            }
        }
    }

    @Test(arguments: ["batchnorm", "convolution", "lrn", "resize"]) func `images with one batch axis are not reshaped`(
        _ layer: String
    ) throws {
        let graph = try Model.load(contentsOfFile: Fixtures.path("layers/\(layer)_rank4.mlmodel")).model.graph
        #expect(!graph.nodes.contains { $0.operation is Reshape })
    }

    private static let refused = ["programs", "layers"].flatMap { folder in
        Fixtures.table("\(folder)/refuse/refuse.tsv").map { ["\(folder)/refuse/\($0[0])", $0[1]] }
    }

    @Test(arguments: refused) func `unsupported stages are refused with the reason`(_ row: [String]) {
        let failure = #expect(throws: Failure.self) { try Model.load(contentsOfFile: Fixtures.path(row[0])) }
        for word in row[1].split(separator: " ") {
            #expect(failure?.problemText.contains(word) == true, "\(word) is not in: \(failure.map { "\($0)" } ?? "")")
        }
    }
}
