import Thaw

/// Decodes images and fits them to a model's input.
struct ImageWork: Sendable {
    let decoding: DecodingOptions
    let resize: ResizeMethod
    let crop: Crop
    let image: ImageInput

    init(_ settings: Settings, _ image: ImageInput, crop: Crop? = nil) {
        let crop = crop ?? settings.crop
        (self.crop, resize, self.image) = (crop, settings.resize, image)
        decoding = settings.isFast ? settings.decoding.reduced(for: image, crop: crop) : settings.decoding
    }

    /// An image in the network's size and colors, and any problem with the file.
    /// - Throws: `Failure` if the file cannot be decoded.
    func pixels(decoding bytes: ArraySlice<UInt8>) throws -> (pixels: Pixels, warning: Note?) {
        let decoded = try bytes.withUnsafeBytes { try DecodedImage(decoding: $0, decoding) }
        return (decoded.pixels.fitted(to: image, crop: crop, resize: resize), decoded.warning)
    }
}
