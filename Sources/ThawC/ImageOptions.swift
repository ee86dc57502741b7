import CThaw
import Thaw
import ThawCommand

/// The members that the options of classifiers and detectors have in common, with the names of the header.
// swift-format-ignore: AlwaysUseLowerCamelCase
protocol ImageMembers {
    var crop: UnsafePointer<CChar>! { get }
    var resize: UnsafePointer<CChar>! { get }
    var background: UnsafePointer<CChar>! { get }
    var maximum_pixels: UInt64 { get }
    var is_strict: Int32 { get }
    var threads: Int32 { get }
    var precision: UnsafePointer<CChar>! { get }
}

extension thaw_classifier_options: ImageMembers {}
extension thaw_detector_options: ImageMembers {}

/// Decoding and fitting of images, and how the network is computed.
struct ImageOptions {
    private(set) var background: RGBColor?
    private(set) var crop = Crop.fill
    private(set) var resize = ResizeMethod.pillow
    private(set) var decoding = DecodingOptions()
    private(set) var precision = Precision.float32
    private(set) var threads = 1

    /// - Parameter given: Nil for the defaults.
    init(_ given: (some ImageMembers)?) throws {
        guard let given else { return }
        background = try text(given.background, "options.background").map { text in
            try naming(location: "options.background") { try RGBColor(parsing: text) }
        }
        if let text = try text(given.crop, "options.crop") {
            crop = try naming(location: "options.crop") { try Crop(parsing: text, background: background) }
        }
        resize = try choice(given.resize, "options.resize") ?? .pillow
        let maximumPixels = given.maximum_pixels
        decoding = DecodingOptions(
            background: background,
            maximumPixels: maximumPixels == 0 ? DecodingOptions.defaultMaximumPixels : Int(clamping: maximumPixels),
            isStrict: given.is_strict != 0)
        precision = try choice(given.precision, "options.precision") ?? .float32
        if given.threads != 0 { threads = try threadCount(given.threads) }
    }
}
