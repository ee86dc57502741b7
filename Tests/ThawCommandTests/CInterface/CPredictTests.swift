import Foundation
import Testing

@testable import Thaw

/// Pipelines and detectors through the C interface.
@Suite struct CPredictTests {
    /// The arguments that the test program takes for a value.
    private func arguments(_ value: FeatureValue) -> [String] {
        func numbers(_ numbers: [Double]) -> String { numbers.map { "\($0)" }.joined(separator: ",") }
        switch value {
        case .integer(let number): return ["integer", "\(number)"]
        case .number(let number): return ["number", "\(number)"]
        case .string(let text): return ["string", text]
        case .multiArray(let values, let shape):
            return ["array", shape.map { "\($0)" }.joined(separator: ",") + ":" + numbers(values)]
        case .dictionary(let entries):
            let texts = entries.map { entry in
                if case .integer(let key) = entry.key { return "#\(key)=\(entry.value)" }
                return "\(entry.key)=\(entry.value)"
            }
            return ["dictionary", texts.joined(separator: ",")]
        case .image: return []
        }
    }

    /// A value as the test program prints it.
    private func printed(_ value: FeatureValue, _ element: ElementType) -> String {
        func text(_ number: Double) -> String { String(format: "%.17g", number) }
        switch value {
        case .integer(let number): return "integer \(number)"
        case .number(let number): return "number \(text(number))"
        case .string(let string): return "string \(string)"
        case .multiArray(let values, let shape):
            let type = [ElementType.float32: 1, .float64: 3, .int32: 9][element] ?? 0
            let sizes = shape.map { "\($0)" }.joined(separator: ",")
            return (["array \(type) \(sizes)"] + values.map(text)).joined(separator: " ")
        case .dictionary(let entries):
            let texts = entries.map { entry in
                if case .integer(let key) = entry.key { return "#\(key)=\(text(entry.value))" }
                return "\(entry.key)=\(text(entry.value))"
            }
            return (["dictionary"] + texts).joined(separator: " ")
        case .image(let pixels): return "image \(pixels.width)x\(pixels.height)x\(pixels.channels)"
        }
    }

    private func expected(_ pipeline: Pipeline, _ inputs: [String: FeatureValue]) throws -> String {
        try zip(pipeline.run(inputs), pipeline.outputs).map { output, feature in
            "\(output.name) \(printed(output.value, feature.element))\n"
        }.joined()
    }

    @Test func `pipelines return the same through C as in Swift`() throws {
        let program = try CProgram("predict", checks: .address)
        for name in [
            "iris_logistic", "iris_tree", "digits_logistic", "dictionary", "one_hot", "diabetes_ridge",
            "hand_categories",
            "hand_network", "only_scaler", "wine_neighbors", "xgboost_binary",
        ] {
            let path = Project.fixture("pipelines/\(name).mlmodel")
            let pipeline = try Pipeline(contentsOfFile: path)
            let row = try #require(
                pipeline.rows(inFile: Project.fixture("pipelines/\(name).jsonl"), of: "inputs").first)
            let values = pipeline.inputs.compactMap { input in row[input.name].map { (input.name, $0) } }
            let given = values.flatMap { [$0.0] + arguments($0.1) }
            #expect(try program.run([path] + given) == expected(pipeline, row), "\(name)")
        }
    }

    @Test func `image pipelines and networks return the same through C as in Swift`() throws {
        let program = try CProgram("predict", checks: .address)
        let path = Project.fixture("detectors/yolo8.mlpackage")
        let photo = Project.fixture("detectors/shapes0.png")
        let pipeline = try Pipeline(contentsOfFile: path)
        guard case .image(let image) = pipeline.inputs[0].type else { throw Failure.noImageInput() }
        let pixels = FeatureValue.image(try Pixels(contentsOfFile: photo).feature(for: image))
        let all: [String: FeatureValue] = ["image": pixels, "confidenceThreshold": .number(0.2)]
        #expect(try program.run(path, "image", "image", photo) == expected(pipeline, ["image": pixels]))
        #expect(
            try program.run(path, "confidenceThreshold", "number", "0.2", "image", "image", photo)
                == expected(pipeline, all))

        // A network with labels: an image of another size is resized.
        let folder = try TemporaryFolder()
        let network = folder.path("network.mlmodel")
        let labels = try Labels(contentsOfFile: Project.demoLabels)
        try Converter().convert(contentsOfFile: Project.demo, labels: labels).model.write(toFile: network)
        let cat = Project.photograph("cat")
        let top = try Classifier(contentsOfFile: network).classify(imageAt: cat).top(1)[0]
        let lines = try program.run(network, "-", "image", cat).split(separator: "\n")
        #expect(lines.count == 2)
        let probability = String(format: "%.17g", Double(top.probability))
        #expect(lines.contains { $0.hasSuffix(" string \(labels.names[top.index])") })
        #expect(
            lines.contains { $0.contains(" dictionary ") && $0.contains("\(labels.names[top.index])=\(probability)") })
    }

    @Test func `the shapes of a pipeline's arrays are described`() throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: Project.fixture("inputs/enumerated_network.mlmodel")))
        let network = try Message(.model, reading: data.withUnsafeBytes { ByteView(copying: $0) })
        var pipeline = Message(.model)
        pipeline.specificationVersion = 4
        pipeline["description"] = network["description"] as Message
        pipeline.pipeline.models = [network]
        let folder = try TemporaryFolder()
        let path = folder.path("pipeline.mlmodel")
        try Data(pipeline.encoded()).write(to: URL(fileURLWithPath: path))
        let text = try CProgram("describe").run(path)
        let description = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(description["kind"] as? String == "pipeline")
        let input = try #require((description["inputs"] as? [[String: Any]])?.first)
        let shapes = input["shapes"] as? [String: [[Int]]]
        #expect(shapes == ["enumerated": [[1, 2, 6, 8], [1, 2, 4, 4], [1, 2, 5, 9]]], "\(input)")
        let output = try #require((description["outputs"] as? [[String: Any]])?.first)
        #expect(output["type"] as? String == "multiArray" && output["shapes"] != nil, "\(output)")
    }

    @Test func `pipeline values that do not match are refused with a code`() throws {
        let program = try CProgram("predict", checks: .address)
        let iris = Project.fixture("pipelines/iris_logistic.mlmodel")
        let scaler = Project.fixture("pipelines/only_scaler.mlmodel")
        let categories = Project.fixture("pipelines/hand_categories.mlmodel")
        let dictionary = Project.fixture("pipelines/dictionary.mlmodel")
        let network = Project.fixture("coreml/array.mlmodel")
        for (arguments, code) in [
            ([iris], "1 noInput"),
            ([iris, "nothing", "number", "1"], "1 noSuchFeature"),
            ([scaler, "-", "string", "x"], "1 wrongType"),
            ([scaler, "-", "array", "2:1,2"], "1 wrongType"),
            ([scaler, "-", "image", "missing.png"], "1 noSuchFile"),
            ([categories, "-", "number", "1"], "1 ambiguousInputs"),
            ([categories, "size", "number", "1", "size", "number", "2"], "1 invalidOption"),
            ([dictionary, "-", "dictionary", "#1=1"], "1 wrongType"),
            ([dictionary, "-", "dictionary", "#1=1,a=2"], "1 wrongType"),
            ([network, "-", "number", "1"], "1 wrongType"),
            ([network, "-", "other", "1"], "2 invalidArgument"),
        ] {
            #expect(try program.run(arguments) == code + "\n", "\(arguments)")
        }
    }

    @Test(arguments: CProgram.Checks.allCases)
    func `objects are detected through C as in Swift`(_ checks: CProgram.Checks) throws {
        let folder = try TemporaryFolder()
        let damaged = try folder.write("\u{FFFD}", to: "damaged.jpg")
        for file in ["yolo8.mlpackage", "anchors.mlmodel"] {
            let (model, photo) = (Project.fixture("detectors/\(file)"), Project.fixture("detectors/shapes0.png"))
            var options = Detector.Options()
            options.crop = .fit(on: try #require(RGBColor(hexadecimal: "#727272")))
            options.decoding.background = RGBColor(hexadecimal: "#727272")
            (options.confidenceThreshold, options.iouThreshold) = (0.2, 0.6)
            let detection = try Detector(contentsOfFile: model, options: options).detect(imageAt: photo)
            #expect(!detection.objects.isEmpty)
            let lines = detection.objects.map { object in
                let box = [object.box.x, object.box.y, object.box.width, object.box.height]
                return
                    (["\(object.label)", "\(object.index)", String(format: "%.9g", object.confidence)]
                    + box.map { String(format: "%.17g", $0) }).joined(separator: "\t")
            }
            let text = try CProgram("detect", checks: checks).run(model, photo, damaged)
            let expected = ["\(detection.width)x\(detection.height)"] + lines + ["unknownFormat", "noSuchFile"]
            #expect(text.split(separator: "\n").map(String.init) == expected)
        }
    }

    @Test func `a pipeline is described, changed, written and read again`() throws {
        let folder = try TemporaryFolder()
        for (file, written) in [
            ("pipelines/iris_logistic.mlmodel", "a.mlmodel"), ("detectors/yolo8.mlpackage", "b.mlpackage"),
        ] {
            var document = try PipelineDocument(contentsOfFile: Project.fixture(file))
            try document.set("A. Author", for: .author)
            try document.set("what goes in", for: .feature(document.pipeline.inputs[0].name))
            let path = folder.path(written)
            try document.write(toFile: path)
            let again = try PipelineDocument(contentsOfFile: path)
            #expect(again.metadata.author == "A. Author" && again.pipeline.inputs[0].text == "what goes in")
            #expect(again.pipeline.stages == document.pipeline.stages)
            let bytes = try again.bytes()
            #expect((bytes.weights != nil) == again.isPackage)
            let copy = try bytes.model.withUnsafeBytes { model in
                try (bytes.weights ?? []).withUnsafeBytes { weights in
                    try PipelineDocument(decoding: model, weights: weights.isEmpty ? nil : weights)
                }
            }
            #expect(copy.pipeline.outputs == document.pipeline.outputs)
            #expect(throws: Failure.self) { try document.set("x", for: .feature("nowhere")) }
            let wrong = folder.path(again.isPackage ? "c.mlmodel" : "c.mlpackage")
            let failure = #expect(throws: Failure.self) { try document.write(toFile: wrong) }
            #expect(failure?.code == .unknownFormat)
        }
    }
}

extension Pipeline {
    /// The rows of a file with expected outputs: the inputs on each line.
    fileprivate func rows(inFile path: String, of member: String) throws -> [[String: FeatureValue]] {
        try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: UInt8(ascii: "\n")).map { line in
            let json = try Array(line).withUnsafeBytes { try JSON($0) }
            return try row(json: #require(json[member]).text)
        }
    }
}
