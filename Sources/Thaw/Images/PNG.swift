import CCodecs

extension StoredImage {
    /// The picture in a PNG file. Gray files give one channel, others three. Palettes are looked up, depths of 1, 2 and 4
    /// bits spread over 0…255, of 16 bits the upper 8 are taken, as Pillow and TensorFlow do; gamma and profiles are
    /// ignored. Damaged or short data is refused; where only a checksum is wrong, there is a warning.
    init(png bytes: UnsafeRawBufferPointer, _ options: DecodingOptions) throws {
        // The header always comes first: length, "IHDR", width, height, depth, colour type, …
        guard bytes.count >= 33, bytes[12..<16].elementsEqual("IHDR".utf8) else { throw Failure.truncatedImage("PNG") }
        let width = bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self).bigEndian
        let height = bytes.loadUnaligned(fromByteOffset: 20, as: UInt32.self).bigEndian
        guard 1...0x7FFF_FFFF ~= width, 1...0x7FFF_FFFF ~= height else {
            throw Failure.damagedImage("PNG", "no pixels")
        }
        let (columns, rows) = (Int(width), Int(height))
        // Deflate shrinks at most to a 1032nd, and a pixel takes at least one bit.
        try checkSize(width: columns, height: rows, options, capacity: bytes.count * 1032 * 8)

        let wantsAlpha = options.background != nil && Self.hasAlpha(png: bytes)
        let channels = bytes[25] & 2 == 0 ? 1 : 3
        var wrongChecksum: Int32 = 0
        var endsEarly = false
        var text = PNGText()
        func decode(into target: UnsafeMutableBufferPointer<UInt8>, samples: Int) throws {
            try withUnsafeTemporaryAllocation(of: CChar.self, capacity: 200) { message in
                let status = withUnsafeMutablePointer(to: &text) { text in
                    thaw_png_decode(
                        bytes.baseAddress, bytes.count, width, height, Int32(samples), target.baseAddress,
                        &wrongChecksum, { PNGText.add(to: $0!, $1!, UnsafeRawBufferPointer(start: $2, count: $3)) },
                        text, message.baseAddress, message.count)
                }
                endsEarly = status == 2
                if status == 1 { throw Failure.damagedImage("PNG", String(cString: message.baseAddress!)) }
            }
        }
        if wantsAlpha {
            let samples = try [UInt8](unsafeUninitializedCapacity: columns * rows * (channels + 1)) { buffer, count in
                try decode(into: buffer, samples: channels + 1)
                count = columns * rows * (channels + 1)
            }
            (pixels, alpha) = samples.splitAlpha(width: columns, height: rows, channels: channels)
        } else {
            pixels = try Pixels(width: columns, height: rows, channels: channels) { target in
                try decode(into: target, samples: channels)
            }
        }
        orientation = Orientation(png: bytes, text)
        if endsEarly { warning = Failure.truncatedImage("PNG").problem }
        if wrongChecksum != 0 { warning = Failure.wrongChecksum("PNG").problem }
    }

    /// Whether pixels may be transparent: the colour type says so, or a chunk names transparent colours.
    private static func hasAlpha(png bytes: UnsafeRawBufferPointer) -> Bool {
        bytes[25] & 4 != 0 || PNGChunks(bytes).prefix { $0.name != "IDAT" }.contains { $0.name == "tRNS" }
    }
}

/// What texts in a PNG file tell of how the picture was taken.
struct PNGText {
    /// A block of EXIF data, where it does not stand in a chunk of its own.
    private(set) var exif: [UInt8] = []
    private(set) var xmp: [UInt8] = []

    /// Adds a text to what `texts` points to.
    fileprivate static func add(
        to texts: UnsafeMutableRawPointer, _ name: UnsafePointer<CChar>, _ text: UnsafeRawBufferPointer
    ) {
        let texts = texts.assumingMemoryBound(to: PNGText.self)
        switch String(cString: name) {
        case "Raw profile type exif": texts.pointee.exif = profile(text)
        case "XML:com.adobe.xmp": texts.pointee.xmp = Array(text)
        default: break
        }
    }

    /// The bytes of a profile as ImageMagick writes it: an empty line, its kind, its size, and lines of hexadecimal digits.
    private static func profile(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
        guard lines.count > 3 else { return [] }
        let digits = lines[3].compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count - 1, by: 2).map { place -> UInt8 in
            UInt8(digits[place] << 4 | digits[place + 1])
        }
    }
}

/// The chunks of a PNG file: length, a name of four letters, content, checksum.
struct PNGChunks: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 8

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func next() -> (name: String, content: UnsafeRawBufferPointer)? {
        guard offset + 12 <= bytes.count else { return nil }
        let length = Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian)
        guard length <= bytes.count - offset - 12 else { return nil }
        let name = String(decoding: bytes[(offset + 4)..<(offset + 8)], as: UTF8.self)
        let content = UnsafeRawBufferPointer(rebasing: bytes[(offset + 8)..<(offset + 8 + length)])
        offset += 12 + length
        return (name, content)
    }
}
