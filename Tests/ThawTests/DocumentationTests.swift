import Foundation
import Testing
import Thaw

/// The code of the articles in Thaw.docc, of the pages in docs, and of the README. It is compiled here, and the test compares
/// it with the text there, line by line. It is not run, because its files are examples.
private enum Articles {
    static func readme() throws {
        let labels = try Labels(contentsOfFile: "labels.txt")
        let model = try Converter().convert(contentsOfFile: "inference.pb", labels: labels).model
        try model.write(toFile: "inference.mlmodel")
        let classification = try Classifier(model).classify(imageAt: "cat.jpg")
        print(classification.top(5).map { "\($0.label): \($0.probability)" })
    }

    static func readmeInAnAsynchronousFunction() async throws {
        let labels = try Labels(contentsOfFile: "labels.txt")
        let model = try Converter().convert(contentsOfFile: "inference.pb", labels: labels).model
        try model.write(toFile: "inference.mlmodel")
        let classification = try Classifier(model).classify(imageAt: "cat.jpg")
        print(classification.top(5).map { "\($0.label): \($0.probability)" })
    }

    static func converting() throws {
        let labels = try Labels(contentsOfFile: "labels.txt")
        let conversion = try Converter().convert(contentsOfFile: "inference.pb", labels: labels)
        for note in conversion.notes + conversion.warnings { print(note) }
        try conversion.model.write(toFile: "inference.mlmodel")
    }

    static func convertingWithOptions() throws -> Conversion {
        var options = Converter.Options()
        options.size = ImageSize(width: 224, height: 224)
        options.color = .bgr
        options.preprocessing = .caffe
        let conversion = try Converter(options).convert(contentsOfFile: "inference.pb")
        return conversion
    }

    static func classifying() throws {
        let classifier = try Classifier(contentsOfFile: "inference.mlmodel")
        let classification = try classifier.classify(imageAt: "cat.jpg")
        for prediction in classification.top(5) { print(prediction.label, prediction.probability) }
    }

    static func classifyingElsewhere(_ classifier: Classifier) async throws -> Classification {
        let classification = try await classifier.classification(ofImageAt: "cat.jpg")
        return classification
    }

    static func classifyingPixels(_ classifier: Classifier) -> Classification {
        let bytes = [UInt8](repeating: 128, count: 640 * 480 * 3)
        let classification = classifier.classify(Pixels(width: 640, height: 480, channels: 3, bytes: bytes))
        return classification
    }

    static func fitting() throws -> Classifier {
        let model = try Model.load(contentsOfFile: "inference.mlmodel").model
        let classifier = try Classifier(model, crop: .center(0.875), resize: .bicubic)
        return classifier
    }

    static func folders(_ classifier: Classifier) throws {
        try classifier.classify(images: ImageFiles(["photos"]), threads: 4) { path, result in
            switch result {
            case .success(let classification): print(path, classification.top(1)[0].label)
            case .failure(let failure): print(failure)
            }
        }
    }

    static func detecting() throws {
        let detector = try Detector(contentsOfFile: "YOLO.mlpackage")
        let objects = try detector.detect(imageAt: "street.jpg").objects
        for object in objects { print(object.label, object.confidence, object.box) }
    }

    static func detectingWithOptions() throws -> Detector {
        var options = Detector.Options()
        options.confidenceThreshold = 0.5
        options.crop = .fit(on: RGBColor(red: 114, green: 114, blue: 114))
        let detector = try Detector(contentsOfFile: "YOLO.mlpackage", options: options)
        return detector
    }

    static func detectingInMany(_ detector: Detector) throws {
        let batch = try DetectionBatch(detector, images: ImageFiles(["photos"]), threads: 4)
        while let (image, result) = batch.next() {
            switch result {
            case .success(let detection): print(image.path, detection.objects.count)
            case .failure(let failure): print(failure)
            }
        }
    }

    static func evaluating(_ detector: Detector) throws {
        let annotations = try COCOAnnotations(contentsOfFile: "instances.json")
        let categories = try annotations.categories(of: detector.labels ?? [])
        var evaluation = DetectionEvaluation(categoryCount: annotations.categories.count)
        for image in annotations.images {
            let objects = try detector.detect(imageAt: "photos/" + image.fileName).objects
            let predictions = objects.compactMap { object in
                categories[object.index].map { category in
                    DetectionEvaluation.Prediction(
                        category: category, box: object.box, confidence: Double(object.confidence))
                }
            }
            evaluation.add(truths: annotations.objects(in: image), predictions: predictions)
        }
        print(evaluation.precision.averagePrecision ?? 0)
    }

    static func runningPipelines() throws {
        let pipeline = try Pipeline(contentsOfFile: "Iris.mlmodel")
        let outputs = try pipeline.run(["input": .multiArray([5.1, 3.5, 1.4, 0.2], shape: [4])])
        for (name, value) in outputs { print(name, value) }
    }

    static func changingPipelines() throws {
        var document = try PipelineDocument(contentsOfFile: "Iris.mlmodel")
        try document.set("A. Author", for: .author)
        try document.write(toFile: "Iris.mlmodel")
    }

    static func quantizing() throws {
        let model = try Model.load(contentsOfFile: "mobilenet.mlmodel").model
        let quantization = try Quantization(model, imagesAt: ImageFiles(["photos"]).paths())
        for warning in quantization.warnings { print(warning) }
        try quantization.write(toFile: "mobilenet8.mlpackage")
    }

    static func quantizingWithPaths() throws {
        let model = try Model.load(contentsOfFile: "mobilenet.mlmodel").model
        let quantization = try Quantization(model, imagesAt: ["cat.jpg", "dog.jpg"])
        try quantization.write(toFile: "mobilenet8.mlpackage")
    }

    static func keepingLayers(_ model: Model, _ photos: [String]) throws {
        var options = Quantization.Options()
        options.maximumChangedShare = 0.01
        let quantization = try Quantization(model, imagesAt: photos, options: options)
        print("\(quantization.keptLayers.count) of \(quantization.layerCount) layers are kept in floating point")
    }

    static func classifyingWithIntegers() throws -> Classification {
        let classifier = try Classifier(contentsOfFile: "mobilenet8.mlpackage", precision: .int8)
        let classification = try classifier.classify(imageAt: "cat.jpg")
        return classification
    }

    static func compressing() throws {
        let compression = try Compression(contentsOfFile: "Net.mlmodel", weights: WeightStorage(.palette6))
        try compression.write(toFile: "Small.mlmodel")
    }

    static func evaluating() throws {
        let classifier = try Classifier(contentsOfFile: "inference.mlmodel")
        let truth = try GroundTruth(contentsOfFile: "test", for: classifier.model)
        var evaluation = Evaluation(classCount: classifier.model.classCount)
        for image in truth.images {
            evaluation.add(try classifier.classify(imageAt: image.path), truth: image.classIndex)
        }
        let right = evaluation.topAccuracy(1)
        print("\(right.value) right, between \(right.interval.lowerBound) and \(right.interval.upperBound)")
    }

    static func measuringLabels(_ model: Model, _ classification: Classification, _ image: GroundTruth.Image) {
        var evaluation = Evaluation(classCount: model.classCount, labelsAreIndependent: model.labelsAreIndependent)
        evaluation.add(classification, truth: image.classIndex, others: image.others)
        for label in evaluation.labels ?? [] {
            print("\(label.index): F1 \(label.best.f1) at \(label.best.value)")
        }
    }

    static func comparing(_ evaluation: Evaluation, _ other: Evaluation) {
        let comparison = PairedComparison(evaluation, other)
        print("\(comparison.onlyFirstCorrect) to \(comparison.onlySecondCorrect)")
        print("p-value: \(comparison.pValue)")
    }

    static func convertingDefinitions() throws -> Model {
        let graph = GraphDefinition(nodes: [
            NodeDefinition(
                name: "input", op: "Placeholder", attributes: ["dtype": .type(.float), "shape": .shape([1, 2, 2, 1])]),
            NodeDefinition(name: "output", op: "Neg", inputs: ["input"]),
        ])
        let model = try Converter().convert(graph: graph).model
        return model
    }

    static func timing(_ model: Model) throws {
        let benchmark = try Benchmark(model, threads: 2, batchSize: 8)
        let times = benchmark.measure(seconds: 1)
        print("\(times.median / Double(benchmark.batchSize) * 1000) ms per image")
    }
}

@Suite struct DocumentationTests {
    private static let root: URL = {
        var url = URL(filePath: #filePath)
        while url.lastPathComponent != "Tests" { url.deleteLastPathComponent() }
        return url.deletingLastPathComponent()
    }()

    private func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    @Test(
        arguments: [
            "README.md", "Sources/Thaw/Thaw.docc/Converting.md", "Sources/Thaw/Thaw.docc/Classifying.md",
            "Sources/Thaw/Thaw.docc/Detecting.md", "Sources/Thaw/Thaw.docc/RunningPipelines.md",
            "Sources/Thaw/Thaw.docc/Quantizing.md", "Sources/Thaw/Thaw.docc/Evaluating.md", "docs/quantizing.md",
            "docs/adding-an-operation.md",
        ])
    func `all code in the documentation is compiled`(_ path: String) throws {
        let article = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        let compiled = lines(try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)).joined(separator: "\n")
        let blocks = article.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        #expect(!blocks.isEmpty)
        for block in blocks {
            // The import is at the top of this file.
            let code = lines(block).filter { $0 != "import Thaw" }.joined(separator: "\n")
            #expect(compiled.contains(code), "\(code)")
        }
    }

    @Test(
        arguments: [
            "README.md", "Sources/Thaw/Thaw.docc/Thaw.md", "Sources/CThaw/include/thaw.h",
            "Sources/ThawService/Page/openapi.json", "Python/thaw/_version.py",
        ])
    func `every file states the same version`(_ path: String) throws {
        let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        #expect(text.contains("\"\(thawVersion)\""))
    }

    @Test func `types that may be shared between threads are Sendable`() {
        // Checked by the compiler.
        func isSendable<Value: Sendable>(_: Value.Type) -> Bool { true }
        #expect(isSendable(Classifier.self) && isSendable(Classification.self) && isSendable(Pixels.self))
        #expect(isSendable(Model.self) && isSendable(Evaluation.self) && isSendable(DecodingOptions.self))
    }

    @Test func `the asynchronous form gives the same result`() async throws {
        let classifier = try Classifier(contentsOfFile: Fixtures.path("coreml/rgb.mlmodel"))
        let path = Fixtures.path("photographs/cat.jpg")
        let expected = try classifier.classify(imageAt: path).probabilities
        let found = try await withThrowingTaskGroup(of: [Float].self) { group in
            for _ in 0..<4 { group.addTask { try await classifier.classification(ofImageAt: path).probabilities } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(found.count == 4 && found.allSatisfy { $0 == expected })
        #expect(try await classifier.classification(of: Pixels(contentsOfFile: path)).probabilities == expected)
        let failure = await #expect(throws: Failure.self) {
            try await classifier.classification(ofImageAt: "/nowhere.jpg")
        }
        #expect(failure?.description == "/nowhere.jpg: no such file")
    }
}
