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
        let decoded = try bytes.withUnsafeBytes { try DecodedImage(decoding: $0, options: decoding) }
        return (decoded.pixels.fitted(to: image, crop: crop, resize: resize), decoded.warning)
    }

    /// One of several images. A problem with the file becomes a warning of the exchange.
    /// - Throws: `Failure` naming the image by its position if it cannot be decoded.
    func pixels(decoding images: [ArraySlice<UInt8>], at index: Int, _ exchange: Exchange) throws -> Pixels {
        let name = images.count == 1 ? nil : "image \(index)"
        do {
            let (pixels, warning) = try pixels(decoding: images[index])
            exchange.warn(warning, of: name)
            return pixels
        } catch let failure as Failure {
            throw name.map { failure.at($0) } ?? failure
        }
    }
}
