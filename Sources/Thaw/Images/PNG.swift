import CCodecs

extension Pixels {
    /// The picture in a PNG file, as stored (EXIF is the caller's matter). Gray files give one channel, others three.
    /// Palettes are looked up, depths of 1, 2 and 4 bits spread over 0…255, of 16 bits the upper 8 are taken; alpha,
    /// gamma and profiles are ignored. Damaged or short data is refused.
    init(png bytes: UnsafeRawBufferPointer) throws {
        // The header always comes first: length, "IHDR", width, height, depth, colour type, …
        guard bytes.count >= 33, bytes[12..<16].elementsEqual("IHDR".utf8) else { throw Failure.truncatedImage("PNG") }
        let width = bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self).bigEndian
        let height = bytes.loadUnaligned(fromByteOffset: 20, as: UInt32.self).bigEndian
        guard 1...0x7FFF_FFFF ~= width, 1...0x7FFF_FFFF ~= height else {
            throw Failure.damagedImage("PNG", "no pixels")
        }
        // Deflate shrinks at most to a 1032nd, and a pixel takes at least one bit.
        try checkSize(width: Int(width), height: Int(height), limit: bytes.count * 1032 * 8)

        let channels = bytes[25] & 2 == 0 ? 1 : 3
        try self.init(width: Int(width), height: Int(height), channels: channels) { target in
            try withUnsafeTemporaryAllocation(of: CChar.self, capacity: 200) { message in
                let status = thaw_png_decode(
                    bytes.baseAddress, bytes.count, width, height, Int32(channels), target.baseAddress,
                    message.baseAddress, message.count)
                if status != 0 { throw Failure.damagedImage("PNG", String(cString: message.baseAddress!)) }
            }
        }
    }
}
