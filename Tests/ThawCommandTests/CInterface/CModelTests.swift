import Foundation
import Testing

@testable import Thaw

/// Models through the C interface: descriptions, files, and values.
@Suite struct CModelTests {
    private typealias Object = [String: Any]

    @Test func `a quantized model runs in the requested precision`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("m.mlmodel")
        let labels = try Labels(contentsOfFile: Project.demoLabels)
        let conversion = try Model.load(contentsOfFile: Project.demo, labels: labels)
        let photos = ["cat", "coffee", "horse", "rocket"].map(Project.photograph)
        try Quantization(conversion.model, imagesAt: photos).write(toFile: path)
        let program = try CProgram("precision")
        let text = try program.run([path, photos[0], "-", "float32", "bf16", "int8", "auto"])
        let rows = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        // Each by a classifier and by the model itself, which get the same photo resized in the same way.
        let values = Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
        for row in rows { #expect(abs(Double(row[1])! - Double(row[2])!) < 1e-6, "\(row)") }
        for precision in Precision.allCases {
            let classifier = try Classifier(contentsOfFile: path, precision: precision)
            let best = try classifier.classify(imageAt: photos[0]).top(1)[0]
            #expect(values[precision.rawValue] == String(format: "%.9g", best.probability))
        }
        #expect(values["-"] == values["float32"] && values["auto"] == values["int8"])
        #expect(values["float32"] != values["int8"])
    }

    @Test(arguments: CProgram.Checks.allCases)
    func `models are converted, described, written, compressed and read again`(_ checks: CProgram.Checks) throws {
        let folder = try TemporaryFolder()
        let text = try CProgram("save", checks: checks).run(Project.demo, Project.demoLabels, folder.url.path)
        let lines = try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? Object)
        }
        try #require(lines.count == 12)
        let (graph, integers, strings, file) = (lines[0], lines[9], lines[10], lines[11])
        for (description, kind) in [(graph, "graph"), (lines[2], "neuralNetwork"), (lines[6], "mlProgram")] {
            #expect(description["kind"] as? String == kind)
            #expect((description["version"] as? Int == nil) == (kind == "graph"))
            let image = try #require((description["inputs"] as? [Object])?.first)
            #expect(image["type"] as? String == "image" && image["color"] as? String == "bgr")
            #expect(image["width"] as? Int == 32 && image["sizes"] is NSNull)
            let bias = try #require(image["bias"] as? [Double])
            // The graph's own arithmetic on the pixels follows.
            let expected = [-1.00784, -1.01569, -1.02353]
            #expect(zip(bias, expected).allSatisfy { abs($0 - $1) < 1e-4 }, "\(bias)")
            let outputs = try #require(description["outputs"] as? [Object])
            #expect(outputs.map { $0["name"] as? String } == ["odds", "kind"])
            #expect(outputs.map { $0["type"] as? String } == ["dictionary", "string"])
            #expect(outputs[0]["description"] as? String == "How likely")
            let classifier = try #require(description["classifier"] as? Object)
            #expect(classifier["count"] as? Int == 10 && (classifier["labels"] as? [String])?[3] == "cat")
            #expect(classifier["predictedFeatureName"] as? String == "kind")
            let metadata = try #require(description["metadata"] as? Object)
            #expect(metadata["author"] as? String == "A. Author \"quoted\"" && metadata["license"] as? String == "")
            #expect((metadata["userDefined"] as? Object)?["key"] as? String == "value")
        }
        // Compressed, and then written again with another version: as small as before.
        for (report, whole) in [(lines[4], lines[1]), (lines[8], lines[5])] {
            #expect(try #require(report["byteCount"] as? Int) < #require(whole["byteCount"] as? Int) / 2)
        }
        #expect(lines[3]["compressedLayers"] as? Int ?? 0 > 0)
        for name in ["small.mlmodel", "small.mlpackage"] {
            let small = try ModelDocument(contentsOfFile: folder.path(name))
            #expect(small.model.metadata.version == "2" && small.model.metadata.author.hasPrefix("A. Author"))
        }
        #expect((integers["outputs"] as? [Object])?.last?["type"] as? String == "int64")
        #expect((strings["classifier"] as? Object)?["labels"] as? [String] == "abcdefghij".map { String($0) })
        #expect(file["format"] as? String == "frozenGraph" && (file["placeholders"] as? [Object])?.count == 1)
    }

    // MARK: Values

    /// An input as the program takes it.
    private struct Given {
        var name: String
        var tensor: Tensor
    }

    /// The lines that the program prints for a model and its inputs.
    private func outputs(_ program: CProgram, _ model: String, _ inputs: [Given], threads: Int = 1) throws -> [String] {
        let folder = try TemporaryFolder()
        var arguments = [model, "\(threads)"]
        for (index, input) in inputs.enumerated() {
            let file = folder.path("\(index)")
            try Data(input.tensor.bytes).write(to: URL(fileURLWithPath: file))
            let shape = input.tensor.shape.map { "\($0)" }.joined(separator: ",")
            arguments += [input.name, input.tensor.element.rawValue, shape, file]
        }
        return try program.run(arguments).split(separator: "\n").map(String.init)
    }

    private func hex(_ tensor: Tensor) -> String {
        tensor.bytes.map { byte in String(format: "%02x", byte) }.joined()
    }

    @Test func `outputs are those of the library, for images and for several inputs`() throws {
        let program = try CProgram("run")
        let folder = try TemporaryFolder()
        for (graph, inputs) in [
            (Project.demo, [("image", [32, 32, 3])]), (Project.fixture("generators/generator.pb"), []),
            (Project.fixture("pairs/masked.pb"), []),
        ] {
            var options = Converter.Options()
            options.openSize = ImageSize(width: 32, height: 32)
            let conversion = try Converter(options).convert(contentsOfFile: graph)
            let path = folder.path("m.mlmodel")
            try conversion.model.write(toFile: path)
            let document = try ModelDocument(contentsOfFile: path)
            let features = try document.features().inputs
            #expect(inputs.isEmpty || features.count == inputs.count)
            let given = features.map { feature in
                switch feature.kind {
                case .image(let image):
                    let shape = [image.height, image.width] + (image.color == .gray ? [] : [3])
                    return Given(
                        name: feature.name,
                        tensor: Tensor(shape: Shape(shape), element: .uint8) { Double($0 * 37 % 256) })
                case .multiArray(let shape, let type):
                    return Given(
                        name: feature.name, tensor: Tensor(shape: Shape(shape), element: type) { Double($0 % 7) - 3 })
                default: fatalError("not an input")
                }
            }
            let runner = try ModelRunner(document)
            let values = given.map { given in
                let sizes = given.tensor.shape
                guard given.tensor.element == .uint8 else {
                    return (name: Optional(given.name), value: ModelRunner.Value.tensor(given.tensor))
                }
                let pixels = Pixels(
                    width: sizes[1], height: sizes[0], channels: sizes.rank == 2 ? 1 : 3,
                    bytes: Array(given.tensor.bytes))
                return (name: Optional(given.name), value: ModelRunner.Value.pixels(pixels))
            }
            let expected = try runner.run(values).map { output in
                let shape = output.tensor.shape.map { "\($0)" }.joined(separator: ",")
                let type = output.tensor.element == .uint8 ? 6 : 1
                return "\(output.name) \(type) \(shape) \(hex(output.tensor))"
            }
            #expect(!expected.isEmpty)
            #expect(try outputs(program, path, given) == expected)
            #expect(try outputs(program, path, given, threads: 3) == expected)
            #expect(try outputs(program, path, given.reversed()) == expected)
        }
    }

    @Test func `tensors that do not match are refused with a code`() throws {
        let program = try CProgram("run", checks: .address)
        let folder = try TemporaryFolder()
        let image = folder.path("image.mlmodel")
        try Converter().convert(contentsOfFile: Project.demo).model.write(toFile: image)
        let (array, exact) = (Project.fixture("coreml/array.mlmodel"), Project.fixture("coreml/gray.mlmodel"))
        let features = try ModelDocument(contentsOfFile: array).features().inputs
        guard case .multiArray(let shape, _) = features[0].kind else { throw Failure(.wrongType, "no array") }
        func bytes(_ shape: [Int], _ element: ElementType) -> Tensor {
            Tensor(shape: Shape(shape), element: element) { _ in 0 }
        }
        let name = features[0].name
        let gray = try ModelDocument(contentsOfFile: exact).features().inputs
        guard case .image(let size) = gray[0].kind else { throw Failure(.wrongType, "no image") }
        for (model, inputs, code) in [
            (image, [], "1 noInput"),
            (image, [Given(name: "-", tensor: bytes([31, 32, 3], .uint8))], "1 wrongSize"),
            (image, [Given(name: "-", tensor: bytes([32, 32], .uint8))], "1 wrongType"),
            (image, [Given(name: "-", tensor: bytes([32, 32, 2], .uint8))], "1 wrongShape"),
            (image, [Given(name: "-", tensor: bytes([32, 32, 3], .float32))], "1 wrongType"),
            (image, [Given(name: "none", tensor: bytes([32, 32, 3], .uint8))], "1 noSuchFeature"),
            (array, [Given(name: name, tensor: bytes([1, 1, 1, 1, 1], .float32))], "1 wrongShape"),
            (
                array,
                [
                    Given(name: name, tensor: bytes(shape, .float32)),
                    Given(name: name, tensor: bytes(shape, .float32)),
                ], "1 invalidOption"
            ),
            (exact, [Given(name: "-", tensor: bytes([size.height, size.width, 3], .uint8))], "1 wrongType"),
        ] {
            #expect(try outputs(program, model, inputs) == [code], "\(inputs)")
        }
        // A fourth channel is ignored: Pillow holds RGB images in four bytes per pixel.
        func colors(channels: Int) -> Given {
            let tensor = Tensor(shape: [32, 32, channels], element: .uint8) { index in
                let (pixel, channel) = index.quotientAndRemainder(dividingBy: channels)
                return channel == 3 ? 99 : Double((7 * pixel + 41 * channel) % 256)
            }
            return Given(name: "-", tensor: tensor)
        }
        #expect(
            try outputs(program, image, [colors(channels: 4)]) == outputs(program, image, [colors(channels: 3)]))
        // Integers and halves are converted, and a batch of one may be there or not.
        for type in [ElementType.float32, .float16, .float64, .int32, .int64, .uint8] {
            for given in [shape, [1] + shape] {
                let tensor = Tensor(shape: Shape(given), element: type) { Double($0 % 3) }
                let lines = try outputs(program, array, [Given(name: name, tensor: tensor)])
                let plain = Tensor(shape: Shape(shape), element: .float32) { Double($0 % 3) }
                #expect(try lines == outputs(program, array, [Given(name: name, tensor: plain)]), "\(type)")
            }
        }
    }
}
