/// Images of several sizes.
extension Failure {
    static func sizeOutside(
        _ size: ImageSize, _ sizes: ImageSizes
    ) -> Failure {
        Failure(.wrongSize, "the model takes no images of \(size) pixels", remedy: "supported sizes: \(sizes)")
    }

    static func sizeInvalid(_ size: ImageSize, _ longestSide: Int) -> Failure {
        Failure(
            .invalidOption, "an image of \(size) pixels is invalid",
            remedy: "sides are from 1 to \(longestSide)")
    }

    static func sizeCount(_ count: Int) -> Failure {
        Failure(
            .invalidOption, "a list of \(count) sizes is invalid", remedy: "it has from 1 to \(ImageSizes.maximumCount)"
        )
    }

    static func defaultOutside(_ size: ImageSize, _ sizes: ImageSizes) -> Failure {
        Failure(
            .wrongSize, "the default size \(size) is not one of the image's sizes", remedy: "these are \(sizes)")
    }

    static func sizeMatters(_ node: String, _ kind: String, _ size: ImageSize) -> Failure {
        Failure(
            .unsupportedOperations, location: node,
            "the \(kind) has parameters that differ for images of \(size) pixels, and a Core ML model can leave only the "
                + "sizes of tensors open",
            remedy: "the network works at one size only, or at fewer sizes",
            hint: "use \(option: .size) with one size, or with the sizes that the network was made for",
            nodes: [Node(name: node, op: kind)])
    }

    /// The same failure at one of several sizes.
    func atSize(_ size: ImageSize) -> Failure {
        var copy = self
        copy.problem = "for images of \(size) pixels: " + problem
        copy.hint = "use \(option: .size) with one size, or with the sizes that the network was made for"
        return copy
    }
}
