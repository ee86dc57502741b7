extension StoredImage {
    /// Decodes a PAM file: gray has one channel, color three, and either may have alpha in addition. Truncated data
    /// is refused. Source: the manual page pam(5) of Netpbm.
    init(pam bytes: UnsafeRawBufferPointer, _ options: DecodingOptions) throws {
        var source = NetpbmSource(bytes: bytes, kind: "PAM")
        let header = try Header(&source)
        let (width, height, maximum) = (header.width, header.height, header.maximum)
        guard width > 0, height > 0 else { throw Failure.damagedImage("PAM", "no pixels") }
        guard 1...65535 ~= maximum else { throw Failure.damagedImage("PAM", "MAXVAL is \(maximum)") }
        try checkSize(width: width, height: height, options, capacity: bytes.count)
        let (channels, hasAlpha) = try header.layout()
        // A single line feed separates the header from the samples.
        source.offset += 1

        let depth = header.depth
        let bytesPerSample = maximum < 256 ? 1 : 2
        let samples = try source.take(width * height * depth * bytesPerSample)
        func sample(_ index: Int) -> Int {
            let value =
                bytesPerSample == 1 ? Int(samples[index]) : Int(samples[2 * index]) << 8 | Int(samples[2 * index + 1])
            return min(value, maximum)
        }
        let scale = netpbmScale(maximum: maximum, isGray: channels == 1)
        pixels = Pixels(width: width, height: height, channels: channels) { target in
            for pixel in 0..<width * height {
                for channel in 0..<channels {
                    target[pixel * channels + channel] = scale[sample(pixel * depth + channel)]
                }
            }
        }
        if hasAlpha, options.background != nil {
            let scale = netpbmScale(maximum: maximum, isGray: false)
            alpha = (0..<width * height).map { scale[sample($0 * depth + channels)] }
        }
    }

    /// The lines between `P7` and `ENDHDR`.
    private struct Header {
        var (width, height, depth, maximum) = (0, 0, 0, 0)
        /// The meaning of a pixel's samples, if the file specifies it.
        var kind: String?

        init(_ source: inout NetpbmSource) throws {
            while true {
                switch try source.word() {
                case "WIDTH": width = try source.number()
                case "HEIGHT": height = try source.number()
                case "DEPTH": depth = try source.number()
                case "MAXVAL": maximum = try source.number()
                case "TUPLTYPE": kind = try source.word()
                case "ENDHDR": return
                case let word: throw Failure.damagedImage("PAM", "'\(word.prefix(20))' is not a header field")
                }
            }
        }

        /// The number of channels without alpha, and whether there is alpha.
        func layout() throws -> (channels: Int, hasAlpha: Bool) {
            switch (kind, depth) {
            case ("BLACKANDWHITE", 1), ("GRAYSCALE", 1), (nil, 1): return (1, false)
            case ("BLACKANDWHITE_ALPHA", 2), ("GRAYSCALE_ALPHA", 2), (nil, 2): return (1, true)
            case ("RGB", 3), (nil, 3): return (3, false)
            case ("RGB_ALPHA", 4), (nil, 4): return (3, true)
            default:
                let details = " of type \(kind ?? "none") with \(depth) samples per pixel"
                throw Failure.unsupportedImage(kind: "PAM", details)
            }
        }
    }
}
