extension Pixels {
    /// The picture in the file at `path`: a JPEG or a PNG, told by content, turned as its EXIF orientation says.
    /// - Throws: `Failure` when the file is missing, empty, cut short, damaged, or another kind of file.
    public init(contentsOf path: String) throws {
        let file = try MappedFile(path: path)
        self = try naming(file: path) { try Pixels(decoding: file.bytes) }
    }

    /// The picture in the bytes of a JPEG or PNG file.
    /// - Throws: `Failure`, as for a file.
    public init(decoding bytes: UnsafeRawBufferPointer) throws {
        guard !bytes.isEmpty else { throw Failure.emptyImage() }
        let (picture, orientation): (Pixels, Orientation) =
            switch ImageKind(of: bytes) {
            case .jpeg: (try Pixels(jpeg: bytes), Orientation(jpeg: bytes))
            case .png: (try Pixels(png: bytes), Orientation(png: bytes))
            case .other(let name): throw Failure.unsupportedImage(kind: name)
            case nil: throw Failure.notAnImage()
            }
        self = picture.turned(orientation)
    }
}
