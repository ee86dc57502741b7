import CWebP

extension StoredImage {
    /// Decodes a WebP file, lossy or lossless. For an animation, decodes the first frame, on a canvas that is black
    /// and transparent outside it. Corrupt or truncated data is refused.
    init(webP bytes: UnsafeRawBufferPointer, _ options: DecodingOptions) throws {
        var features = WebPBitstreamFeatures()
        try requireSuccess(WebPGetFeatures(bytes.start, bytes.count, &features))
        let (width, height) = (Int(features.width), Int(features.height))
        try checkSize(width: width, height: height, options, capacity: bytes.count * webPPixelsPerByte)
        let wantsAlpha = options.background != nil && features.has_alpha != 0
        if features.has_animation != 0 {
            guard let frame = Frame(firstIn: bytes) else { throw Failure.truncatedImage("WebP") }
            var frameFeatures = WebPBitstreamFeatures()
            try requireSuccess(WebPGetFeatures(frame.bytes.start, frame.bytes.count, &frameFeatures))
            guard frame.x + Int(frameFeatures.width) <= width, frame.y + Int(frameFeatures.height) <= height else {
                throw Failure.damagedImage("WebP", "the first frame extends outside the canvas")
            }
            let canvas = try decode(
                frame.bytes, width: Int(frameFeatures.width), height: Int(frameFeatures.height), wantsAlpha: wantsAlpha)
            let size = (width, height)
            pixels = canvas.pixels.placed(in: size, at: (frame.x, frame.y), on: .black)
            alpha = canvas.alpha.map {
                Pixels(width: canvas.pixels.width, height: canvas.pixels.height, channels: 1, bytes: $0)
                    .placed(in: size, at: (frame.x, frame.y), on: .black).bytes
            }
        } else {
            (pixels, alpha) = try decode(bytes, width: width, height: height, wantsAlpha: wantsAlpha)
        }
        orientation = Orientation(webP: bytes)
    }
}

/// The assumed maximum number of pixels per byte of a WebP file. The format has no bound: a plain area takes no bits at
/// all. White images of 64 million pixels with a line across stay below this.
private let webPPixelsPerByte = 1 << 15

/// A frame of an animation: its own image chunks, and its position on the canvas.
private struct Frame {
    let x: Int
    let y: Int
    let bytes: UnsafeRawBufferPointer

    /// Its chunk contains x/2, y/2, width - 1, height - 1 and duration in three bytes each, a byte of flags, and the
    /// image. Source: RFC 9649, section 2.7.1.1.
    init?(firstIn bytes: UnsafeRawBufferPointer) {
        guard let content = RIFFChunks(bytes).first(where: { $0.name == "ANMF" })?.content, content.count > 16 else {
            return nil
        }
        func number(_ offset: Int) -> Int? {
            try? content.number(UInt32.self, at: offset).size & 0xFF_FFFF
        }
        guard let halfX = number(0), let halfY = number(3) else { return nil }
        (x, y) = (2 * halfX, 2 * halfY)
        self.bytes = UnsafeRawBufferPointer(rebasing: content[16...])
    }
}

private func decode(
    _ bytes: UnsafeRawBufferPointer, width: Int, height: Int, wantsAlpha: Bool
) throws -> (pixels: Pixels, alpha: [UInt8]?) {
    guard wantsAlpha else {
        let pixels = try Pixels(width: width, height: height, channels: 3) { target in
            let end = WebPDecodeRGBInto(bytes.start, bytes.count, target.baseAddress, target.count, Int32(width * 3))
            if end == nil { throw Failure.truncatedImage("WebP") }
        }
        return (pixels, nil)
    }
    let samples = try [UInt8](unsafeUninitializedCapacity: width * height * 4) { buffer, count in
        count = width * height * 4
        let end = WebPDecodeRGBAInto(bytes.start, bytes.count, buffer.baseAddress, count, Int32(width * 4))
        if end == nil { throw Failure.truncatedImage("WebP") }
    }
    return samples.splitAlpha(width: width, height: height, channels: 3)
}

private func requireSuccess(_ status: VP8StatusCode) throws {
    switch status {
    case VP8_STATUS_OK: return
    case VP8_STATUS_NOT_ENOUGH_DATA: throw Failure.truncatedImage("WebP")
    case VP8_STATUS_UNSUPPORTED_FEATURE: throw Failure.damagedImage("WebP", "it uses unknown features")
    default: throw Failure.damagedImage("WebP", "its headers contradict each other")
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var start: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
