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
        func prepare(_ found: ImageFile, thumbnailSide: Int? = nil) throws -> Prepared {
            let image = try found.decoded(decoding)
            let thumbnail = thumbnailSide.map { image.pixels.thumbnail(side: $0) }
            return Prepared(pixels: fitted(image.pixels), warning: image.warning, thumbnail: thumbnail)
        }

        /// The same as a `Result`.
        func prepared(_ found: ImageFile, thumbnailSide: Int? = nil) -> Result<Prepared, Failure> {
            Result.catchingFailure { try prepare(found, thumbnailSide: thumbnailSide) }
        }

        func fitted(_ pixels: Pixels) -> Pixels { pixels.fitted(to: image, crop: crop, resize: resize) }
    }
}

extension ImageFile {
    /// The image, decoded unless it is already.
    /// - Throws: `Failure` naming the file if there is no readable image.
    package func decoded(_ options: DecodingOptions) throws -> DecodedImage {
        if let failure { throw failure }
        if let pixels { return DecodedImage(pixels: pixels, warning: nil) }
        guard let content else { return try DecodedImage(contentsOfFile: path, options: options) }
        return try content.withUnsafeBytes { bytes in
            try path.isEmpty
                ? DecodedImage(decoding: bytes, options: options)
                : naming(file: path) { try DecodedImage(contents: bytes, options) }
        }
    }
}
