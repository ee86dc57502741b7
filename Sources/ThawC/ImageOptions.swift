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
            try naming(location: "options.background") { try RGBColor(parsing: text) }
        }
        if let text = try text(crop, "options.crop") {
            self.crop = try naming(location: "options.crop") { try Crop(parsing: text, background: self.background) }
        }
        self.resize = try ThawC.choice(resize, "options.resize") ?? .pillow
        decoding = DecodingOptions(
            background: self.background,
            maximumPixels: maximumPixels == 0 ? DecodingOptions.defaultMaximumPixels : Int(clamping: maximumPixels),
            isStrict: isStrict != 0)
    }
}
