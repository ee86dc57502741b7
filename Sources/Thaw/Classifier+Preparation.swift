extension Classifier {
    /// A picture as the network takes it.
    struct Prepared: Sendable {
        var pixels: Pixels
        var warning: String?
        var thumbnail: [UInt8]?
    }

    /// How a picture becomes what the network takes.
    struct Preparation: Sendable {
        let image: ImageInput
        let crop: Crop
        let resize: ResizeMethod
        let decoding: DecodingOptions

        /// Reads an image, and makes of it what the network takes.
        /// - Parameter thumbnailSide: The longer side of a small version besides, in pixels, if one is wanted.
        func prepare(_ found: FoundImage, thumbnailSide: Int? = nil) throws -> Prepared {
            if let failure = found.failure { throw failure }
            return try naming(file: found.path) {
                let image =
                    try found.content.map { try $0.withUnsafeBytes { try DecodedImage(decoding: $0, decoding) } }
                    ?? DecodedImage(contentsOf: found.path, decoding)
                let thumbnail = thumbnailSide.map { image.pixels.thumbnail(side: $0) }
                return Prepared(pixels: fitted(image.pixels), warning: image.warning, thumbnail: thumbnail)
            }
        }

        /// The same, with the reason if it cannot be read.
        func prepared(_ found: FoundImage, thumbnailSide: Int? = nil) -> Result<Prepared, Failure> {
            do {
                return .success(try prepare(found, thumbnailSide: thumbnailSide))
            } catch let failure as Failure {
                return .failure(failure)
            } catch {
                fatalError("an error that is no failure of the input: \(error)")
            }
        }

        func fitted(_ pixels: Pixels) -> Pixels {
            // One channel is resized faster than three.
            let gray = image.color == .gray ? pixels.converted(to: .gray) : pixels
            return gray.fitted(width: image.width, height: image.height, crop: crop, resize: resize)
                .converted(to: image.color)
        }
    }
}
