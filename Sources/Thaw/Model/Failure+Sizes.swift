/// Images of several sizes.
extension Failure {
    static func sizeOutside(
        _ size: ImageSize, _ sizes: ImageSizes
    ) -> Failure {
        Failure(.wrongSize, "the model takes no images of \(size) pixels", remedy: "their sizes are \(sizes)")
    }

    static func sizeMatters(_ node: String, _ kind: String, _ size: ImageSize) -> Failure {
        Failure(
            .unsupportedOperations, place: node,
            "the \(kind) holds numbers that are others for images of \(size) pixels, and Core ML leaves only the sizes of "
                + "arrays open",
            remedy: "the network works at one size only, or at fewer",
            hint: "--size with one size, or with those that the network was made for, converts it",
            nodes: [Node(name: node, op: kind)])
    }

    /// The same failure for one of several sizes.
    func atSize(_ size: ImageSize) -> Failure {
        var copy = self
        copy.problem = "for images of \(size) pixels: " + problem
        copy.hint = "--size with one size, or with those that the network was made for, converts it"
        return copy
    }
}
