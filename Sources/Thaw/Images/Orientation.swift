/// How a camera was held, as EXIF records it: where the first row and the first column of the stored picture belong.
/// The numbers are those of tag 0x0112 (CIPA DC-008, "Orientation").
enum Orientation: UInt16 {
    case upright = 1
    case mirrored, upsideDown, flipped, transposed, turnedRight, transversed, turnedLeft

    /// The orientation that a JPEG file's first EXIF segment names; upright where there is none, or none that makes
    /// sense.
    init(jpeg bytes: UnsafeRawBufferPointer) {
        var offset = 2
        while offset + 4 <= bytes.count, bytes[offset] == 0xFF {
            let marker = bytes[offset + 1]
            guard marker != 0xFF else {
                offset += 1  // A fill byte.
                continue
            }
            guard marker != 0xDA, marker != 0xD9 else { break }
            let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
            let end = offset + 2 + length
            guard length >= 2, end <= bytes.count else { break }
            let segment = bytes[(offset + 4)..<end]
            if marker == 0xE1, segment.starts(with: "Exif\0\0".utf8) {
                self.init(exif: UnsafeRawBufferPointer(rebasing: segment.dropFirst(6)))
                return
            }
            offset = end
        }
        self = .upright
    }

    /// The orientation that a PNG file's `eXIf` chunk names, wherever in the file it stands.
    init(png bytes: UnsafeRawBufferPointer) {
        var offset = 8
        while offset + 12 <= bytes.count {
            let length = Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian)
            guard length <= bytes.count - offset - 12 else { break }
            let content = (offset + 8)..<(offset + 8 + length)
            if bytes[(offset + 4)..<(offset + 8)].elementsEqual("eXIf".utf8) {
                self.init(exif: UnsafeRawBufferPointer(rebasing: bytes[content]))
                return
            }
            offset += 12 + length
        }
        self = .upright
    }

    /// The orientation in the first directory of a block of EXIF data, which has the form of a TIFF file.
    private init(exif: UnsafeRawBufferPointer) {
        self = .upright
        let isLittle = exif.starts(with: "II*\0".utf8)
        guard isLittle || exif.starts(with: "MM\0*".utf8) else { return }
        func number<Value: FixedWidthInteger>(at offset: Int, _: Value.Type) -> Value? {
            guard offset >= 0, offset <= exif.count - MemoryLayout<Value>.size else { return nil }
            let value = exif.loadUnaligned(fromByteOffset: offset, as: Value.self)
            return isLittle ? Value(littleEndian: value) : Value(bigEndian: value)
        }
        guard let directory = number(at: 4, UInt32.self), let count = number(at: Int(directory), UInt16.self) else {
            return
        }
        for entry in 0..<Int(count) {
            let start = Int(directory) + 2 + 12 * entry
            guard let tag = number(at: start, UInt16.self) else { return }
            guard tag == 0x0112 else { continue }
            // One number of two bytes (type 3) stands in the entry itself.
            if number(at: start + 2, UInt16.self) == 3, let value = number(at: start + 8, UInt16.self) {
                self = Orientation(rawValue: value) ?? .upright
            }
            return
        }
    }
}

extension Pixels {
    /// The picture as it was seen, where `orientation` says how it was stored.
    func turned(_ orientation: Orientation) -> Pixels {
        guard orientation != .upright else { return self }
        // Where the new picture's first pixel lies in the old one, and how far a step to the right and one down go.
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
