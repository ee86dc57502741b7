/// An image in memory: rows from the top, interleaved pixels, 8 bits per channel, without padding.
///
/// Decoded images have one channel (gray) or three (red, green, blue); only `converted(to: .bgr)` reverses them.
public struct Pixels: Equatable, Sendable {
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// 1 for gray, 3 for red, green and blue.
    public let channels: Int
    /// `height · width · channels` bytes.
    public let bytes: [UInt8]

    /// - Precondition: Both sides are positive, there are 1 or 3 channels, and `bytes` has the required length.
    public init(width: Int, height: Int, channels: Int, bytes: [UInt8]) {
        precondition(width > 0 && height > 0 && (channels == 1 || channels == 3))
        precondition(bytes.count == width * height * channels)
        self.width = width
        self.height = height
        self.channels = channels
        self.bytes = bytes
    }

    /// Pixels that `fill` must initialize completely.
    init(
        width: Int, height: Int, channels: Int,
        filling fill: (UnsafeMutableBufferPointer<UInt8>) throws -> Void
    ) rethrows {
        let count = width * height * channels
        let bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            try fill(UnsafeMutableBufferPointer(rebasing: buffer[0..<count]))
            initialized = count
        }
        self.init(width: width, height: height, channels: channels, bytes: bytes)
    }

    /// The same image with its channels in the order of `layout`: gray is replicated to three channels, and color is
    /// converted to gray by ITU-R 601 in Pillow's fixed point.
    /// - Precondition: The channels are in decoded order, not `.bgr`.
    public func converted(to layout: ColorLayout) -> Pixels {
        switch (channels, layout) {
        case (1, .gray), (3, .rgb): self
        case (1, _): mapped(to: 3) { from, to in (to[0], to[1], to[2]) = (from[0], from[0], from[0]) }
        case (_, .bgr): mapped(to: 3) { from, to in (to[0], to[1], to[2]) = (from[2], from[1], from[0]) }
        default: mapped(to: 1) { from, to in to[0] = luma(from[0], from[1], from[2]) }
        }
    }

    /// The image mapped pixel by pixel to `newChannels` channels.
    private func mapped(
        to newChannels: Int, _ map: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>) -> Void
    ) -> Pixels {
        Pixels(width: width, height: height, channels: newChannels) { target in
            bytes.withUnsafeBufferPointer { source in
                for pixel in 0..<width * height {
                    map(source.baseAddress! + pixel * channels, target.baseAddress! + pixel * newChannels)
                }
            }
        }
    }
}

/// Luma by ITU-R 601-2, in the fixed point of Pillow's `convert("L")` (src/libImaging/Convert.c).
private func luma(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt8 {
    let sum: UInt32 = UInt32(red) * 19595 + UInt32(green) * 38470 + UInt32(blue) * 7471
    return UInt8((sum + 0x8000) >> 16)
}
