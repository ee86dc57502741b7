/// What is said of images of several sizes.
extension Failure {
    static func sizeOutside(
        _ size: some CustomStringConvertible, _ sizes: some CustomStringConvertible
    ) -> Failure {
        Failure(.wrongSize, "the model takes no images of \(size) pixels", remedy: "their sizes are \(sizes)")
    }

    static func sizeMatters(_ node: String, _ kind: String, _ size: some CustomStringConvertible) -> Failure {
        Failure(
            .unsupportedOperations, place: node,
            "the \(kind) holds numbers that are others for images of \(size) pixels, and Core ML leaves only the sizes of "
                + "arrays open",
            remedy: "the network works at one size only, or at fewer",
            hint: "--size with one size, or with those that the network was made for, converts it",
            nodes: [Node(name: node, op: kind)])
    }

    /// The same failure for one of several sizes.
    func atSize(_ size: some CustomStringConvertible) -> Failure {
        var copy = self
        copy.problem = "for images of \(size) pixels: " + problem
        copy.hint = "--size with one size, or with those that the network was made for, converts it"
        return copy
    }

    static func severalSizesNoImage(_ images: Int) -> Failure {
        images == 0
            ? Failure(.unsupportedModel, "the input is no image", remedy: "several sizes are for images")
            : Failure(
                .unsupportedModel, "the model takes \(images) images",
                remedy: "several sizes are for models of one image")
    }

    static func imageSizes(_ name: String, _ problem: String) -> Failure {
        Failure(.invalidModel, place: name, "the sizes of the image make no sense: \(problem)")
    }

    static func otherSize(_ name: String, _ size: some CustomStringConvertible, _ sizes: some CustomStringConvertible)
        -> Failure
    {
        Failure(.wrongSize, place: name, "the image cannot have \(size) pixels", remedy: "\(sizes) is possible")
    }
}
