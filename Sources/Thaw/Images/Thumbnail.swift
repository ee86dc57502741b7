import CTurboJPEG

extension Pixels {
    /// A thumbnail as a JPEG file, whose longer side has at most `side` pixels.
    package func thumbnail(side: Int) -> [UInt8] {
        let scale = min(1, Double(side) / Double(max(width, height)))
        let small = resized(
            width: max(1, Int(Double(width) * scale + 0.5)), height: max(1, Int(Double(height) * scale + 0.5)),
            from: 0..<width, 0..<height, by: .pillow)
        return small.jpeg(quality: 70)
    }

    /// The image as a JPEG file; empty if memory runs out.
    func jpeg(quality: Int) -> [UInt8] {
        guard let encoder = tjInitCompress() else { return [] }
        defer { tjDestroy(encoder) }
        var (result, count): (UnsafeMutablePointer<UInt8>?, UInt) = (nil, 0)
        defer { tjFree(result) }
        let (format, sampling) = channels == 1 ? (TJPF_GRAY, TJSAMP_GRAY) : (TJPF_RGB, TJSAMP_420)
        let status = bytes.withUnsafeBufferPointer {
            tjCompress2(
                encoder, $0.baseAddress, Int32(width), Int32(width * channels), Int32(height), Int32(format.rawValue),
                &result, &count, Int32(sampling.rawValue), Int32(quality), 0)
        }
        return status == 0 ? Array(UnsafeBufferPointer(start: result, count: Int(count))) : []
    }
}
