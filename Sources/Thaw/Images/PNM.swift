extension StoredImage {
    /// Decodes a PBM, PGM or PPM file, as text or binary: gray has one channel, color three. Truncated data is
    /// refused. Source: the manual pages pbm(5), pgm(5) and ppm(5) of Netpbm.
    init(pnm bytes: UnsafeRawBufferPointer, _ options: DecodingOptions) throws {
        var source = NetpbmSource(bytes: bytes, kind: "PNM")
        let kind = bytes[1] - UInt8(ascii: "0")
        let (isText, isBitmap) = (kind < 4, kind % 3 == 1)
        let channels = kind % 3 == 0 ? 3 : 1
        let width = try source.number()
        let height = try source.number()
        let maximum = isBitmap ? 1 : try source.number()
        guard width > 0, height > 0, 1...65535 ~= maximum else { throw Failure.damagedImage("PNM", "no pixels") }
        try checkSize(width: width, height: height, options, capacity: bytes.count * 8)
        // A single whitespace character separates the header from binary samples.
        if !isText { source.offset += 1 }

        let scale = netpbmScale(maximum: maximum, isGray: channels == 1)
        pixels = try Pixels(width: width, height: height, channels: channels) { target in
            let row = width * channels
            if isBitmap && !isText {
                let bytesPerRow = width.dividedRoundingUp(by: 8)
                let rows = try source.take(bytesPerRow * height)
                for y in 0..<height {
                    for x in 0..<width {
                        let isBlack = rows[y * bytesPerRow + x / 8] >> (7 - UInt8(x % 8)) & 1 == 1
                        target[y * row + x] = isBlack ? 0 : 255
                    }
                }
            } else if isText {
                for index in target.indices {
                    let value = isBitmap ? 1 - (try source.bit()) : try source.number()
                    guard value <= maximum else { throw Failure.damagedImage("PNM", "a sample is over the maximum") }
                    target[index] = scale[value]
                }
            } else if maximum < 256 {
                let samples = try source.take(target.count)
                for index in target.indices { target[index] = scale[min(Int(samples[index]), maximum)] }
            } else {
                let samples = try source.take(2 * target.count)
                for index in target.indices {
                    let value = Int(samples[2 * index]) << 8 | Int(samples[2 * index + 1])
                    target[index] = scale[min(value, maximum)]
                }
            }
        }
    }
}

/// The 8-bit value of each sample from 0 to `maximum`, as in Pillow.
///
/// Pillow scales gray of more than 8 bits to 0…65535 and uses the upper 8 bits; it scales everything else directly to
/// 0…255. Halves are rounded to even.
func netpbmScale(maximum: Int, isGray: Bool) -> [UInt8] {
    func scaled(_ sample: Int, to largest: Double) -> Int {
        Int((Double(sample) / Double(maximum) * largest).rounded(.toNearestOrEven))
    }
    let is16Bit = isGray && maximum > 255
    return (0...maximum).map { UInt8(is16Bit ? scaled($0, to: 65535) >> 8 : scaled($0, to: 255)) }
}

/// The words of the header, and of the samples in text files: separated by whitespace, with comments from # to the
/// end of the line.
struct NetpbmSource {
    let bytes: UnsafeRawBufferPointer
    /// The kind of file, for messages.
    let kind: String
    var offset = 2

    init(bytes: UnsafeRawBufferPointer, kind: String) { (self.bytes, self.kind) = (bytes, kind) }

    /// Everything up to the next whitespace.
    mutating func word() throws -> String {
        skipBlanks()
        let start = offset
        while offset < bytes.count, bytes[offset] != 0x20, !(0x09...0x0D ~= bytes[offset]) { offset += 1 }
        guard offset > start else { throw Failure.truncatedImage(kind) }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func skipBlanks() {
        while offset < bytes.count {
            if bytes[offset] == UInt8(ascii: "#") {
                while offset < bytes.count, bytes[offset] != 0x0A, bytes[offset] != 0x0D { offset += 1 }
            } else if bytes[offset] == 0x20 || 0x09...0x0D ~= bytes[offset] {
                offset += 1
            } else {
                return
            }
        }
    }

    /// A number, or 2^32 if it is larger.
    mutating func number() throws -> Int {
        skipBlanks()
        guard offset < bytes.count else { throw Failure.truncatedImage(kind) }
        let start = offset
        while offset < bytes.count, 0x30...0x39 ~= bytes[offset] { offset += 1 }
        guard let number = FileNumber(digits: bytes[start..<offset]) else {
            throw Failure.damagedImage(kind, "expected a number at byte \(start)")
        }
        return number.clamped(to: 0...1 << 32)
    }

    /// A digit of a bitmap, which needs no whitespace around it.
    mutating func bit() throws -> Int {
        skipBlanks()
        guard offset < bytes.count else { throw Failure.truncatedImage(kind) }
        guard 0x30...0x31 ~= bytes[offset] else {
            throw Failure.damagedImage(kind, "expected 0 or 1 at byte \(offset)")
        }
        offset += 1
        return Int(bytes[offset - 1] - 0x30)
    }

    mutating func take(_ count: Int) throws -> UnsafeRawBufferPointer {
        guard count <= bytes.count - offset else { throw Failure.truncatedImage(kind) }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
    }
}
