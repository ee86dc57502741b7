import Foundation
import Testing

@testable import Thaw

/// Models in memory and on disk, and their values as Core ML has them.
@Suite struct ModelDocumentTests {
    private static func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    @Test(arguments: Fixtures.table("coreml/coreml.tsv").map { $0[0] })
    func `a model that is written in its own format keeps its bytes`(_ name: String) throws {
        let path = Fixtures.path("coreml/\(name).mlmodel")
        let data = try Self.bytes(path)
        let document = try data.withUnsafeBytes { try ModelDocument(decoding: $0) }
        // Protobuf allows several orders of fields; a model is written in the order in which it was read.
        let again = try document.bytes()
        #expect(again.weights == nil)
        let (first, second) = (
            try Message(.model, reading: data.withUnsafeBytes(ByteView.init(copying:))),
            try Message(.model, reading: again.model.withUnsafeBytes(ByteView.init(copying:)))
        )
        #expect(first == second)
    }

    /// protobuf writes the fields of proto3 in order, and without defaults: with the same size, nothing is lost.
    @Test(
        arguments: ["inputs/updatable"]
            + ["iris_neighbors", "iris_svc", "iris_tree", "xgboost_classes"].map { "pipelines/" + $0 })
    func `coremltools' models keep what Thaw does not need`(_ name: String) throws {
        let path = Fixtures.path(name + ".mlmodel")
        let data = try Self.bytes(path)
        let isPipeline = try Pipeline.isPipeline(contentsOfFile: path)
        let again =
            try isPipeline
            ? PipelineDocument(contentsOfFile: path).bytes().model : ModelDocument(contentsOfFile: path).bytes().model
        #expect(again.count == data.count)
    }

    @Test(arguments: ["m.mlmodel", "m.mlpackage"])
    func `only the metadata change`(_ name: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: name).path
        let graph = try Converter().convert(contentsOfFile: Fixtures.path("pairs/masked.pb"))
        try graph.model.write(toFile: path, weights: WeightStorage(.palette4, minimumCount: 8))
        var document = try ModelDocument(contentsOfFile: path)
        let before = try document.bytes()
        let feature = try document.features().inputs[0].name
        try document.set("A. Author", for: .author)
        try document.set("value", for: .userDefined("key"))
        try document.set("An input", for: .feature(feature))
        #expect(throws: Failure.self) { try document.set("x", for: .feature("none")) }
        try document.write(toFile: path)
        var again = try ModelDocument(contentsOfFile: path)
        #expect(again.model.metadata.author == "A. Author" && again.model.metadata.userDefined == ["key": "value"])
        #expect(try again.features().inputs[0].text == "An input")
        #expect(try again.bytes().weights == before.weights)
        try again.set(nil, for: .author)
        try again.set(nil, for: .userDefined("key"))
        try again.set(nil, for: .feature(feature))
        #expect(again.model.metadata.author.isEmpty && again.model.metadata.userDefined.isEmpty)
        #expect(try again.features().inputs[0].text.isEmpty)
    }

    @Test(arguments: [("array", [3]), ("array_exact", [1, 3])])
    func `an output without a shape has that of the network, without the batch in the older form`(
        _ name: String, _ shape: [Int]
    ) throws {
        let document = try ModelDocument(contentsOfFile: Fixtures.path("coreml/\(name).mlmodel"))
        let (inputs, outputs) = try document.features()
        #expect(outputs.map(\.kind) == [.multiArray(shape: shape, type: .float64)])
        guard case .multiArray(let inputShape, _) = inputs[0].kind else { throw Failure(.wrongType, "no array") }
        let value = Tensor(shape: Shape(inputShape), element: .float32) { Double($0 % 7) }
        let results = try ModelRunner(document).run([(nil, .tensor(value))])
        #expect(results.map(\.tensor.shape) == [Shape(shape)])
    }

    @Test func `messages about data in memory have a subject`() {
        let text = Array("Dear Sir or Madam".utf8)
        let model = #expect(throws: Failure.self) { try text.withUnsafeBytes { try ModelDocument(decoding: $0) } }
        #expect(model?.description == "the model is a text file; expected a Core ML model")
        let graph = #expect(throws: Failure.self) {
            try text.withUnsafeBytes { try GraphDefinition(decoding: $0) }
        }
        #expect(graph?.description == "the graph is a text file; expected a serialized GraphDef")
    }

    @Test func `a program in memory needs its weights`() throws {
        let model = try Converter().convert(contentsOfFile: Fixtures.path("pairs/masked.pb"))
        let document = ModelDocument(model)
        #expect(throws: Failure.self) { try document.bytes() }
        let bytes = try document.bytes(as: .coreMLPackage)
        let weights = try #require(bytes.weights)
        let read = try bytes.model.withUnsafeBytes { model in
            try weights.withUnsafeBytes { try ModelDocument(decoding: model, weights: $0) }
        }
        #expect(read.format == .coreMLPackage && read.model.graph.inputs.count == 2)
        let failure = #expect(throws: Failure.self) {
            try bytes.model.withUnsafeBytes { try ModelDocument(decoding: $0) }
        }
        #expect(failure?.code == .incomplete)
    }

    // MARK: Values

    @Test(arguments: Fixtures.table("coreml/coreml.tsv").map { ($0[0], $0[1]) })
    func `a runner gives TensorFlow's values`(_ name: String, _ image: String) throws {
        let document = try ModelDocument(contentsOfFile: Fixtures.path("coreml/\(name).mlmodel"))
        let runner = try ModelRunner(document)
        for index in 0...1 {
            let input = try Tensor(contentsOfNumPyFile: Fixtures.path("coreml/\(name).input\(index).npy"))
            let expected = try Tensor(contentsOfNumPyFile: Fixtures.path("coreml/\(name).output\(index).npy"))
            var value = ModelRunner.Value.tensor(input)
            switch runner.inputs[0].kind {
            case .image:
                let sizes = Array(input.shape.suffix(3))
                value = .pixels(
                    Pixels(width: sizes[1], height: sizes[0], channels: sizes[2], bytes: input.floats.map { UInt8($0) })
                )
            case .multiArray(let shape, _): value = .tensor(input.reshaped(Shape(shape)))
            default: break
            }
            let outputs = try runner.run([(nil, value)])
            let values = outputs[0].tensor
            #expect(difference(Tensor(values.floats, shape: expected.shape), expected) <= referenceTolerance)
        }
    }

    @Test func `apply writes an image output`() throws {
        var options = Converter.Options()
        options.openSize = ImageSize(width: 64, height: 48)
        let model = try Converter(options).convert(contentsOfFile: Fixtures.path("generators/generator.pb")).model
        let runner = try ModelRunner(ModelDocument(Conversion(model: model, notes: [], warnings: [])))
        let image = try #require(model.image)
        let pixels = try Pixels(contentsOfFile: Fixtures.path("generators/cat.png"))
            .fitted(width: image.width, height: image.height)
        let output = try #require(try runner.run([(nil, .pixels(pixels))]).first)
        let applied = try ImageToImage(model).apply(to: pixels)
        #expect(output.tensor.element == .uint8)
        #expect(output.tensor.shape.dimensions == [applied.height, applied.width, 3])
        #expect(Array(output.tensor.bytes) == applied.bytes)
    }

    // MARK: Graphs in memory

    @Test func `a graph in memory converts like its file, with variables as tensors`() throws {
        let path = Fixtures.path("pairs/masked.pb")
        let data = try Self.bytes(path)
        let fromMemory = try data.withUnsafeBytes { try Converter().convert(decoding: $0) }
        let fromFile = try Converter().convert(contentsOfFile: path)
        #expect(
            try ModelDocument(fromMemory).bytes(as: .coreML).model == ModelDocument(fromFile).bytes(as: .coreML).model)
        #expect(throws: Failure.self) {
            try Data("text".utf8).withUnsafeBytes { try Converter().convert(decoding: $0) }
        }
    }

    @Test func `an input with a shape becomes a multi-array`() throws {
        var options = Converter.Options()
        let path = Fixtures.path("generators/generator.pb")
        options.size = ImageSize(width: 32, height: 32)
        let image = try Converter(options).convert(contentsOfFile: path).model
        let shape = image.graph[image.graph.inputs[0].value].shape.dimensions
        for isNamed in [false, true] {
            var options = Converter.Options()
            if isNamed {
                var input = InputOptions()
                input.shape = shape
                options.inputs[image.graph.inputs[0].name] = input
            } else {
                options.shape = shape
            }
            let model = try Converter(options).convert(contentsOfFile: path).model
            #expect(model.image == nil && model.graph[model.graph.inputs[0].value].shape.dimensions == shape)
        }
        options = Converter.Options()
        options.shape = [1, 2]
        let failure = #expect(throws: Failure.self) { try Converter(options).convert(contentsOfFile: path) }
        #expect(failure?.code == .wrongShape)
    }

    @Test func `labels of a program are checked and made distinct`() throws {
        #expect(try Labels(["a", "b", "a"]).names == ["a (0)", "b", "a (2)"])
        let many = try Labels([String](repeating: "a", count: 20)).warnings
        #expect(many.map(\.description).joined().hasSuffix("'a (10)', 'a (11)' and 8 more"))
        #expect(throws: Failure.self) { try Labels([]) }
        #expect(throws: Failure.self) { try Labels(["a", ""]) }
    }
}
