import CTurboJPEG

extension StoredImage {
    /// Decodes a JPEG file. Grayscale files have one channel, others three. CMYK is assumed to be inverted, as
    /// written by Adobe and as assumed by Pillow, with or without Adobe's marker.
    ///
    /// Corrupt data is decoded as libjpeg recovers it, as in any viewer. The missing part of truncated data is gray,
    /// with a warning.
    init(jpeg bytes: UnsafeRawBufferPointer, _ options: DecodingOptions) throws {
        let decoder = try JPEGDecoder(bytes)
        var (width, height) = (decoder.width, decoder.height)
        // A block of 64 samples takes at least one bit, so a byte produces at most 512 pixels. This does not hold for
        // arithmetic coding.
        let capacity = bytes.isArithmeticJPEG ? Int.max : bytes.count * 512
        try checkSize(width: width, height: height, options, capacity: capacity)

        if let divisor = options.reduction?.divisor(width: width, height: height) {
            // Scaled decoding rounds up.
            (width, height) = (width.dividedRoundingUp(by: divisor), height.dividedRoundingUp(by: divisor))
        }
        orientation = Orientation(jpeg: bytes)
        var warning: Note?
        if decoder.channels < 4 {
            pixels = try Pixels(width: width, height: height, channels: decoder.channels) { target in
                warning = try decoder.decode(into: target, width, height)
            }
        } else {
            let inks = try [UInt8](unsafeUninitializedCapacity: width * height * 4) { buffer, initialized in
                initialized = width * height * 4
                warning = try decoder.decode(into: buffer, width, height)
            }
            pixels = Pixels(width: width, height: height, invertedInks: inks)
        }
        self.warning = warning
    }
}

/// turbojpeg's decoder of a file, with what the header says.
private final class JPEGDecoder {
    let width: Int
    let height: Int
    let channels: Int
    private let bytes: UnsafeRawBufferPointer
    private let handle: tjhandle
    private let format: TJPF

    init(_ bytes: UnsafeRawBufferPointer) throws {
        guard let handle = tjInitDecompress() else { throw Failure.damagedImage("JPEG", "out of memory") }
        // For chroma subsampling that turbojpeg has no name for, this call reports an error, although decoding works.
        // So the results decide.
        var (columns, rows, sampling, space): (Int32, Int32, Int32, Int32) = (0, 0, -1, -1)
        let status = tjDecompressHeader3(
            handle, bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), UInt(bytes.count), &columns, &rows,
            &sampling, &space)
        guard columns > 0, rows > 0, space >= 0 else {
            let problem = status == 0 ? "no image" : handle.problem
            tjDestroy(handle)
            throw Failure.damagedImage("JPEG", problem)
        }
        (self.bytes, self.handle, width, height) = (bytes, handle, Int(columns), Int(rows))
        (format, channels) =
            switch TJCS(rawValue: UInt32(space)) {
            case TJCS_GRAY: (TJPF_GRAY, 1)
            case TJCS_CMYK, TJCS_YCCK: (TJPF_CMYK, 4)
            default: (TJPF_RGB, 3)
            }
    }

    deinit { tjDestroy(handle) }

    /// Decodes the image at this size, which may be a reduced one.
    /// - Returns: A warning if the file is truncated.
    func decode(into target: UnsafeMutableBufferPointer<UInt8>, _ width: Int, _ height: Int) throws -> Note? {
        let status = tjDecompress2(
            handle, bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), UInt(bytes.count), target.baseAddress,
            Int32(width), Int32(width * channels), Int32(height), Int32(format.rawValue), TJFLAG_LIMITSCANS)
        if status == 0 { return nil }
        // turbojpeg reports only the first warning, so the end of the file is checked as well.
        let endsEarly = handle.problem.contains("Premature end") || !bytes.endsLikeAJPEG
        if tjGetErrorCode(handle) != TJERR_WARNING.rawValue {
            throw endsEarly ? Failure.truncatedImage("JPEG") : Failure.damagedImage("JPEG", handle.problem)
        }
        return endsEarly ? .imageDamaged(.truncatedImage("JPEG")) : nil
    }
}

extension Pixels {
    /// Colors from cyan, magenta, yellow and black, stored as 255 minus the ink.
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
    /// Whether the frame header specifies arithmetic coding: SOF9 and SOF10 of ITU-T T.81.
    fileprivate var isArithmeticJPEG: Bool {
        var offset = 2
        while offset + 4 <= count, self[offset] == 0xFF {
            let marker = self[offset + 1]
            if 0xC0...0xCF ~= marker, marker != 0xC4, marker != 0xC8, marker != 0xCC { return marker >= 0xC9 }
            offset += marker == 0xFF ? 1 : 2 + Int(self[offset + 2]) << 8 + Int(self[offset + 3])
        }
        return false
    }

    /// Whether there is an end-of-image marker near the end. (Some cameras write a few bytes after it.)
    fileprivate var endsLikeAJPEG: Bool {
        let tail = suffix(1 << 16)
        return zip(tail, tail.dropFirst()).contains { $0 == 0xFF && $1 == 0xD9 }
    }
}

extension tjhandle {
    fileprivate var problem: String { String(cString: tjGetErrorStr2(self)) }
}
