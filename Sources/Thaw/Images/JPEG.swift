import CTurboJPEG

extension Pixels {
    /// The picture in a JPEG file, as stored (EXIF is the caller's matter). Gray files give one channel, others three;
    /// CMYK is taken to be inverted, as Adobe writes it and as Pillow takes it.
    ///
    /// Damaged data is shown as libjpeg mends it, like in any viewer; data that ends early is refused.
    init(jpeg bytes: UnsafeRawBufferPointer) throws {
        guard let decoder = tjInitDecompress() else { throw Failure.damagedImage("JPEG", "out of memory") }
        defer { tjDestroy(decoder) }
        let (start, count) = (bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), UInt(bytes.count))

        // A sampling of the colours that turbojpeg has no name for is an error here and none in decoding; so the
        // numbers decide.
        var (width, height, sampling, space): (Int32, Int32, Int32, Int32) = (0, 0, -1, -1)
        let status = tjDecompressHeader3(decoder, start, count, &width, &height, &sampling, &space)
        guard width > 0, height > 0, space >= 0 else {
            throw Failure.damagedImage("JPEG", status == 0 ? "no picture" : decoder.problem)
        }
        // A block of 64 samples takes at least one bit, so a byte makes at most 512 pixels.
        try checkSize(width: Int(width), height: Int(height), limit: bytes.count * 512)

        let (format, channels) =
            switch TJCS(rawValue: UInt32(space)) {
            case TJCS_GRAY: (TJPF_GRAY, 1)
            case TJCS_CMYK, TJCS_YCCK: (TJPF_CMYK, 4)
            default: (TJPF_RGB, 3)
            }
        func decode(into target: UnsafeMutableBufferPointer<UInt8>) throws {
            let status = tjDecompress2(
                decoder, start, count, target.baseAddress, width, width * Int32(channels), height,
                Int32(format.rawValue), TJFLAG_LIMITSCANS)
            if status == 0 { return }
            // turbojpeg reports the first warning only, so a file that does not end as it should is looked at again.
            let endsEarly = decoder.problem.contains("Premature end") || !bytes.endsLikeAJPEG
            if endsEarly { throw Failure.truncatedImage("JPEG") }
            if tjGetErrorCode(decoder) != TJERR_WARNING.rawValue { throw Failure.damagedImage("JPEG", decoder.problem) }
        }
        if channels < 4 {
            try self.init(width: Int(width), height: Int(height), channels: channels, filling: decode)
        } else {
            let inks = try [UInt8](unsafeUninitializedCapacity: Int(width) * Int(height) * 4) { buffer, initialized in
                initialized = Int(width) * Int(height) * 4
                try decode(into: buffer)
            }
            self.init(width: Int(width), height: Int(height), invertedInks: inks)
        }
    }

    /// Colours from cyan, magenta, yellow and black that are stored as 255 less the ink.
    private init(width: Int, height: Int, invertedInks inks: [UInt8]) {
        self.init(width: width, height: height, channels: 3) { target in
            for pixel in 0..<width * height {
                let light = UInt32(inks[4 * pixel + 3])
                for channel in 0..<3 {
                    let product = (255 - UInt32(inks[4 * pixel + channel])) * light + 128
                    target[3 * pixel + channel] = UInt8(light - (product + product >> 8) >> 8)
                }
            }
        }
    }
}

/// Refuses a picture that claims more pixels than its file can hold, or more than any camera takes, before room is made
/// for it.
func checkSize(width: Int, height: Int, limit: Int) throws {
    let pixels = width * height
    guard pixels <= 1 << 28 else { throw Failure.imageTooLarge(width: width, height: height) }
    guard pixels <= limit else { throw Failure.imageClaimsTooMuch(width: width, height: height) }
}

extension UnsafeRawBufferPointer {
    /// Whether an end-of-image marker stands near the end. (Some cameras write a few bytes after it.)
    fileprivate var endsLikeAJPEG: Bool {
        let tail = suffix(1 << 16)
        return zip(tail, tail.dropFirst()).contains { $0 == 0xFF && $1 == 0xD9 }
    }
}

extension tjhandle {
    fileprivate var problem: String { String(cString: tjGetErrorStr2(self)) }
}
