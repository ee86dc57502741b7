import CCodecs

/// The chunks of a PNG file: a length, a four-letter name, content, and a checksum.
struct PNGChunks: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 8

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    struct Chunk {
        let name: String
        let content: UnsafeRawBufferPointer
        /// The name and the content, which the checksum covers.
        fileprivate let covered: UnsafeRawBufferPointer
        fileprivate let checksum: FileNumber

        /// Whether the checksum is correct.
        var isIntact: Bool {
            FileNumber(thaw_checksum(covered.baseAddress?.assumingMemoryBound(to: UInt8.self), covered.count))
                == checksum
        }
    }

    mutating func next() -> Chunk? {
        guard offset + 12 <= bytes.count else { return nil }
        guard let length = try? bytes.number(UInt32.self, at: offset, .big).within(0...bytes.count - offset - 12) else {
            return nil
        }
        let covered = UnsafeRawBufferPointer(rebasing: bytes[(offset + 4)..<(offset + 8 + length)])
        guard let checksum = try? bytes.number(UInt32.self, at: offset + 8 + length, .big) else { return nil }
        offset += 12 + length
        return Chunk(
            name: String(decoding: covered[..<4], as: UTF8.self),
            content: UnsafeRawBufferPointer(rebasing: covered[4...]), covered: covered, checksum: checksum)
    }
}

/// The metadata texts of a PNG file.
///
/// A file may contain any number of compressed texts, each of which may decompress to a thousand times its size. Only
/// the last one with each of the two known keywords is decompressed.
struct PNGText {
    /// A block of EXIF data.
    let exif: [UInt8]
    let xmp: [UInt8]

    /// Longer texts are ignored, as in libpng.
    private static let longest = 8_000_000

    init(_ bytes: UnsafeRawBufferPointer) {
        var (exif, xmp): (PNGChunks.Chunk?, PNGChunks.Chunk?)
        for chunk in PNGChunks(bytes) where ["tEXt", "zTXt", "iTXt"].contains(chunk.name) {
            if chunk.content.starts(with: "Raw profile type exif\0".utf8), chunk.isIntact { exif = chunk }
            if chunk.content.starts(with: "XML:com.adobe.xmp\0".utf8), chunk.isIntact { xmp = chunk }
        }
        self.exif = exif.map { Self.profile(Self.text($0)) } ?? []
        self.xmp = xmp.map(Self.text) ?? []
    }

    /// The text of a chunk, without its keyword; empty if it is corrupt or too long.
    private static func text(_ chunk: PNGChunks.Chunk) -> [UInt8] {
        var rest = chunk.content[...]
        func skipString() {
            rest = rest.drop { $0 != 0 }.dropFirst()
        }
        skipString()
        switch chunk.name {
        case "tEXt": return Array(rest)
        case "zTXt": return inflated(rest.dropFirst(), method: rest.first)
        default:
            let (isCompressed, method) = (rest.first, rest.dropFirst().first)
            rest = rest.dropFirst(2)
            // The language and the translated keyword.
            skipString()
            skipString()
            return isCompressed == 0 ? Array(rest) : inflated(rest, method: method)
        }
    }

    /// Decompresses data. The only method, 0, is zlib's.
    private static func inflated(_ data: Slice<UnsafeRawBufferPointer>, method: UInt8?) -> [UInt8] {
        guard method == 0, let start = UnsafeRawBufferPointer(rebasing: data).baseAddress else { return [] }
        return [UInt8](unsafeUninitializedCapacity: longest) { buffer, count in
            count = thaw_inflate(
                start.assumingMemoryBound(to: UInt8.self), data.count, buffer.baseAddress, longest)
        }
    }

    /// The bytes of a profile in ImageMagick's format: an empty line, its type, its size, and lines of hexadecimal
    /// digits.
    private static func profile(_ text: [UInt8]) -> [UInt8] {
        let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
        guard lines.count > 3 else { return [] }
        let digits = lines[3].compactMap { digit -> UInt8? in
            switch digit {
            case 0x30...0x39: digit - 0x30
            case 0x41...0x46: digit - 0x41 + 10
            case 0x61...0x66: digit - 0x61 + 10
            default: nil
            }
        }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
