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

    @Test func `a file that is not an image is a separate failure`() throws {
        let paths = [Self.images[0], Fixtures.path("detectors/objects.jsonl")]
        let report = try PipelineComparison(Self.detector(), Self.detector()).report(imagesAt: paths)
        #expect(report.imageCount == 1 && report.failures.map(\.image) == [paths[1]])
    }
}
