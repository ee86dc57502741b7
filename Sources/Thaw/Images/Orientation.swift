/// How a stored image must be turned to be upright, as recorded by EXIF: each case names the sides on which its first row and
/// first column belong. The raw values are those of tag 0x0112 (CIPA DC-008, "Orientation").
enum Orientation: UInt16 {
    case upright = 1
    case mirrored, upsideDown, flipped, transposed, turnedRight, transversed, turnedLeft

    /// The orientation from the first EXIF segment of a JPEG file, or else its XMP segment; upright if there is none,
    /// or no valid one.
    init(jpeg bytes: UnsafeRawBufferPointer) {
        var offset = 2
        var (exif, xmp): (UnsafeRawBufferPointer?, UnsafeRawBufferPointer?)
        while offset + 4 <= bytes.count, bytes[offset] == 0xFF {
            let marker = bytes[offset + 1]
            guard marker != 0xFF else {
                offset += 1  // A fill byte.
                continue
            }
            guard marker != 0xDA, marker != 0xD9 else { break }
            let claimed = try? bytes.number(UInt16.self, at: offset + 2, .big)
            guard let length = claimed?.within(2...max(2, bytes.count - offset - 2)), offset + 2 + length <= bytes.count
            else { break }
            let end = offset + 2 + length
            let segment = UnsafeRawBufferPointer(rebasing: bytes[(offset + 4)..<end])
            if marker == 0xE1, exif == nil, segment.starts(with: "Exif\0\0".utf8) { exif = segment }
            if marker == 0xE1, segment.starts(with: "http://ns.adobe.com/xap/1.0/\0".utf8) { xmp = segment }
            offset = end
        }
        self.init(exif: exif, xmp: xmp)
    }

    /// The orientation from the `eXIf` chunk of a PNG file, or else its text chunks, anywhere in the file.
    init(png bytes: UnsafeRawBufferPointer) {
        let text = PNGText(bytes)
        let chunk = PNGChunks(bytes).first { $0.name == "eXIf" }?.content
        self = text.exif.withUnsafeBytes { profile in
            text.xmp.withUnsafeBytes { Orientation(exif: chunk ?? profile, xmp: $0) }
        }
    }

    /// The orientation from the `EXIF` chunk of a WebP file, or else its `XMP ` chunk.
    init(webP bytes: UnsafeRawBufferPointer) {
        var (exif, xmp): (UnsafeRawBufferPointer?, UnsafeRawBufferPointer?)
        for (name, content) in RIFFChunks(bytes) {
            if name == "EXIF", exif == nil { exif = content }
            if name == "XMP " { xmp = content }
        }
        self.init(exif: exif, xmp: xmp)
    }

    private init(exif: UnsafeRawBufferPointer?, xmp: UnsafeRawBufferPointer?) {
        self = exif.flatMap(Orientation.init(exif:)) ?? xmp.flatMap(Orientation.init(xmp:)) ?? .upright
    }

    /// The orientation in a block of XMP: the digit in `tiff:Orientation="6"` or `<tiff:Orientation>6`.
    private init?(xmp: UnsafeRawBufferPointer) {
        let name = Array("tiff:Orientation".utf8)
        for start in xmp.indices.dropLast(name.count + 2) where xmp[start] == name[0] {
            guard xmp[start...].starts(with: name) else { continue }
            let digit = xmp[start + name.count] == UInt8(ascii: ">") ? 1 : 2
            guard start + name.count + digit < xmp.count else { return nil }
            self.init(rawValue: UInt16(xmp[start + name.count + digit]) &- 0x30)
            return
        }
        return nil
    }

    /// The orientation from the first directory of a block of EXIF data, which is structured like a TIFF file. In
    /// JPEG files and some others, it starts with "Exif" and two zeros. Nil if there is none.
    private init?(exif block: UnsafeRawBufferPointer) {
        let hasName = block.starts(with: "Exif\0\0".utf8)
        let exif = UnsafeRawBufferPointer(rebasing: block.dropFirst(hasName ? 6 : 0))
        let isLittle = exif.starts(with: "II*\0".utf8)
        guard isLittle || exif.starts(with: "MM\0*".utf8) else { return nil }
        func number<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int, _ type: Value.Type) -> Int? {
            (try? exif.number(type, at: offset, isLittle ? .little : .big))?.within(0...Int(UInt32.max))
        }
        guard let directory = number(at: 4, UInt32.self), let count = number(at: directory, UInt16.self) else {
            return nil
        }
        for entry in 0..<count {
            let start = directory + 2 + 12 * entry
            guard let tag = number(at: start, UInt16.self) else { return nil }
            guard tag == 0x0112 else { continue }
            // A single value is stored in the entry itself. It has two bytes, or four in some writers, signed or
            // unsigned.
            let value =
                switch number(at: start + 2, UInt16.self) {
                case 3, 8: number(at: start + 8, UInt16.self)
                case 4, 9: number(at: start + 8, UInt32.self)
                default: nil as Int?
                }
            guard let value else { return nil }
            self = UInt16(exactly: value).flatMap(Orientation.init(rawValue:)) ?? .upright
            return
        }
        return nil
    }
}

extension Pixels {
    /// The image rotated upright, given the orientation in which it was stored.
    func turned(_ orientation: Orientation) -> Pixels {
        guard orientation != .upright else { return self }
        // The offset of the new image's first pixel in the old one, and the offsets of one step to the right and one
        // step down.
        let (right, down) = (channels, width * channels)
        let (lastColumn, lastRow) = ((width - 1) * right, (height - 1) * down)
        let (first, stepX, stepY): (Int, Int, Int) =
            switch orientation {
            case .upright: (0, right, down)
            case .mirrored: (lastColumn, -right, down)
            case .upsideDown: (lastRow + lastColumn, -right, -down)
            case .flipped: (lastRow, right, -down)
            case .transposed: (0, down, right)
            case .turnedRight: (lastRow, -down, right)
            case .transversed: (lastRow + lastColumn, -down, -right)
            case .turnedLeft: (lastColumn, down, -right)
            }
        let swapsSides = orientation.rawValue >= Orientation.transposed.rawValue
        let (newWidth, newHeight) = swapsSides ? (height, width) : (width, height)
        return Pixels(width: newWidth, height: newHeight, channels: channels) { target in
            bytes.withUnsafeBufferPointer { source in
                var to = target.baseAddress!
                for y in 0..<newHeight {
                    var from = source.baseAddress! + first + y * stepY
                    for _ in 0..<newWidth {
                        to[0] = from[0]
                        if channels == 3 { (to[1], to[2]) = (from[1], from[2]) }
                        to += channels
                        from += stepX
                    }
                }
            }
        }
    }
}
