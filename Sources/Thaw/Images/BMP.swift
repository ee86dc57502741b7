extension StoredImage {
    /// Decodes a BMP file of Windows or OS/2: palettes of 1 to 8 bits, uncompressed or run-length encoded, and 16-,
    /// 24- and 32-bit colors with any bit masks, with alpha if there is a mask for it. Truncated data is refused;
    /// run-length encoded data is decoded as far as it goes, with a warning.
    /// Source: Microsoft, "Bitmap Header Types" (wingdi.h).
    init(bmp bytes: UnsafeRawBufferPointer, _ options: DecodingOptions) throws {
        let header = try BMPHeader(bytes)
        let (width, height) = (header.width, header.height)
        let isRunLength = header.compression == 1 || header.compression == 2
        // A run of 255 takes two bytes.
        try checkSize(width: width, height: height, options, capacity: bytes.count * (isRunLength ? 128 : 8))
        guard header.offset <= bytes.count else { throw Failure.truncatedImage("BMP") }
        let data = UnsafeRawBufferPointer(rebasing: bytes[header.offset...])
        if isRunLength {
            let (indices, isWhole) = header.runLengthIndices(data)
            pixels = Pixels(width: width, height: height, indices, header.palette)
            if !isWhole { warning = .imageDamaged(.truncatedImage("BMP")) }
            return
        }
        guard (height - 1) * header.stride + header.rowBytes <= data.count else { throw Failure.truncatedImage("BMP") }
        if header.bits <= 8 {
            pixels = Pixels(width: width, height: height, header.indices(data), header.palette)
        } else {
            pixels = header.colors(data)
            if options.background != nil, header.masks[3] != 0 { alpha = header.alpha(data) }
        }
    }
}

/// The header before the pixels.
private struct BMPHeader {
    let width: Int
    let height: Int
    let isTopDown: Bool
    let bits: Int
    /// 0 for uncompressed, 1 and 2 for 8-bit and 4-bit run lengths, 3 and 6 for bit masks.
    let compression: Int
    /// The bits of red, green, blue and alpha if there is no palette.
    var masks: [UInt32] = []
    var palette: [RGBColor] = []
    /// The offset of the pixels.
    let offset: Int

    init(_ bytes: UnsafeRawBufferPointer) throws {
        func number(_ offset: Int, _ count: Int) throws -> Int {
            guard offset + count <= bytes.count else { throw Failure.truncatedImage("BMP") }
            // Four bytes at most.
            return FileNumber(bytes.word(offset, count: count)).clamped(to: 0...Int(UInt32.max))
        }
        let size = try number(14, 4)
        let isCore = size == 12
        width = isCore ? try number(18, 2) : Int(Int32(truncatingIfNeeded: try number(18, 4)))
        let rows = isCore ? try number(20, 2) : Int(Int32(truncatingIfNeeded: try number(22, 4)))
        (height, isTopDown) = (abs(rows), rows < 0)
        bits = try number(isCore ? 24 : 28, 2)
        compression = isCore ? 0 : try number(30, 4)
        guard width > 0, height > 0 else { throw Failure.damagedImage("BMP", "no pixels") }
        try Self.checkFormat(bits, compression, headerSize: size)
        var end = 14 + size
        if bits > 8 {
            if compression == 0 {
                masks = bits == 16 ? [0x7C00, 0x3E0, 0x1F, 0] : [0xFF0000, 0xFF00, 0xFF, 0]
            } else {
                let hasAlpha = size >= 56 || compression == 6
                masks = try (0..<4).map { $0 < 3 || hasAlpha ? UInt32(try number(54 + 4 * $0, 4)) : 0 }
                if size == 40 { end += hasAlpha ? 16 : 12 }
            }
        } else {
            let named = isCore ? 0 : try number(46, 4)
            let step = isCore ? 3 : 4
            // An OS/2 palette extends to the pixels, but contains no more colors than indices can refer to.
            let room = isCore ? max(0, try number(10, 4) - end) / step : 1 << bits
            let stored = named == 0 ? min(1 << bits, room == 0 ? 1 << bits : room) : named
            guard stored <= 1 << 16 else { throw Failure.damagedImage("BMP", "a palette of \(stored) colors") }
            palette = try (0..<min(stored, 1 << bits)).map { index in
                let color = try number(end + index * step, 3)
                return RGBColor(
                    red: UInt8(color >> 16), green: UInt8(truncatingIfNeeded: color >> 8),
                    blue: UInt8(truncatingIfNeeded: color))
            }
            end += stored * step
        }
        let named = try number(10, 4)
        // Some writers give the offset directly after the header even though a palette follows.
        offset = named <= 14 + size ? end : named
    }

    /// - Throws: `Failure` for pixels that are not supported.
    private static func checkFormat(_ bits: Int, _ compression: Int, headerSize: Int) throws {
        switch (bits, compression) {
        case (1, 0), (2, 0), (4, 0), (8, 0), (16, 0), (24, 0), (32, 0), (8, 1), (4, 2), (16, 3), (24, 3), (32, 3),
            (16, 6), (32, 6):
            break
        case (_, 4):
            throw Failure.unsupportedImage(
                kind: "BMP", headerSize == 64 ? " with runs of 24 bits" : " that contains a JPEG")
        case (_, 5): throw Failure.unsupportedImage(kind: "BMP", " that contains a PNG")
        default: throw Failure.damagedImage("BMP", "\(bits) bits per pixel in compression \(compression)")
        }
    }

    /// The bytes of a row without the padding at its end.
    var rowBytes: Int { (width * bits).dividedRoundingUp(by: 8) }

    /// The bytes from one row to the next.
    var stride: Int { (width * bits).dividedRoundingUp(by: 32) * 4 }

    /// The offset of a row, counted from the top.
    private func start(_ y: Int) -> Int { (isTopDown ? y : height - 1 - y) * stride }

    /// The palette indices of an uncompressed image.
    func indices(_ data: UnsafeRawBufferPointer) -> [UInt8] {
        let mask = UInt8(truncatingIfNeeded: 1 << bits - 1)
        var indices: [UInt8] = []
        indices.reserveCapacity(width * height)
        for y in 0..<height {
            let start = start(y)
            for x in 0..<width {
                let bit = x * bits
                indices.append(data[start + bit / 8] >> UInt8(8 - bits - bit % 8) & mask)
            }
        }
        return indices
    }

    /// The colors of an image without a palette.
    func colors(_ data: UnsafeRawBufferPointer) -> Pixels {
        let fields = masks.map(BitField.init)
        let step = bits / 8
        return Pixels(width: width, height: height, channels: 3) { target in
            for y in 0..<height {
                let start = start(y)
                for x in 0..<width {
                    let value = data.word(start + x * step, count: step)
                    for channel in 0..<3 { target[(y * width + x) * 3 + channel] = fields[channel].sample(value) }
                }
            }
        }
    }

    /// The alpha channel of an image without a palette.
    func alpha(_ data: UnsafeRawBufferPointer) -> [UInt8] {
        let field = BitField(masks[3])
        let step = bits / 8
        return (0..<width * height).map { pixel in
            field.sample(data.word(start(pixel / width) + pixel % width * step, count: step))
        }
    }

    /// The palette indices of a run-length encoded image. Pixels that the file skips are 0. Corrupt files are decoded
    /// as in Pillow: a run of one index is cut off at the end of its row, one of several indices continues in the
    /// next row.
    func runLengthIndices(_ data: UnsafeRawBufferPointer) -> (indices: [UInt8], isWhole: Bool) {
        var indices = [UInt8](repeating: 0, count: width * height)
        // The position of the next index, in rows as stored in the file, and the number of indices in this row so
        // far.
        var (position, x, offset) = (0, 0, 0)
        func next() -> UInt8? {
            guard offset < data.count else { return nil }
            offset += 1
            return data[offset - 1]
        }
        func put(_ index: UInt8) {
            guard position < indices.count else { return }
            let y = position / width
            indices[(isTopDown ? y : height - 1 - y) * width + position % width] = index
            position += 1
        }
        while position < indices.count {
            guard let count = next(), let value = next() else { return (indices, false) }
            if count > 0 {
                for index in 0..<max(0, min(Int(count), width - x)) {
                    put(bits == 8 ? value : index % 2 == 0 ? value >> 4 : value & 15)
                }
                x += Int(count)
                continue
            }
            switch value {
            case 0:
                if position % width != 0 || x == 0 { position += width - position % width }
                x = 0
            case 1: return (indices, true)
            case 2:
                guard let right = next(), let up = next() else { return (indices, false) }
                position += Int(right) + Int(up) * width
                x = position % width
            default:
                for index in 0..<Int(value) {
                    let at = offset + (bits == 8 ? index : index / 2)
                    guard at < data.count else { return (indices, false) }
                    put(bits == 8 ? data[at] : index % 2 == 0 ? data[at] >> 4 : data[at] & 15)
                }
                let byteCount = bits == 8 ? Int(value) : (Int(value) + 1) / 2
                offset += byteCount + byteCount % 2
                x += Int(value)
            }
        }
        return (indices, true)
    }
}

/// The bits of one channel in a pixel.
private struct BitField {
    private let mask: UInt32
    private let shift: UInt32
    private let maximum: UInt64

    init(_ mask: UInt32) {
        self.mask = mask
        shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
        maximum = UInt64(mask >> shift)
    }

    /// The channel of a pixel, scaled to 0…255 and rounded down as in Pillow.
    func sample(_ value: UInt32) -> UInt8 {
        maximum == 0 ? 0 : UInt8(UInt64((value & mask) >> shift) * 255 / maximum)
    }
}

extension UnsafeRawBufferPointer {
    /// The `count` bytes (up to four) at `offset` as a little-endian integer.
    fileprivate func word(_ offset: Int, count: Int) -> UInt32 {
        (0..<count).reduce(0) { $0 | UInt32(self[offset + $1]) << UInt32(8 * $1) }
    }
}
