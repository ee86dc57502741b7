import CGIF

extension StoredImage {
    /// Decodes the first frame of a GIF file, on a canvas of the transparent color, or of the first color if there is
    /// none. Corrupt data is refused. The missing part of truncated data keeps that color, with a warning.
    init(gif bytes: UnsafeRawBufferPointer, _ options: DecodingOptions) throws {
        self = try withUnsafeTemporaryAllocation(of: Source.self, capacity: 1) { source in
            source[0] = Source(rest: bytes, lastByte: nil)
            var code: Int32 = 0
            guard let gif = DGifOpen(source.baseAddress, { $0!.read(to: $1!, count: $2) }, &code) else {
                throw Failure.gif(code)
            }
            defer { _ = DGifCloseFile(gif, nil) }
            return try StoredImage(gif, bytes.count, options)
        }
    }

    private init(_ gif: UnsafeMutablePointer<GifFileType>, _ byteCount: Int, _ options: DecodingOptions) throws {
        let transparent = try gif.findFirstFrame()
        let frame = gif.pointee.Image
        let (frameWidth, frameHeight) = (Int(frame.Width), Int(frame.Height))
        // A frame that extends past the canvas enlarges it.
        let width = max(Int(gif.pointee.SWidth), Int(frame.Left) + frameWidth)
        let height = max(Int(gif.pointee.SHeight), Int(frame.Top) + frameHeight)
        guard frameWidth > 0, frameHeight > 0 else { throw Failure.damagedImage("GIF", "no pixels") }
        // An LZW code of at most 12 bits represents at most 4096 pixels.
        try checkSize(width: width, height: height, options, capacity: byteCount * 4096)

        var indices = [UInt8](repeating: UInt8(transparent ?? 0), count: width * height)
        let rows = frame.Interlace ? Self.interlaced(frameHeight) : Array(0..<frameHeight)
        warning = try indices.withUnsafeMutableBufferPointer { indices in
            for (count, row) in rows.enumerated() {
                let offset = (Int(frame.Top) + row) * width + Int(frame.Left)
                guard DGifGetLine(gif, indices.baseAddress! + offset, frame.Width) == GIF_ERROR else { continue }
                let failure = Failure.gif(gif.pointee.Error)
                guard failure == Failure.truncatedImage("GIF"), count > 0 else { throw failure }
                return .imageDamaged(failure)
            }
            return nil
        }
        pixels = Pixels(width: width, height: height, indices, gif.palette)
        if let transparent, options.background != nil {
            alpha = indices.map { Int($0) == transparent ? 0 : 255 }
        }
    }

    /// The order in which the rows of an interlaced frame are stored. Source: GIF89a, appendix E.
    private static func interlaced(_ height: Int) -> [Int] {
        [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0, to: height, by: $1)) }
    }
}

/// The bytes that giflib has not read yet.
private struct Source {
    var rest: UnsafeRawBufferPointer
    /// The last byte that was read, if it was read separately.
    var lastByte: UInt8?
}

extension UnsafeMutablePointer<GifFileType> {
    /// The read callback of giflib.
    fileprivate func read(to target: UnsafeMutablePointer<GifByteType>, count: Int32) -> Int32 {
        let source = pointee.UserData.assumingMemoryBound(to: Source.self)
        let taken = UnsafeRawBufferPointer(rebasing: source.pointee.rest.prefix(Int(max(count, 0))))
        if let start = taken.baseAddress {
            UnsafeMutableRawPointer(target).copyMemory(from: start, byteCount: taken.count)
        }
        source.pointee.lastByte = taken.count == 1 && count == 1 ? taken[0] : nil
        source.pointee.rest = UnsafeRawBufferPointer(rebasing: source.pointee.rest.dropFirst(taken.count))
        return Int32(taken.count)
    }

    /// Advances to the data of the first frame.
    /// - Returns: The index of its transparent color, if it has one.
    fileprivate func findFirstFrame() throws -> Int? {
        var transparent: Int?
        while true {
            var record = UNDEFINED_RECORD_TYPE
            guard DGifGetRecordType(self, &record) != GIF_ERROR else {
                // An extra byte between two blocks is skipped, as in Pillow and browsers.
                if pointee.Error == D_GIF_ERR_WRONG_RECORD { continue }
                throw Failure.gif(pointee.Error)
            }
            switch record {
            case IMAGE_DESC_RECORD_TYPE:
                guard DGifGetImageDesc(self) != GIF_ERROR else {
                    // giflib gives no reason if the code size, the last byte of a frame's header, is too large or
                    // missing.
                    let source = pointee.UserData.assumingMemoryBound(to: Source.self).pointee
                    if let size = source.lastByte, size > 8 { throw Failure.gifCodeSize(size) }
                    throw source.rest.isEmpty ? Failure.truncatedImage("GIF") : Failure.gif(pointee.Error)
                }
                return transparent
            case EXTENSION_RECORD_TYPE:
                var code: Int32 = 0
                var block: UnsafeMutablePointer<GifByteType>?
                guard DGifGetExtension(self, &code, &block) != GIF_ERROR else { throw Failure.gif(pointee.Error) }
                // A block starts with its length, followed by flags, two bytes of delay, and the transparent index.
                if code == GRAPHICS_EXT_FUNC_CODE, let block, block[0] >= 4, block[1] & 1 == 1 {
                    transparent = Int(block[4])
                }
                while block != nil {
                    guard DGifGetExtensionNext(self, &block) != GIF_ERROR else { throw Failure.gif(pointee.Error) }
                }
            default:
                throw Failure.damagedImage("GIF", "it contains no image")
            }
        }
    }

    /// The color table of the frame or the file; shades of gray if there is none.
    fileprivate var palette: [RGBColor] {
        guard let map = pointee.Image.ColorMap ?? pointee.SColorMap, let colors = map.pointee.Colors else {
            return (0...255).map { RGBColor(red: $0, green: $0, blue: $0) }
        }
        return (0..<Int(map.pointee.ColorCount)).map {
            RGBColor(red: colors[$0].Red, green: colors[$0].Green, blue: colors[$0].Blue)
        }
    }
}

extension Failure {
    fileprivate static func gifCodeSize(_ size: UInt8) -> Failure {
        damagedImage("GIF", "its LZW codes start with \(size) bits; at most 8 are valid")
    }

    fileprivate static func gif(_ code: Int32) -> Failure {
        code == D_GIF_ERR_READ_FAILED || code == D_GIF_ERR_EOF_TOO_SOON
            ? truncatedImage("GIF")
            : damagedImage("GIF", GifErrorString(code).map { String(cString: $0) } ?? "it cannot be decoded")
    }
}
