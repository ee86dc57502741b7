/// How an image file is decoded.
public struct DecodingOptions: Equatable, Sendable {
    /// The background of transparent pixels. If nil, alpha is dropped, as in TensorFlow and Pillow.
    public var background: RGBColor?
    /// Files that declare more pixels than this are refused before memory is allocated.
    public var maximumPixels = DecodingOptions.defaultMaximumPixels
    /// Whether a truncated JPEG, GIF or run-length encoded BMP, or a PNG with a wrong checksum or an error after its last
    /// row, is refused. Otherwise as much as possible is decoded, with a warning.
    public var isStrict = false
    /// The target size and resize method. A JPEG at least twice as large may then be decoded at a half, a quarter or
    /// an eighth of its size. This saves time, but each pixel becomes an average over a square (in terms of the
    /// cosine transform) rather than a weighted sum of the resize.
    public var reduction: Reduction?

    /// The size and the crop of the image that a reduced JPEG must suffice for.
    public struct Reduction: Equatable, Sendable {
        /// The width in pixels.
        public var width: Int
        /// The height in pixels.
        public var height: Int
        /// How the image is fitted to that size.
        public var crop: Crop

        /// A reduction for images that are fitted to this size.
        public init(width: Int, height: Int, crop: Crop) {
            (self.width, self.height, self.crop) = (width, height, crop)
        }

        /// The largest of 1, 2, 4 and 8 by which both sides can be divided, in any orientation.
        func divisor(width: Int, height: Int) -> Int {
            [8, 4, 2].first { divisor in
                let (across, down) = (width / divisor, height / divisor)
                return crop.onlyShrinks(width: across, height: down, to: self.width, self.height)
                    && crop.onlyShrinks(width: down, height: across, to: self.width, self.height)
            } ?? 1
        }
    }

    /// Options with a background for transparent pixels, and a limit to the number of pixels.
    public init(background: RGBColor? = nil, maximumPixels: Int = defaultMaximumPixels, isStrict: Bool = false) {
        (self.background, self.maximumPixels, self.isStrict) = (background, maximumPixels, isStrict)
    }

    /// The highest size of a file with this many pixels: uncompressed, with four 16-bit channels, and allowing for
    /// metadata of cameras and programs.
    package var maximumBytes: Int {
        let metadata = 1 << 28
        return 8 * min(max(maximumPixels, 0), (.max - metadata) / 8) + metadata
    }

    /// More than any current camera produces.
    public static let defaultMaximumPixels = 200_000_000
}

/// An image decoded from a file, upright.
public struct DecodedImage: Sendable {
    /// The image, upright.
    public let pixels: Pixels
    /// A problem with the file that did not prevent decoding.
    public let warning: Note?
}

/// The output of a decoder: rows as stored, not rotated yet.
struct StoredImage {
    var pixels: Pixels
    /// One byte per pixel, 255 for opaque; only if the options specify a background and the file has alpha.
    var alpha: [UInt8]?
    var orientation = Orientation.upright
    var warning: Note?
}

extension DecodedImage {
    /// Reads the image file at `path`, whose kind is detected by content, and rotates the image according to its EXIF
    /// or XMP orientation. Of several frames, the first is read. Embedded color profiles and gamma are ignored.
    /// - Throws: `Failure` if the file is missing, empty, truncated, corrupt, larger than the options allow, or of
    ///   another kind.
    public init(contentsOfFile path: String, options: DecodingOptions = DecodingOptions()) throws {
        // Files that are not images, or are larger than any may be, are not read.
        let file = try MappedFile(path: path, isMapped: false) { start, size in
            try naming(file: path) {
                try requireKind(of: start)
                guard size <= options.maximumBytes else { throw Failure.imageFileTooLarge(size, options.maximumPixels) }
            }
        }
        self = try naming(file: path) { try file.withBytes { try DecodedImage(contents: $0, options) } }
    }

    /// Decodes the image in the contents of a file.
    /// - Throws: `Failure`, as for a file.
    public init(decoding bytes: UnsafeRawBufferPointer, options: DecodingOptions = DecodingOptions()) throws {
        do { try self.init(contents: bytes, options) } catch let failure as Failure
            where failure.code == .unknownFormat
        {
            throw failure.of("the data")
        }
    }

    /// Decodes the image in the contents of a file that messages name.
    init(contents bytes: UnsafeRawBufferPointer, _ options: DecodingOptions) throws {
        guard !bytes.isEmpty else { throw Failure.emptyImage() }
        let image =
            switch ImageKind(of: bytes) {
            case .jpeg: try StoredImage(jpeg: bytes, options)
            case .png: try StoredImage(png: bytes, options)
            case .webP: try StoredImage(webP: bytes, options)
            case .gif: try StoredImage(gif: bytes, options)
            case .bmp: try StoredImage(bmp: bytes, options)
            case .pnm: try StoredImage(pnm: bytes, options)
            case .pam: try StoredImage(pam: bytes, options)
            case .other(let name): throw Failure.unsupportedImage(kind: name)
            case nil: throw Failure.notAnImage()
            }
        if options.isStrict, let warning = image.warning { throw Failure(.imageDamaged, warning.text) }
        var pixels = image.pixels
        if let alpha = image.alpha, let background = options.background {
            pixels = pixels.composed(with: alpha, on: background)
        }
        self.init(pixels: pixels.turned(image.orientation), warning: image.warning)
    }
}

extension Pixels {
    /// Reads the image file at `path`, as `DecodedImage` does.
    /// - Throws: `Failure`, as `DecodedImage` does.
    public init(contentsOfFile path: String, options: DecodingOptions = DecodingOptions()) throws {
        self = try DecodedImage(contentsOfFile: path, options: options).pixels
    }

    /// Decodes the image in the contents of a file.
    /// - Throws: `Failure`, as for a file.
    public init(decoding bytes: UnsafeRawBufferPointer, options: DecodingOptions = DecodingOptions()) throws {
        self = try DecodedImage(decoding: bytes, options: options).pixels
    }

    /// The image composited onto a plain background with this alpha.
    package func composed(with alpha: [UInt8], on ground: RGBColor) -> Pixels {
        let source = channels == 1 && !ground.isGray ? converted(to: .rgb) : self
        let channels = source.channels
        let under = [ground.red, ground.green, ground.blue]
        return Pixels(width: width, height: height, channels: channels) { target in
            for pixel in 0..<alpha.count {
                let over = UInt32(alpha[pixel])
                for channel in 0..<channels {
                    let offset = pixel * channels + channel
                    let sum = UInt32(source.bytes[offset]) * over + UInt32(under[channel]) * (255 - over)
                    target[offset] = UInt8((sum + 127) / 255)
                }
            }
        }
    }
}

extension DecodedImage {
    /// Whether a file that starts with these bytes is an image of a known kind, even if it cannot be decoded.
    package static func isImage(_ start: some Collection<UInt8>) -> Bool {
        Array(start.prefix(ImageKind.prefix)).withUnsafeBytes { ImageKind(of: $0) != nil }
    }
}

/// Throws if the first bytes of a file are not those of an image that can be decoded.
private func requireKind(of start: UnsafeRawBufferPointer) throws {
    switch ImageKind(of: start) {
    case .other(let name)?: throw Failure.unsupportedImage(kind: name)
    case nil: throw Failure.notAnImage()
    default: break
    }
}

/// Refuses an image before memory is allocated for it: one with more pixels than the options allow, or with far more
/// than its file can contain.
/// - Parameter capacity: The highest number of pixels that a file of this length can contain. A small number is
///   always allowed, because the start of a truncated file may be wanted.
func checkSize(width: Int, height: Int, _ options: DecodingOptions, capacity: Int = .max) throws {
    let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow, pixels <= options.maximumPixels else {
        throw Failure.imageTooLarge(width: width, height: height, limit: options.maximumPixels)
    }
    guard pixels <= max(capacity, 1 << 24) else { throw Failure.imageClaimsTooMuch(width: width, height: height) }
}
