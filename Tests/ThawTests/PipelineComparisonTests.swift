import Foundation
import Testing

@testable import Thaw

/// Two pipelines on the same images.
@Suite struct PipelineComparisonTests {
    private static let images = (0..<2).map { Fixtures.path("detectors/shapes\($0).png") }

    /// The detector with anchors, after a change of its suppression.
    private static func detector(_ change: (inout Message) -> Void = { _ in }) throws -> Pipeline {
        let data = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path("detectors/anchors.mlmodel")))
        var model = try Message(.model, reading: data.withUnsafeBytes { ByteView(copying: $0) })
        var models: [Message] = model.pipeline.models
        var suppression: Message = models[models.count - 1].nonMaximumSuppression
        change(&suppression)
        models[models.count - 1].nonMaximumSuppression = suppression
        model.pipeline.models = models
        return try Pipeline(model)
    }

    @Test func `a detector agrees with itself`() throws {
        let report = try PipelineComparison(Self.detector(), Self.detector()).report(imagesAt: Self.images, threads: 2)
        #expect(report.imageCount == 2 && report.agrees && report.largest?.difference.absolute == 0)
    }

    @Test func `different numbers of boxes are an infinite difference`() throws {
        let strict = try Self.detector { $0.confidenceThreshold = 0.999 }
        let report = try PipelineComparison(Self.detector(), strict).report(imagesAt: Self.images)
        #expect(!report.agrees && report.largest?.difference.relative == .infinity)
    }

    @Test func `outputs that are NaN in both are a warning`() throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path("coreml/rgb.mlmodel")))
        var model = try Message(.model, reading: data.withUnsafeBytes { ByteView(copying: $0) })
        var layers: [Message] = model.neuralNetworkClassifier.layers
        let dense = try #require(layers.lastIndex { $0.choice == "innerProduct" })
        let biases = [Float](repeating: .nan, count: layers[dense].innerProduct.outputChannels)
        layers[dense].innerProduct.hasBias = true
        layers[dense].innerProduct.bias.floatValue = biases.withUnsafeBytes { ByteView(copying: $0) }
        model.neuralNetworkClassifier.layers = layers
        let report = try PipelineComparison(Pipeline(model), Pipeline(model)).report(imagesAt: Self.images)
        #expect(report.agrees && report.warnings.map(\.image) == Self.images)
        #expect(report.warnings.map(\.warning.code) == [.notANumber, .notANumber])
        #expect(report.warnings.first?.warning.description == "'probabilities' contains NaN")
    }

    @Test func `a file that is not an image is a separate failure`() throws {
        let paths = [Self.images[0], Fixtures.path("detectors/objects.jsonl")]
        let report = try PipelineComparison(Self.detector(), Self.detector()).report(imagesAt: paths)
        #expect(report.imageCount == 1 && report.failures.map(\.image) == [paths[1]])
    }
}
