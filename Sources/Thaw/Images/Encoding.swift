import CCodecs
import CTurboJPEG

/// The kinds of image files that can be written, by file extension.
package enum ImageFormat: Sendable {
    case png, jpeg

    /// The longest side that a file of this kind supports, in pixels.
    package var longestSide: Int { self == .jpeg ? 65_535 : 0x7FFF_FFFF }

    /// - Returns: nil if the extension is not `.png`, `.jpg` or `.jpeg`.
    package init?(path: String) {
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        switch path[path.index(after: dot)...].lowercased() {
        case "png": self = .png
        case "jpg", "jpeg": self = .jpeg
        default: return nil
        }
    }
}

extension Pixels {
    /// Writes the image atomically to a PNG or JPEG file, depending on its extension.
    ///
    /// - Parameters:
    ///   - quality: The quality of a JPEG, from 1 to 100. Colors are not subsampled from 90 on.
    ///   - mayReplace: Whether an existing file may be replaced.
    /// - Precondition: The channels are gray, or red, green, blue.
    /// - Throws: `Failure` for another extension, an image too large for the format, or if the file cannot be
    ///   written.
    public func write(toFile path: String, quality: Int = 90, mayReplace: Bool = true) throws {
        guard let format = ImageFormat(path: path) else { throw Failure.unknownImageFormat().inFile(path) }
        guard max(width, height) <= format.longestSide else {
            throw Failure.imageTooLarge(forJPEG: width, height).inFile(path)
        }
        let file = try AtomicFile(path: path, mayReplace: mayReplace)
        try naming(file: path) {
            switch format {
            case .png: try writePNG(to: file)
            case .jpeg: try writeJPEG(to: file, quality: quality)
            }
        }
        try file.commit()
    }

    private func writePNG(to file: AtomicFile) throws {
        // Keeps a write error until libpng has returned from its own functions.
        struct Target {
            let file: AtomicFile
            var error: (any Error)?
        }
        var target = Target(file: file)
        try withUnsafeTemporaryAllocation(of: CChar.self, capacity: 200) { message in
            let status = withUnsafeMutablePointer(to: &target) { target in
                thaw_png_encode(
                    bytes, UInt32(width), UInt32(height), Int32(channels),
                    { context, bytes, count in
                        let target = context!.assumingMemoryBound(to: Target.self)
                        do {
                            try target.pointee.file.write(UnsafeRawBufferPointer(start: bytes, count: count))
                            return 0
                        } catch {
                            target.pointee.error = error
                            return 1
                        }
                    }, target, message.baseAddress, message.count)
            }
            if let error = target.error { throw error }
            if status != 0 { throw Failure.cannotEncode("PNG", String(cString: message.baseAddress!)) }
        }
    }

    private func writeJPEG(to file: AtomicFile, quality: Int) throws {
        guard let encoder = tjInitCompress() else { throw Failure.cannotEncode("JPEG", "out of memory") }
        defer { tjDestroy(encoder) }
        var (start, count): (UnsafeMutablePointer<UInt8>?, UInt) = (nil, 0)
        defer { tjFree(start) }
        let sampling = channels == 1 ? TJSAMP_GRAY : quality >= 90 ? TJSAMP_444 : TJSAMP_420
        let format = channels == 1 ? TJPF_GRAY : TJPF_RGB
        let status = tjCompress2(
            encoder, bytes, Int32(width), 0, Int32(height), Int32(format.rawValue), &start, &count,
            Int32(sampling.rawValue), Int32(quality), TJFLAG_ACCURATEDCT)
        guard status == 0, let start else {
            throw Failure.cannotEncode("JPEG", String(cString: tjGetErrorStr2(encoder)))
        }
        try file.write(UnsafeRawBufferPointer(start: start, count: Int(count)))
    }
}
