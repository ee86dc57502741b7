import Testing

@testable import Thaw

/// A graph in the fixtures, frozen in one of the usual ways, with its expected notes.
struct WayCase: CustomTestStringConvertible, Sendable {
    let name: String
    let options: Converter.Options
    /// The input images, before the graph changes their shape or batch.
    let images: String
    let note: String

    static let all = Fixtures.table("ways/ways.tsv").map { row in
        WayCase(name: row[0], options: Converter.Options(words: row[1]), images: row[2], note: row[3])
    }

    var testDescription: String { "\(name): \(note)" }
    var path: String { Fixtures.path("ways/\(name).pb") }
}

extension Converter.Options {
    /// The options for these command-line arguments.
    init(words text: String) {
        self.init()
        let words = text == "-" ? [] : text.split(separator: " ").map(String.init)
        for position in stride(from: 0, to: words.count, by: 2) {
            let value = words[position + 1]
            switch words[position] {
            case "--input": input = value
            case "--output": outputs.append(value)
            case "--size":
                let sides = value.split(separator: "x").map { Int($0)! }
                size = ImageSize(width: sides[0], height: sides[1])
            case "--batch-norm": batchNorm = BatchNormMode(rawValue: value)!
            case "--set":
                let parts = value.split(separator: "=").map(String.init)
                placeholderValues.append(PlaceholderValue(name: parts[0], value: parts[1]))
            default: preconditionFailure("no option of a conversion: \(words[position])")
            }
        }
    }
}

@Suite struct WayTests {
    @Test(arguments: WayCase.all) func `a graph gives TensorFlow's output at inference`(_ way: WayCase) throws {
        let model = try Converter(way.options).convert(contentsOfFile: way.path).model
        for index in 0..<2 {
            let image = try Tensor(contentsOfNumPyFile: Fixtures.path("ways/\(way.images)\(index).npy"))
            let fed = model.image?.lifted.map { image.scaled($0) } ?? image
            let outputs = try model.graph.evaluate([fed.reshaped(model.graph[model.graph.inputs[0].value].shape)])
            for (position, output) in outputs.enumerated() {
                let suffix = position == 0 ? "" : ".\(position)"
                let expected = try Tensor(
                    contentsOfNumPyFile: Fixtures.path("ways/\(way.name).output\(index)\(suffix).npy"))
                #expect(output.shape == expected.shape)
                #expect(difference(output, expected) <= referenceTolerance)
            }
        }
    }

    @Test(arguments: WayCase.all) func `the only note is about replaced dropout`(_ way: WayCase) throws {
        let conversion = try Converter(way.options).convert(contentsOfFile: way.path)
        let notes = conversion.notes.filter { $0.contains("dropout at '") }
        let isDropped = way.name.hasPrefix("dropout_")
        #expect(notes.count == (isDropped ? 1 : 0))
        #expect(conversion.assumptions.contains { $0.contains("dropout") } == isDropped)
    }

    @Test func `a graph that combines the images of its batch is refused`() throws {
        let axes = Tensor(integers: [0], shape: [1])
        let graph = GraphDefinition(nodes: [
            NodeDefinition(
                name: "input", op: "Placeholder",
                attributes: ["dtype": .type(.float), "shape": .shape([4, 8, 8, 3])]),
            NodeDefinition(name: "axes", op: "Const", attributes: ["value": .tensor(axes)]),
            NodeDefinition(
                name: "mean", op: "Mean", inputs: ["input", "axes"], attributes: ["keep_dims": .bool(true)]),
        ])
        let failure = try #require(throws: Failure.self) { try Converter().convert(graph: graph) }
        #expect(failure.description.hasPrefix("mean: the batch is fixed at 4, and this node needs all of it; "))
    }
}
