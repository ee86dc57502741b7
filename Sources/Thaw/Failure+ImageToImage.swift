/// Images that an image-to-image network cannot process.
extension Failure {
    static func notEnoughMemory(_ byteCount: Int, _ limit: Int) -> Failure {
        Failure(
            .limitExceeded, "the network needs \(byteCount >> 20) MB for it", remedy: "\(limit >> 20) MB are available")
    }

    /// The same failure, caused by an image that is too large.
    func forImage(_ width: Int, _ height: Int, canTile: Bool) -> Failure {
        Failure(
            code, "the image of \(width) × \(height) pixels is too large: \(problem)", remedy: remedy,
            hint: canTile
                ? "\(option: .tile) 512 processes it in tiles, \(option: .longestSide) N scales it down"
                : "\(option: .longestSide) N scales it down")
    }

    static func cannotTile(_ node: String, isResizable: Bool) -> Failure {
        Failure(
            .unsupportedOperations, location: node, "depends on the whole image, or on positions in it",
            remedy: "tiles would not fit together",
            hint: isResizable ? "\(option: .longestSide) N scales the image down instead" : nil)
    }

    static func tileTooSmall(_ tile: Int, minimum: Int) -> Failure {
        Failure(
            .wrongSize, "tiles of \(tile) pixels are too small for the network's receptive field",
            remedy: "expected \(option: .tile) \(minimum) or more")
    }

    static func sizeFixed(_ option: OptionName, _ width: Int, _ height: Int) -> Failure {
        Failure(
            .invalidOption, "\(option: option) is for networks that take any size",
            remedy: "this one takes \(width)×\(height) pixels")
    }

    static func tileSizeFixed(_ width: Int, _ height: Int) -> Failure {
        Failure(
            .wrongSize, "the network takes only images of \(width)×\(height) pixels",
            remedy: width == height ? "use \(option: .tile) \(width)" : "square tiles do not fit it")
    }
}
