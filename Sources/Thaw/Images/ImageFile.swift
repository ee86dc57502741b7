/// An image in a file or in memory, or a folder that cannot be read, with the reason.
public struct ImageFile: Sendable {
    /// The path of the file, or the name that results use.
    public let path: String
    /// The reason why there is no image.
    public let failure: Failure?
    /// The content of an image that is not a file.
    public let content: [UInt8]?
    /// An image that is decoded already.
    public let pixels: Pixels?

    /// An image file, or a path at which there is none.
    public init(path: String, failure: Failure? = nil) {
        (self.path, self.failure, content, pixels) = (path, failure, nil, nil)
    }

    /// An image in memory, with the name that results use for it.
    public init(path: String, content: [UInt8]) {
        (self.path, failure, self.content, pixels) = (path, nil, content, nil)
    }

    /// A decoded image, with the name that results use for it.
    public init(path: String, pixels: Pixels) {
        (self.path, failure, content, self.pixels) = (path, nil, nil, pixels)
    }

    /// Whether it is still to be read from `path`.
    var isUnread: Bool { failure == nil && content == nil && pixels == nil }
}
