import CThaw
import Thaw
import ThawCommand

/// The object of a detector handle.
final class CDetector: Sendable {
    let detector: Detector
    let background: RGBColor?

    init(_ model: CModel, _ pointer: UnsafePointer<thaw_detector_options>?) throws {
        let given = try options(pointer, "options")
        let images = try ImageOptions(given)
        background = images.background
        var options = Detector.Options()
        (options.crop, options.resize, options.decoding) = (images.crop, images.resize, images.decoding)
        options.confidenceThreshold = try threshold(given?.confidence, "options.confidence", 0...Double.infinity)
        options.iouThreshold = try threshold(given?.iou, "options.iou", 0...1)
        guard case .pipeline(let document) = model.content else { throw Failure.noPipeline() }
        let pipeline = try model.pipeline(document, images.precision, threads: images.threads)
        detector = try Detector(pipeline, options: options)
    }
}

/// A threshold; nil for NULL.
private func threshold(
    _ pointer: UnsafePointer<Double>?, _ name: String, _ range: ClosedRange<Double>
) throws -> Double? {
    guard let pointer else { return nil }
    guard range.contains(pointer.pointee) else { throw Failure.threshold(name, pointer.pointee, range) }
    return pointer.pointee
}

@_cdecl("thaw_detector_create")
public func createDetector(
    _ model: OpaquePointer?, _ options: UnsafePointer<thaw_detector_options>?, _ detector: HandleResult?,
    _ error: HandleResult?
) -> thaw_status {
    detector?.pointee = nil
    return call(error) {
        let detector = try required(detector, "detector")
        detector.pointee = Handles.shared.add(try CDetector(object(model, "model"), options))
    }
}

@_cdecl("thaw_detector_free")
public func freeDetector(_ detector: OpaquePointer?) { release(detector, as: CDetector.self) }

@_cdecl("thaw_detector_run")
public func runDetector(
    _ detector: OpaquePointer?, _ image: UnsafePointer<thaw_image>?, _ result: HandleResult?, _ error: HandleResult?
) -> thaw_status {
    result?.pointee = nil
    return call(error) {
        let result = try required(result, "result")
        let detector: CDetector = try object(detector, "detector")
        let found = try imageFile(image, background: detector.background)
        let detection = try detector.detector.detect(found)
        result.pointee = Handles.shared.add(CResult(found.path, .success(detection)))
    }
}

@_cdecl("thaw_detector_batch_create")
public func createDetectorBatch(
    _ detector: OpaquePointer?, _ options: UnsafePointer<thaw_batch_options>?, _ batch: HandleResult?,
    _ error: HandleResult?
) -> thaw_status {
    batch?.pointee = nil
    return call(error) {
        let batch = try required(batch, "batch")
        let detector: CDetector = try object(detector, "detector")
        batch.pointee = Handles.shared.add(
            try CBatch(options, background: detector.background) { images, threads, window in
                try DetectionBatch(detector.detector, images: images, threads: threads, window: window)
            })
    }
}
