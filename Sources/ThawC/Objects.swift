import CThaw
import Thaw

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
