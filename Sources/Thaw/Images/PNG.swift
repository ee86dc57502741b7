import CCodecs

extension StoredImage {
    /// Decodes a PNG file. Grayscale files have one channel, others three. Palettes are resolved, depths of 1, 2 and
    /// 4 bits are scaled to 0…255, and only the upper 8 of 16 bits are used, as in Pillow and TensorFlow. Gamma and
    /// profiles are ignored. Corrupt or truncated data is refused. A wrong checksum, or an error after
    /// the last row, is a warning.
    init(png bytes: UnsafeRawBufferPointer, _ options: DecodingOptions) throws {
        // The header is always first: length, "IHDR", width, height, depth, color type, …
        if bytes.count >= 16, bytes[12..<16].elementsEqual("CgBI".utf8) { throw Failure.optimizedPNG() }
        guard bytes.count >= 33, bytes[12..<16].elementsEqual("IHDR".utf8) else { throw Failure.truncatedImage("PNG") }
        guard let columns = try bytes.number(UInt32.self, at: 16, .big).within(1...0x7FFF_FFFF),
            let rows = try bytes.number(UInt32.self, at: 20, .big).within(1...0x7FFF_FFFF)
        else { throw Failure.damagedImage("PNG", "no pixels") }
        let (width, height) = (UInt32(columns), UInt32(rows))
        // Deflate compresses at most 1032-fold, and a pixel takes at least one bit.
        try checkSize(width: columns, height: rows, options, capacity: bytes.count * 1032 * 8)

        let wantsAlpha = options.background != nil && Self.hasAlpha(png: bytes)
        let channels = bytes[25] & 2 == 0 ? 1 : 3
        var wrongChecksum: Int32 = 0
        var endsEarly = false
        func decode(into target: UnsafeMutableBufferPointer<UInt8>, samples: Int) throws {
            try withUnsafeTemporaryAllocation(of: CChar.self, capacity: 200) { message in
                let status = thaw_png_decode(
                    bytes.baseAddress, bytes.count, width, height, Int32(samples), target.baseAddress, &wrongChecksum,
                    message.baseAddress, message.count)
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
        orientation = Orientation(png: bytes)
        if endsEarly { warning = .imageDamaged(.truncatedImage("PNG")) }
        if wrongChecksum != 0 { warning = .imageDamaged(.wrongChecksum("PNG")) }
    }

    /// Whether pixels may be transparent, by the color type or by a chunk with transparent colors.
    private static func hasAlpha(png bytes: UnsafeRawBufferPointer) -> Bool {
        bytes[25] & 4 != 0 || PNGChunks(bytes).prefix { $0.name != "IDAT" }.contains { $0.name == "tRNS" }
    }
}
