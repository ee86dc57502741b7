import Foundation
import Testing
import Thaw
import ThawFoundation

/// A file, and what a function with a path and its form with a URL return for it, as text.
struct URLCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let file: URL
    let withPath: @Sendable (String) throws -> String
    let withURL: @Sendable (URL) throws -> String

    init<Value>(
        _ name: String, _ file: String, path: @escaping @Sendable (String) throws -> Value,
        url: @escaping @Sendable (URL) throws -> Value
    ) {
        (testDescription, self.file) = (name, Repository.root.appending(path: file))
        withPath = { String(describing: try path($0)) }
        withURL = { String(describing: try url($0)) }
    }
}

/// The folder of the package.
enum Repository {
    static let root: URL = {
        var url = URL(filePath: #filePath)
        while url.lastPathComponent != "Tests" { url.deleteLastPathComponent() }
        return url.deletingLastPathComponent()
    }()
}

@Suite struct URLFormTests {
    private static let network = "Tests/Fixtures/coreml/rgb.mlmodel"
    private static let photo = "Tests/Fixtures/photographs/cat.jpg"
    private static let detector = "Tests/Fixtures/detectors/anchors.mlmodel"
    private static let shapes = "Tests/Fixtures/detectors/shapes0.png"
    private static let pipeline = "Tests/Fixtures/pipelines/cancer_tree.mlmodel"
    private static let functions = "Tests/Fixtures/sequences/functions.mlpackage"
    private static let annotations = "Tests/Fixtures/detectors/coco/plain.truth.json"
    private static let weights = WeightStorage(.palette6)

    private static func path(_ file: String) -> String { Repository.root.appending(path: file).path }

    private static func loadedDetector() throws -> Detector { try Detector(contentsOfFile: path(detector)) }

    private static func comparison() throws -> PipelineComparison {
        let pipeline = try Pipeline(contentsOfFile: path(detector))
        return try PipelineComparison(pipeline, pipeline)
    }

    private static func loadedModel() throws -> Model {
        try Model.load(contentsOfFile: path("Models/cifar10.pb")).model
    }

    /// Collects the results that `body` passes to a function.
    private static func results<Value>(
        _ body: ((String, Result<Value, Failure>) -> Void) throws -> Void
    ) rethrows -> [String] {
        var results: [String] = []
        try body { results.append("\($0) \($1)") }
        return results
    }

    static let cases = [
        URLCase("Pipeline(contentsOf:)", pipeline) {
            try Pipeline(contentsOfFile: $0).inputs
        } url: {
            try Pipeline(contentsOf: $0).inputs
        },
        URLCase("isPipeline(contentsOf:), a pipeline", pipeline) {
            try Pipeline.isPipeline(contentsOfFile: $0)
        } url: {
            try Pipeline.isPipeline(contentsOf: $0)
        },
        URLCase("isPipeline(contentsOf:), a network", network) {
            try Pipeline.isPipeline(contentsOfFile: $0)
        } url: {
            try Pipeline.isPipeline(contentsOf: $0)
        },
        URLCase("PipelineDocument(contentsOf:)", pipeline) {
            try PipelineDocument(contentsOfFile: $0).bytes().model
        } url: {
            try PipelineDocument(contentsOf: $0).bytes().model
        },
        URLCase("ModelFormat(of:)", functions) {
            try ModelFormat(of: $0)
        } url: {
            try ModelFormat(of: $0)
        },
        URLCase("COCOAnnotations(contentsOf:)", annotations) {
            try COCOAnnotations(contentsOfFile: $0).images
        } url: {
            try COCOAnnotations(contentsOf: $0).images
        },
        URLCase("Detector(contentsOf:)", detector) {
            try Detector(contentsOfFile: $0).labels
        } url: {
            try Detector(contentsOf: $0).labels
        },
        URLCase("detect(imageAt:)", shapes) {
            try loadedDetector().detect(imageAt: $0)
        } url: {
            try loadedDetector().detect(imageAt: $0)
        },
        URLCase("detect(imagesAt:)", shapes) { file in
            try results { try loadedDetector().detect(imagesAt: [file], threads: 2, $0) }
        } url: { file in
            try results { try loadedDetector().detect(imagesAt: [file], threads: 2, $0) }
        },
        URLCase("classify(imagesAt:)", photo) { file in
            try results { try Classifier(contentsOfFile: path(network)).classify(imagesAt: [file], threads: 2, $0) }
        } url: { file in
            try results { try Classifier(contentsOfFile: path(network)).classify(imagesAt: [file], threads: 2, $0) }
        },
        URLCase("PipelineComparison.report(imagesAt:)", shapes) {
            try comparison().report(imagesAt: [$0]).imageCount
        } url: {
            try comparison().report(imagesAt: [$0]).imageCount
        },
        URLCase("Quantization(imagesAt:)", photo) {
            try Quantization(loadedModel(), imagesAt: [$0]).layerCount
        } url: {
            try Quantization(loadedModel(), imagesAt: [$0]).layerCount
        },
        URLCase("Compression(contentsOf:function:)", functions) {
            try Compression(contentsOfFile: $0, weights: weights, function: "double").original.model.graph
        } url: {
            try Compression(contentsOf: $0, weights: weights, function: "double").original.model.graph
        },
    ]

    @Test(arguments: cases) func `a URL gives the same as its path`(_ tested: URLCase) throws {
        #expect(try tested.withURL(tested.file) == tested.withPath(tested.file.path))
    }

    @Test func `pipelines, quantized models and functions in memory are written to URLs and read from data`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ThawFoundationTests-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        let written = folder.appending(path: "pipeline.mlmodel")
        let document = try PipelineDocument(contentsOf: Repository.root.appending(path: Self.pipeline))
        try document.write(to: written)
        let data = try Data(contentsOf: written)
        #expect(try Data(document.bytes().model) == data)
        #expect(try PipelineDocument(decoding: data).pipeline.inputs == document.pipeline.inputs)
        #expect(try Pipeline.isPipeline(decoding: data))

        let photo = Repository.root.appending(path: Self.photo)
        try Quantization(Self.loadedModel(), imagesAt: [photo]).write(to: folder.appending(path: "small.mlmodel"))
        #expect(try Model.load(contentsOf: folder.appending(path: "small.mlmodel")).model.isQuantized)

        let functions = try ModelDocument(contentsOf: Repository.root.appending(path: Self.functions)).bytes()
        let (model, weights) = (Data(functions.model), functions.weights.map { Data($0) })
        let graph = try Model.load(decoding: model, weights: weights, function: "double").model.graph
        #expect(graph.outputs.map(\.name) == ["doubled"])
    }

    @Test func `an image at a URL that is not of a file is a separate failure`() throws {
        let url = try #require(URL(string: "https://example.com/cat.jpg"))
        let image = ImageFile(at: url)
        #expect(image.path == "https://example.com/cat.jpg" && image.failure?.code == .noSuchFile)
        let photo = Repository.root.appending(path: Self.photo)
        var failures = 0
        let classifier = try Classifier(contentsOfFile: Self.path(Self.network))
        try classifier.classify(imagesAt: [url, photo], threads: 2) { _, result in
            if case .failure = result { failures += 1 }
        }
        #expect(failures == 1)
    }

    // MARK: Completeness

    /// The public functions in a module's sources with a path or a URL, as `Type.function(label)`.
    private static func publicFunctions(
        in module: String, with parameter: Regex<(Substring, Substring?, Substring)>
    ) throws -> Set<String> {
        var found: Set<String> = []
        let folder = Repository.root.appending(path: "Sources/\(module)")
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where file.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            var type = ""
            // A declaration, from its first line to its brace.
            var declaration: String?
            for line in text.split(separator: "\n") {
                if let match = line.firstMatch(of: /^(?:public |final )*(?:struct|class|enum|extension) (\w+)/) {
                    type = String(match.1)
                }
                if line.contains(/^ +public .*\b(?:init|func)\b/) { declaration = "" }
                declaration? += line
                guard let whole = declaration, line.contains("{") else { continue }
                declaration = nil
                guard let name = whole.firstMatch(of: /\b(?:func (\w+)|init)\b/) else { continue }
                for match in whole.matches(of: parameter) {
                    found.insert("\(type).\(name.1 ?? "init")(\(match.1 ?? match.2))")
                }
            }
        }
        return found
    }

    @Test func `every function with a path has a form with a URL`() throws {
        let withPath = try Self.publicFunctions(
            in: "Thaw", with: /(?:\b(\w+) )?\b(paths?): (?:String|\[String\]|some Seq)/)
        let withURL = try Self.publicFunctions(
            in: "ThawFoundation", with: /(?:\b(\w+) )?\b(urls?): (?:URL|\[URL\]|some Seq)/)
        // They name a file in a failure, and the photo of a class.
        let others: Set = ["Failure.inFile(_)", "GroundTruth.init(at)"]
        let expected = withPath.map { name in
            name.replacing("(contentsOfFile)", with: "(contentsOf)").replacing("(toFile)", with: "(to)")
                .replacing("(path)", with: "(at)")
        }
        #expect(expected.count > 25)
        let missing = Set(expected).subtracting(others).subtracting(withURL)
        #expect(missing.isEmpty, "\(missing.sorted())")
    }
}
