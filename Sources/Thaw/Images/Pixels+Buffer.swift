/// The order of a pixel's bytes in a buffer.
public enum PixelLayout: Sendable, CaseIterable {
    case gray, rgb, bgr, rgba, bgra

    /// Bytes per pixel.
    public var byteCount: Int {
        switch self {
        case .gray: 1
        case .rgb, .bgr: 3
        case .rgba, .bgra: 4
        }
    }

    fileprivate var hasAlpha: Bool { byteCount == 4 }
}

extension Pixels {
    /// A copy of the pixels in a buffer, such as that of a `CVPixelBuffer` or a bitmap context.
    ///
    /// - Parameters:
    ///   - buffer: Rows from the top, one byte per channel.
    ///   - bytesPerRow: The distance from one row to the next; nil if there are no gaps between rows.
    ///   - background: The color under transparent pixels; nil drops alpha. Colors are not premultiplied by alpha.
    /// - Throws: `Failure` if a side is less than 1 or too long, or if the buffer or its rows are too short.
    public init(
        copying buffer: UnsafeRawBufferPointer, width: Int, height: Int, layout: PixelLayout, bytesPerRow: Int? = nil,
        background: RGBColor? = nil
    ) throws {
        try Pixels.requireSides(width, height)
        let length = width * layout.byteCount
        let stride = bytesPerRow ?? length
        let (before, overflow) = stride.multipliedReportingOverflow(by: height - 1)
        guard stride >= length, !overflow, buffer.count - length >= before else {
            throw Failure.bufferTooShort(buffer.count, bytesPerRow: stride, width, height)
        }
        func bytes(inRow row: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: buffer[row * stride..<row * stride + length])
        }
        let channels = min(layout.byteCount, 3)
        self.init(width: width, height: height, channels: channels) { target in
            for row in 0..<height {
                let source = bytes(inRow: row)
                let start = target.baseAddress! + row * width * channels
                if channels == layout.byteCount {
                    UnsafeMutableRawPointer(start).copyMemory(from: source.baseAddress!, byteCount: length)
                } else {
                    for x in 0..<width {
                        for channel in 0..<3 { start[3 * x + channel] = source[4 * x + channel] }
                    }
                }
            }
        }
        if layout == .bgr || layout == .bgra { self = converted(to: .bgr) }
        guard layout.hasAlpha, let background else { return }
        var alpha: [UInt8] = []
        alpha.reserveCapacity(width * height)
        for row in 0..<height {
            let source = bytes(inRow: row)
            for x in 0..<width { alpha.append(source[4 * x + 3]) }
        }
        self = composed(with: alpha, on: background)
    }

    /// - Throws: `Failure` if a side is less than 1 or too long.
    package static func requireSides(_ width: Int, _ height: Int) throws {
        try ImageSize(width: width, height: height).check()
    }
}

extension Failure {
    fileprivate static func bufferTooShort(_ count: Int, bytesPerRow: Int, _ width: Int, _ height: Int) -> Failure {
        Failure(
            .invalidOption,
            "a buffer of \(count) bytes with \(bytesPerRow) per row is too short for \(width)×\(height) pixels")
    }
}
