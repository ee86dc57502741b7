/// Images that an image-to-image network cannot process.
extension Failure {
    static func pictureNeeds(_ byteCount: Int, _ limit: Int) -> Failure {
        Failure(.limitExceeded, "the network needs \(byteCount >> 20) MB for it", remedy: "\(limit >> 20) MB are there")
    }

    /// The same failure as that of a picture which is too large.
    func inPicture(_ width: Int, _ height: Int, canTile: Bool) -> Failure {
        Failure(
            code, file: file, "the picture of \(width) × \(height) pixels is too large: \(problem)", remedy: remedy,
            hint: canTile
                ? "--tile 512 works on it piece by piece, --max-side N makes it smaller"
                : "--max-side N makes it smaller")
    }

    static func cannotTile(_ node: String) -> Failure {
        Failure(
            .unsupportedOperations, place: node, "looks at the whole picture, or at places in it",
            remedy: "tiles would not fit together", hint: "--max-side N makes the picture smaller instead")
    }

    static func tileTooSmall(_ tile: Int, least: Int) -> Failure {
        Failure(
            .wrongSize, "tiles of \(tile) pixels are too small for how far the network looks",
            remedy: "--tile \(least) or more is expected")
    }

    static func sizeFixed(_ option: String, _ width: Int, _ height: Int) -> Failure {
        Failure(
            .wrongSize, "\(option) is for networks that take any size",
            remedy: "this one takes \(width)×\(height) pixels")
    }

    static func tileSizeFixed(_ width: Int, _ height: Int) -> Failure {
        Failure(
            .wrongSize, "the network takes images of \(width)×\(height) pixels and no others",
            remedy: width == height ? "--tile \(width) goes with it" : "it does not go with square tiles")
    }
}
