extension Classifier {
    /// An image in the size and colors that the network takes.
    struct Prepared: Sendable {
        var pixels: Pixels
        var warning: Note?
        var thumbnail: [UInt8]?
    }

    /// Decodes images and fits them to the network.
    struct Preparation: Sendable {
        let image: ImageInput
        let crop: Crop
        let resize: ResizeMethod
        let decoding: DecodingOptions

        /// Reads an image and fits it to the network.
        /// - Parameter thumbnailSide: The longer side of a thumbnail in pixels; nil makes none.
        func prepare(_ found: FoundImage, thumbnailSide: Int? = nil) throws -> Prepared {
            if let failure = found.failure { throw failure }
            if let pixels = found.pixels {
                return Prepared(
                    pixels: fitted(pixels), warning: nil, thumbnail: thumbnailSide.map { pixels.thumbnail(side: $0) })
            }
            func decoded() throws -> Prepared {
                let image =
                    try found.content.map { try $0.withUnsafeBytes { try DecodedImage(decoding: $0, decoding) } }
                    ?? DecodedImage(contentsOfFile: found.path, decoding)
                let thumbnail = thumbnailSide.map { image.pixels.thumbnail(side: $0) }
                return Prepared(pixels: fitted(image.pixels), warning: image.warning, thumbnail: thumbnail)
            }
            let isNameless = found.path.isEmpty && found.content != nil
            return isNameless ? try decoded() : try naming(file: found.path, decoded)
        }

        /// The same as a `Result`.
        func prepared(_ found: FoundImage, thumbnailSide: Int? = nil) -> Result<Prepared, Failure> {
            do {
                return .success(try prepare(found, thumbnailSide: thumbnailSide))
            } catch let failure as Failure {
                return .failure(failure)
            } catch {
                fatalError("unexpected error: \(error)")
            }
        }

        func fitted(_ pixels: Pixels) -> Pixels { pixels.fitted(to: image, crop: crop, resize: resize) }
    }
}
