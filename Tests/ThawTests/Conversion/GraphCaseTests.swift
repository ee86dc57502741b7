import Testing

@testable import Thaw

/// A graph in the fixtures: its file, and TensorFlow's output for an input.
struct GraphCase: CustomTestStringConvertible, Sendable {
    let name: String
    let output: String

    static let all = Fixtures.table("graphs/cases.tsv").map { GraphCase(name: $0[0], output: $0[2]) }

    var testDescription: String { name }
    func definition() throws -> GraphDefinition {
        try GraphDefinition(contentsOfFile: Fixtures.path("graphs/\(name).pb"))
    }
    func input() throws -> Tensor { try Tensor(contentsOfNumPyFile: Fixtures.path("graphs/\(name).input.npy")) }
    func expected() throws -> Tensor { try Tensor(contentsOfNumPyFile: Fixtures.path("graphs/\(name).output.npy")) }

    func imported() throws -> Graph { try result().graph }

    func result() throws -> Importer.Result {
        let shape = try input().shape
        // Some placeholders have an open size.
        var options = ImportOptions(outputs: [output])
        let isOpen = name == "wiring/no_shape" || name == "wiring/unknown_size"
        if isOpen { options.size = ImageSize(width: shape[2], height: shape[1]) }
        return try Importer.run(definition(), options)
    }
}

extension GraphCase {
    /// A value near the middle between two levels may be rounded to either: one 8-bit step of the range, of which the results
    /// fill at least half.
    var tolerance: Float { name.hasPrefix("quantized/") ? 2 / 255 : referenceTolerance }
}

/// TensorFlow adds in float32 and in an unspecified order; the reference implementations add in float64.
let referenceTolerance: Float = 1e-5

@Suite struct GraphCaseTests {
    @Test(arguments: GraphCase.all) func `a graph gives TensorFlow's output`(_ graphCase: GraphCase) throws {
        let graph = try graphCase.imported()
        try graph.validate()
        let output = graph.output(for: graph.channelsLast(try graphCase.input()))
        let expected = try graphCase.expected()
        #expect(output.shape.dimensions == expected.shape.dimensions)
        #expect(difference(output, expected) <= graphCase.tolerance)
    }

    @Test(arguments: GraphCase.all) func `passes keep the output, channels first or last`(_ graphCase: GraphCase)
        throws
    {
        let graph = try Passes.run(Passes.simplification, on: graphCase.imported())
        let input = graph.channelsLast(try graphCase.input())
        let channelsFirst = try graph.reordered(to: .channelsFirst)
        try channelsFirst.validate()
        #expect(difference(graph.output(for: input), try graphCase.expected()) <= graphCase.tolerance)
        #expect(difference(channelsFirst.output(for: input), try graphCase.expected()) <= graphCase.tolerance)
    }

    @Test(arguments: GraphCase.all) func `the engine gives the same output`(_ graphCase: GraphCase) throws {
        let graph = try Passes.run(Passes.simplification, on: graphCase.imported())
        let input = graph.channelsLast(try graphCase.input())
        let shape = graph[graph.inputs[0].value].shape
        // Batches larger than the graph's are covered by the reference implementations.
        guard input.elementCount == shape.elementCount else { return }
        let program = try Program(graph, instructionSet: InstructionSet.available.last!)
        let output = try program.run([Tensor(input.floats, shape: shape)])[0]
        #expect(difference(output, try graphCase.expected()) <= graphCase.tolerance)
    }
}
