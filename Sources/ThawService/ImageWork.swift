import Thaw

/// Turning encoded images into what a network takes.
struct ImageWork: Sendable {
    let decoding: DecodingOptions
    let resize: ResizeMethod
    let crop: Crop
    let image: ImageInput

    init(_ settings: Settings, _ image: ImageInput, crop: Crop? = nil) {
        self.crop = crop ?? settings.crop
        resize = settings.resize
        var decoding = settings.decoding
        if settings.isFast {
            decoding.reduction = DecodingOptions.Reduction(width: image.width, height: image.height, crop: self.crop)
        }
        self.decoding = decoding
        self.image = image
    }

    /// An image of the network's size and colors, and what is wrong with the file.
    /// - Throws: `Failure` if the file cannot be decoded.
    func pixels(decoding bytes: ArraySlice<UInt8>) throws -> (pixels: Pixels, warning: String?) {
        let decoded = try bytes.withUnsafeBytes { try DecodedImage(decoding: $0, decoding) }
        // One channel is resized faster than three.
        let source = image.color == .gray ? decoded.pixels.converted(to: .gray) : decoded.pixels
        let fitted = source.fitted(width: image.width, height: image.height, crop: crop, resize: resize)
        return (fitted.converted(to: image.color), decoded.warning)
    }
}
