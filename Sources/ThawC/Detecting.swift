import CThaw
import Thaw
import ThawCommand

/// Decoding and fitting of images, from members that several structures have.
struct ImageOptions {
    private(set) var background: RGBColor?
    private(set) var crop = Crop.fill
    private(set) var resize = ResizeMethod.pillow
    private(set) var decoding = DecodingOptions()

    init() {}

    init(
        crop: UnsafePointer<CChar>?, resize: UnsafePointer<CChar>?, background: UnsafePointer<CChar>?,
        maximumPixels: UInt64, isStrict: Int32
    ) throws {
        self.background = try text(background, "options.background").map { text in
            try naming(location: "options.background") { try RGBColor(text) }
        }
        let choice = try text(crop, "options.crop").map { text in
            try naming(location: "options.crop") { try CropChoice(text) }
        }
        self.crop = (choice ?? .fill).crop(on: self.background ?? .black)
        self.resize = try ThawC.choice(resize, "options.resize") ?? .pillow
        decoding = DecodingOptions(
            background: self.background,
            maximumPixels: maximumPixels == 0 ? DecodingOptions.standardMaximum : Int(clamping: maximumPixels),
            isStrict: isStrict != 0)
    }
}

/// The object of a detector handle.
final class CDetector: Sendable {
    let detector: Detector
    let background: RGBColor?

    init(_ model: CModel, _ pointer: UnsafePointer<thaw_detector_options>?) throws {
        let given = try options(pointer, "options")
        let images = try given.map { given in
            try ImageOptions(
                crop: given.crop, resize: given.resize, background: given.background,
                maximumPixels: given.maximum_pixels, isStrict: given.is_strict)
        }
        background = images?.background
        var options = Detector.Options()
        if let images {
            (options.crop, options.resize, options.decoding) = (images.crop, images.resize, images.decoding)
        }
        options.confidenceThreshold = try threshold(given?.confidence, "options.confidence", 0...Double.infinity)
        options.iouThreshold = try threshold(given?.iou, "options.iou", 0...1)
        guard case .pipeline(let document) = model.content else { throw Failure.noPipeline() }
        let threads = given?.threads ?? 0
        let precision: Precision? = try given.flatMap { try choice($0.precision, "options.precision") }
        let pipeline = try model.pipeline(
            document, precision ?? .float32, threads: threads == 0 ? 1 : threadCount(threads))
        detector = try Detector(pipeline, options)
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
        let found = try foundImage(image, background: detector.background)
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
                DetectionBatch(detector.detector, images: images, threads: threads, window: window)
            })
    }
}

/// The objects in an image, with the memory that the structure of the header points to.
final class CObjects: @unchecked Sendable {
    let size: (width: Int32, height: Int32)
    let objects: UnsafeMutablePointer<thaw_object>
    let count: Int
    private let labels: [CText]

    init(_ detection: Detection) {
        size = (Int32(detection.width), Int32(detection.height))
        count = detection.objects.count
        labels = detection.objects.map { CText($0.label) }
        objects = .allocate(capacity: max(1, count))
        for (position, (object, label)) in zip(detection.objects, labels).enumerated() {
            (objects + position).initialize(
                to: thaw_object(
                    label: label.pointer, index: object.index, confidence: object.confidence, x: object.box.x,
                    y: object.box.y, width: object.box.width, height: object.box.height))
        }
    }

    deinit { objects.deallocate() }
}

@_cdecl("thaw_result_detection")
public func resultDetection(
    _ result: OpaquePointer?, _ detection: UnsafeMutablePointer<thaw_detection>?, _ error: HandleResult?
) -> thaw_status {
    call(error) {
        let result: CResult = try object(result, "result")
        let target = try required(detection, "detection")
        var value = try checked(UnsafePointer(target), "detection")
        guard result.kind == .detection else { throw Failure.noDetection() }
        value.index = result.index
        value.path = result.path?.pointer
        value.warning = result.warning?.pointer
        value.error = result.error
        (value.width, value.height) = result.objects?.size ?? (0, 0)
        value.objects = result.objects.map { UnsafePointer($0.objects) }
        value.count = result.objects?.count ?? 0
        target.pointee = value
    }
}
