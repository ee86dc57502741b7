import Foundation
import Testing

@testable import Thaw

/// A graph of two inputs, with their values and TensorFlow's output.
struct PairCase: CustomTestStringConvertible, Sendable {
    let name: String
    let inputs: [String]
    let options: Converter.Options
    let note: String

    static let all = Fixtures.table("pairs/pairs.tsv").map { row in
        var options = Converter.Options()
        let words = row[2].split(separator: " ").filter { $0.contains("=") }
        for word in words {
            let parts = word.split(separator: "=").map(String.init)
            let sides = parts[1].split(separator: "x").map { Int($0)! }
            options.inputs[parts[0], default: InputOptions()].size = ImageSize(width: sides[0], height: sides[1])
        }
        return PairCase(
            name: row[0], inputs: row[1].split(separator: ",").map(String.init), options: options, note: row[3])
    }

    var testDescription: String { "\(name): \(note)" }
    var path: String { Fixtures.path("pairs/\(name).pb") }

    func arrays() throws -> [(name: String?, array: Tensor)] {
        try inputs.map { ($0, try Tensor(contentsOfNumPyFile: Fixtures.path("pairs/\(name).\($0).npy"))) }
    }

    func expected() throws -> Tensor { try Tensor(contentsOfNumPyFile: Fixtures.path("pairs/\(name).output.npy")) }
}

@Suite struct SeveralInputsTests {
    private func largest(_ a: [Float], _ b: [Float]) -> Float {
        a.count == b.count ? zip(a, b).map { abs($0 - $1) }.max() ?? 0 : .infinity
    }

    @Test(arguments: PairCase.all) func `models of two inputs give TensorFlow's output, in both dialects`(
        _ pair: PairCase
    ) throws {
        let conversion = try Converter(pair.options).convert(contentsOfFile: pair.path)
        let model = conversion.model
        #expect(model.graph.inputs.map(\.name) == pair.inputs)
        let (arrays, expected) = (try pair.arrays(), try pair.expected())
        let folder = try TemporaryFolder()
        var models = [(model, Float(1e-5))]
        for (name, weights) in [
            ("a.mlmodel", WeightType.float32), ("a.mlpackage", .float32), ("b.mlpackage", .float16),
        ] {
            let path = folder.url.appendingPathComponent(name).path
            try model.write(toFile: path, weights: WeightStorage(weights))
            let back = try Model.load(contentsOfFile: path)
            #expect(back.warnings.isEmpty)
            #expect(back.model.graph.inputs.map(\.name) == pair.inputs)
            #expect(back.model.images.map(\.color) == model.images.map(\.color))
            for (image, other) in zip(back.model.images, model.images) {
                #expect((image.name, image.width, image.height) == (other.name, other.width, other.height))
                let numbers = image.scaling.scale + image.scaling.bias
                #expect(zip(numbers, other.scaling.scale + other.scaling.bias).allSatisfy { abs($0 - $1) <= 1e-5 })
            }
            models.append((back.model, weights == .float16 ? 1e-2 : 1e-5))
        }
        for (model, tolerance) in models {
            for byReference in [true, false] {
                let output = try ArrayRunner(model, byReference: byReference).run(arrays)[0].array
                #expect(output.floats.count == expected.floats.count)
                #expect(largest(output.floats, expected.floats) <= tolerance)
            }
        }
    }

    @Test func `options with a name apply to that input`() throws {
        let path = Fixtures.path("pairs/masked.pb")
        var options = Converter.Options()
        options.color = .bgr
        options.inputs["mask", default: InputOptions()].scale = [0.5]
        options.inputs["mask"]?.bias = [3]
        let model = try Converter(options).convert(contentsOfFile: path).model
        #expect(model.image?.color == .bgr && model.otherImages[1]?.color == .gray)
        // This is followed by the mask's own division by 255.
        let scaling = try #require(model.otherImages[1]?.scaling)
        #expect(abs(scaling.scale[0] - 0.5 / 255) < 1e-7 && abs(scaling.bias[0] - 3.0 / 255) < 1e-6)
        #expect(model.images.map(\.name) == ["image", "mask"])
        options.inputs["other"] = InputOptions()
        let failure = #expect(throws: Failure.self) { try Converter(options).convert(contentsOfFile: path) }
        #expect(failure?.problem.description == "there is no input 'other'")
    }

    @Test func `options with a name also work for a single input`() throws {
        var options = Converter.Options()
        options.inputs["x", default: InputOptions()].size = ImageSize(width: 6, height: 5)
        options.inputs["x"]?.color = .bgr
        options.inputs["x"]?.bias = [1, 2, 3]
        let image = NodeDefinition(
            name: "x", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([-1, -1, -1, 3])])
        let graph = GraphDefinition(nodes: [image, NodeDefinition(name: "y", op: "Relu", inputs: ["x"])])
        let read = try #require(try Converter(options).convert(graph: graph).model.image)
        #expect((read.width, read.height, read.color, read.scaling.bias) == (6, 5, .bgr, [1, 2, 3]))
    }

    @Test func `commands for one image refuse two`() throws {
        let model = try Converter().convert(contentsOfFile: Fixtures.path("pairs/siamese.pb")).model
        let failure = #expect(throws: Failure.self) { try Classifier(model) }
        #expect(failure?.problem.description == "the model takes 2 inputs, 'left', 'right', not a single image")
        #expect(failure?.code == .unsupportedModel && failure?.names == ["left", "right"])
        var options = Converter.Options()
        options.sizes = .range(width: 8...16, height: 8...16)
        let sizes = #expect(throws: Failure.self) {
            try Converter(options).convert(contentsOfFile: Fixtures.path("pairs/siamese_open.pb"))
        }
        #expect(sizes?.description.contains("the model takes 2 images") == true, "\(sizes?.description ?? "")")
    }
}
