extension Pixels {
    /// The image in the default size and the colors of a model's input.
    public func fitted(to image: ImageInput, crop: Crop = .fill, resize: ResizeMethod = .pillow) -> Pixels {
        // Resizing one channel is faster than resizing three.
        let source = image.color == .gray ? converted(to: .gray) : self
        return source.fitted(width: image.width, height: image.height, crop: crop, resize: resize)
            .converted(to: image.color)
    }
}

extension Pixels {
    /// The image as the value of a feature: in the default size of a model's input, gray or red, green and blue.
    package func feature(
        for image: ImageInput, crop: Crop = .fill, resize: ResizeMethod = .pillow
    ) -> Pixels {
        var image = image
        if image.color == .bgr { image.color = .rgb }
        return fitted(to: image, crop: crop, resize: resize)
    }
}

extension DecodingOptions {
    /// These options with reduced decoding for a model's input.
    public func reduced(for image: ImageInput, crop: Crop) -> DecodingOptions {
        var options = self
        options.reduction = Reduction(width: image.width, height: image.height, crop: crop)
        return options
    }
}
