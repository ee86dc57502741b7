import Testing

@testable import Thaw

/// Something that takes a number of threads.
struct ThreadCountCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let call: @Sendable (Int) throws -> Void

    init(_ name: String, _ call: @escaping @Sendable (Int) throws -> Void) {
        (testDescription, self.call) = (name, call)
    }
}

@Suite struct ThreadCountTests {
    private static let network = Fixtures.path("coreml/rgb.mlmodel")
    private static let detector = Fixtures.path("detectors/anchors.mlmodel")
    private static let pipeline = Fixtures.path("pipelines/iris_svc.mlmodel")
    private static let photo = Fixtures.path("photographs/cat.jpg")

    private static func conversion() throws -> Conversion { try Model.load(contentsOfFile: network) }
    private static func model() throws -> Model { try conversion().model }

    static let cases = [
        ThreadCountCase("Program(Graph)") { _ = try Program(model().graph, threads: $0) },
        ThreadCountCase("Program(Model)") { _ = try Program(model(), threads: $0) },
        ThreadCountCase("Program.run") { _ = try Program(model()).run([], threads: $0) },
        ThreadCountCase("Classifier") { _ = try Classifier(model(), threads: $0) },
        ThreadCountCase("Classifier(contentsOfFile:)") { _ = try Classifier(contentsOfFile: network, threads: $0) },
        ThreadCountCase("classify(imagesAt:)") {
            try Classifier(model()).classify(imagesAt: [photo], threads: $0) { _, _ in }
        },
        ThreadCountCase("classify(images:)") {
            try Classifier(model()).classify(images: [ImageFile(path: photo)], threads: $0) { _, _ in }
        },
        ThreadCountCase("ClassificationBatch") { _ = try ClassificationBatch(Classifier(model()), threads: $0) },
        ThreadCountCase("Detector(contentsOfFile:)") { _ = try Detector(contentsOfFile: detector, threads: $0) },
        ThreadCountCase("detect(imagesAt:)") {
            try Detector(contentsOfFile: detector).detect(imagesAt: [photo], threads: $0) { _, _ in }
        },
        ThreadCountCase("detect(images:)") {
            try Detector(contentsOfFile: detector).detect(images: [ImageFile(path: photo)], threads: $0) { _, _ in }
        },
        ThreadCountCase("DetectionBatch") { _ = try DetectionBatch(Detector(contentsOfFile: detector), threads: $0) },
        ThreadCountCase("ModelRunner") { _ = try ModelRunner(ModelDocument(contentsOfFile: network), threads: $0) },
        ThreadCountCase("Pipeline(contentsOfFile:)") { _ = try Pipeline(contentsOfFile: pipeline, threads: $0) },
        ThreadCountCase("PipelineDocument.pipeline") {
            _ = try PipelineDocument(contentsOfFile: pipeline).pipeline(threads: $0)
        },
        ThreadCountCase("Benchmark(Model)") { _ = try Benchmark(model(), threads: $0) },
        ThreadCountCase("Benchmark(PipelineDocument)") {
            _ = try Benchmark(PipelineDocument(contentsOfFile: pipeline), threads: $0)
        },
        ThreadCountCase("Comparison.report") {
            _ = try Comparison(conversion(), conversion()).report(imagesAt: [photo], threads: $0)
        },
        ThreadCountCase("PipelineComparison.report") {
            let pipeline = try Pipeline(contentsOfFile: detector)
            _ = try PipelineComparison(pipeline, pipeline).report(imagesAt: [photo], threads: $0)
        },
        ThreadCountCase("Quantization") {
            var options = Quantization.Options()
            options.threads = $0
            _ = try Quantization(model(), imagesAt: [photo], options: options)
        },
        ThreadCountCase("ImageToImage") {
            var options = ImageToImage.Options()
            options.threads = $0
            _ = try ImageToImage(model(), options: options)
        },
        ThreadCountCase("ImageToImage(contentsOfFile:)") {
            var options = ImageToImage.Options()
            options.threads = $0
            _ = try ImageToImage(contentsOfFile: network, options: options)
        },
    ]

    @Test(arguments: cases, [0, -1, .min])
    func `a number of threads below 1 is refused`(_ tested: ThreadCountCase, _ count: Int) {
        let failure = #expect(throws: Failure.self) { try tested.call(count) }
        #expect(failure?.code == .invalidOption)
        #expect(failure?.description == "threads is \(count); it must be at least 1")
    }
}
