/// How the file of a picture is read.
public struct DecodingOptions: Equatable, Sendable {
    /// What lies under transparent pixels; without one alpha is dropped, as TensorFlow and Pillow do.
    public var background: Color?
    /// A file that claims more pixels than this is refused before room is made for them.
    public var maximumPixels = DecodingOptions.standardMaximum
    /// Whether a JPEG or GIF that ends early, or a PNG with a wrong checksum, is refused. Otherwise it is decoded as far as
    /// it goes, with a warning.
    public var isStrict = false
    /// The size that the picture will be brought to, and how, where a JPEG at least twice as large may be decoded at half,
    /// a quarter or an eighth of its size. That saves time; each pixel is then an average over a square (in the cosine
    /// transform's sense) instead of being weighed by the resizing.
    public var reduction: Reduction?

    public struct Reduction: Equatable, Sendable {
        public var width: Int
        public var height: Int
        public var crop: Crop

        public init(width: Int, height: Int, crop: Crop) {
            (self.width, self.height, self.crop) = (width, height, crop)
        }

        /// The largest of 1, 2, 4 and 8 by which both sides may be divided, however the picture is turned afterwards.
        func divisor(width: Int, height: Int) -> Int {
            [8, 4, 2].first { divisor in
                let (across, down) = (width / divisor, height / divisor)
                return crop.onlyShrinks(width: across, height: down, to: self.width, self.height)
                    && crop.onlyShrinks(width: down, height: across, to: self.width, self.height)
            } ?? 1
        }
    }

    public init(background: Color? = nil, maximumPixels: Int = standardMaximum, isStrict: Bool = false) {
        (self.background, self.maximumPixels, self.isStrict) = (background, maximumPixels, isStrict)
    }

    /// What the file of so many pixels may take: their numbers as they are, with 16 bits for each of four channels, and what
    /// cameras and programs add.
    package var maximumBytes: Int {
        let (bytes, overflow) = maximumPixels.multipliedReportingOverflow(by: 8)
        return overflow ? .max : max(bytes, 0).addingReportingOverflow(1 << 28).partialValue
    }

    /// More than any camera of today takes.
    public static let standardMaximum = 200_000_000
}

/// A picture as it was read from a file, upright.
public struct DecodedImage: Sendable {
    public let pixels: Pixels
    /// What is wrong with the file, though it could be read.
    public let warning: String?
}

/// What one of the decoders makes of a file: rows as stored, not turned yet.
struct StoredImage {
    var pixels: Pixels
    /// One byte a pixel, 255 for opaque; only where the options ask for a background and the file has alpha.
    var alpha: [UInt8]?
    var orientation = Orientation.upright
    var warning: String?
}

extension DecodedImage {
    /// Reads the image in the file at `path`: JPEG, PNG, WebP, GIF (its first frame), BMP, PNM or PAM, told by content,
    /// turned as its EXIF or XMP orientation says. Embedded colour profiles and gamma are ignored.
    /// - Throws: `Failure` when the file is missing, empty, cut short, damaged, larger than the options allow, or another
    ///   kind of file.
    public init(contentsOf path: String, _ options: DecodingOptions = DecodingOptions()) throws {
        // What is no picture, or larger than any may be, is not read first.
        let file = try MappedFile(path: path, isMapped: false) { start, size in
            try naming(file: path) {
                try requireKind(of: start)
                guard size <= options.maximumBytes else { throw Failure.imageFileTooLarge(size, options.maximumPixels) }
            }
        }
        self = try naming(file: path) { try DecodedImage(decoding: file.bytes, options) }
    }

    /// Reads the picture in the bytes of such a file.
    /// - Throws: `Failure`, as for a file.
    public init(decoding bytes: UnsafeRawBufferPointer, _ options: DecodingOptions = DecodingOptions()) throws {
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
        if options.isStrict, let warning = image.warning { throw Failure(.imageDamaged, warning) }
        var pixels = image.pixels
        if let alpha = image.alpha, let background = options.background {
            pixels = pixels.composed(with: alpha, on: background)
        }
        self.init(pixels: pixels.turned(image.orientation), warning: image.warning)
    }
}

extension Pixels {
    /// The picture in the file at `path`, as `DecodedImage` reads it.
    /// - Throws: `Failure`, as there.
    public init(contentsOf path: String, _ options: DecodingOptions = DecodingOptions()) throws {
        self = try DecodedImage(contentsOf: path, options).pixels
    }

    /// The picture in the bytes of a file.
    /// - Throws: `Failure`, as for a file.
    public init(decoding bytes: UnsafeRawBufferPointer, _ options: DecodingOptions = DecodingOptions()) throws {
        self = try DecodedImage(decoding: bytes, options).pixels
    }

    /// The picture laid over a plain ground, as thick as `alpha` says of each pixel.
    func composed(with alpha: [UInt8], on ground: Color) -> Pixels {
        let source = channels == 1 && !ground.isGray ? converted(to: .rgb) : self
        let channels = source.channels
        let under = [ground.red, ground.green, ground.blue]
        return Pixels(width: width, height: height, channels: channels) { target in
            for pixel in 0..<alpha.count {
                let over = UInt32(alpha[pixel])
                for channel in 0..<channels {
                    let place = pixel * channels + channel
                    let sum = UInt32(source.bytes[place]) * over + UInt32(under[channel]) * (255 - over)
                    target[place] = UInt8((sum + 127) / 255)
                }
            }
        }
    }
}

extension DecodedImage {
    /// Whether a file that begins with these bytes is an image of a kind that is known, though perhaps not one that is read.
    package static func isImage(_ start: some Collection<UInt8>) -> Bool {
        Array(start.prefix(ImageKind.prefix)).withUnsafeBytes { ImageKind(of: $0) != nil }
    }
}

/// Refuses what the first bytes of a file show to be no picture, or none of a kind that is read.
private func requireKind(of start: UnsafeRawBufferPointer) throws {
    switch ImageKind(of: start) {
    case .other(let name)?: throw Failure.unsupportedImage(kind: name)
    case nil: throw Failure.notAnImage()
    default: break
    }
}

/// Refuses a picture before room is made for it: one with more pixels than the options allow, or with far more than its
/// file can hold.
/// - Parameter capacity: The most pixels that so long a file can hold; few are allowed in any case, for of a file that
///   was cut short the beginning may be wanted.
func checkSize(width: Int, height: Int, _ options: DecodingOptions, capacity: Int = .max) throws {
    let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow, pixels <= options.maximumPixels else {
        throw Failure.imageTooLarge(width: width, height: height, limit: options.maximumPixels)
    }
    guard pixels <= max(capacity, 1 << 24) else { throw Failure.imageClaimsTooMuch(width: width, height: height) }
}
