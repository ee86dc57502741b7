import CTurboJPEG

extension StoredImage {
    /// The picture in a JPEG file. Gray files give one channel, others three; CMYK is taken to be inverted, as Adobe writes
    /// it and as Pillow takes it, with Adobe's marker and without.
    ///
    /// Damaged data is shown as libjpeg mends it, like in any viewer; of data that ends early the rest is gray, and there is
    /// a warning.
    init(jpeg bytes: UnsafeRawBufferPointer, _ options: DecodingOptions) throws {
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
        // A block of 64 samples takes at least one bit, so a byte makes at most 512 pixels; where codes are of whole bits.
        let capacity = bytes.isArithmeticJPEG ? Int.max : bytes.count * 512
        try checkSize(width: Int(width), height: Int(height), options, capacity: capacity)

        if let reduction = options.reduction {
            // Scaled decoding rounds up.
            let divisor = Int32(reduction.divisor(width: Int(width), height: Int(height)))
            (width, height) = ((width + divisor - 1) / divisor, (height + divisor - 1) / divisor)
        }
        orientation = Orientation(jpeg: bytes)
        var warning: String?
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
            if tjGetErrorCode(decoder) != TJERR_WARNING.rawValue {
                throw endsEarly ? Failure.truncatedImage("JPEG") : Failure.damagedImage("JPEG", decoder.problem)
            }
            if endsEarly { warning = Failure.truncatedImage("JPEG").problem }
        }
        if channels < 4 {
            pixels = try Pixels(width: Int(width), height: Int(height), channels: channels, filling: decode)
        } else {
            let inks = try [UInt8](unsafeUninitializedCapacity: Int(width) * Int(height) * 4) { buffer, initialized in
                initialized = Int(width) * Int(height) * 4
                try decode(into: buffer)
            }
            pixels = Pixels(width: Int(width), height: Int(height), invertedInks: inks)
        }
        self.warning = warning
    }
}

extension Pixels {
    /// Colours from cyan, magenta, yellow and black that are stored as 255 less the ink.
    fileprivate init(width: Int, height: Int, invertedInks inks: [UInt8]) {
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

extension UnsafeRawBufferPointer {
    /// Whether the frame's header says that numbers are coded arithmetically: SOF9 and SOF10 of ITU-T T.81.
    fileprivate var isArithmeticJPEG: Bool {
        var offset = 2
        while offset + 4 <= count, self[offset] == 0xFF {
            let marker = self[offset + 1]
            if 0xC0...0xCF ~= marker, marker != 0xC4, marker != 0xC8, marker != 0xCC { return marker >= 0xC9 }
            offset += marker == 0xFF ? 1 : 2 + Int(self[offset + 2]) << 8 + Int(self[offset + 3])
        }
        return false
    }

    /// Whether an end-of-image marker stands near the end. (Some cameras write a few bytes after it.)
    fileprivate var endsLikeAJPEG: Bool {
        let tail = suffix(1 << 16)
        return zip(tail, tail.dropFirst()).contains { $0 == 0xFF && $1 == 0xD9 }
    }
}

extension tjhandle {
    fileprivate var problem: String { String(cString: tjGetErrorStr2(self)) }
}
