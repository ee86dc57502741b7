/// The kind of an image, detected from the first bytes of the file. File names are irrelevant.
enum ImageKind: Equatable, Sendable {
    case jpeg, png, webP, gif, bmp, pnm, pam
    /// A kind that is recognized but cannot be decoded.
    case other(String)

    /// The names of the kinds that can be decoded, such as "JPEG, PNG or WebP".
    static func supportedNames(_ conjunction: String) -> String {
        let names = ["JPEG", "PNG", "WebP", "GIF", "BMP", "PNM", "PAM"]
        return names.dropLast().joined(separator: ", ") + " \(conjunction) " + names.last!
    }

    /// The number of bytes that suffice for detection.
    static let prefix = 32

    /// - Returns: nil if the bytes are not the start of any known kind of image.
    init?(of bytes: UnsafeRawBufferPointer) {
        let start = [UInt8](bytes.prefix(Self.prefix))
        func has(_ text: String, at offset: Int = 0) -> Bool {
            start.dropFirst(offset).starts(with: text.utf8)
        }
        if start.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if has("GIF87a") || has("GIF89a") {
            self = .gif
        } else if has("RIFF") && has("WEBP", at: 8) {
            self = .webP
        } else if has("BM") && start.count > 17 && [12, 40, 52, 56, 64, 108, 124].contains(start[14]) && start[15] == 0
        {
            self = .bmp
        } else if has("II*\0") || has("MM\0*") || has("II+\0") || has("MM\0+") {
            self = .other("TIFF")
        } else if has("ftypavi", at: 4) {
            self = .other("AVIF")
        } else if ["heic", "heix", "hevc", "heim", "heis", "mif1", "msf1"].contains(where: { has("ftyp" + $0, at: 4) })
        {
            self = .other("HEIC")
        } else if has("\0\0\0\u{0C}jP  ") || start.starts(with: [0xFF, 0x4F, 0xFF, 0x51]) {
            self = .other("JPEG 2000")
        } else if has("\0\0\0\u{0C}JXL ") || start.starts(with: [0xFF, 0x0A]) {
            self = .other("JPEG XL")
        } else if has("8BPS") {
            self = .other("Photoshop")
        } else if has("\0\0\u{1}\0") && start.count > 9 && start[9] == 0 {
            self = .other("icon")
        } else if start.count > 2 && has("P") && (0x31...0x36).contains(start[1])
            && (0x09...0x0D ~= start[2] || start[2] == 0x20 || start[2] == 0x23)
        {
            self = .pnm
        } else if has("P7\n") {
            self = .pam
        } else {
            return nil
        }
    }

    /// Whether `path` has an image extension.
    static func isNamedLikeAnImage(_ path: String) -> Bool {
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return extensions.contains(path[path.index(after: dot)...].lowercased())
    }

    private static let extensions: Set<String> = [
        "jpg", "jpeg", "jpe", "jfif", "png", "apng", "gif", "webp", "bmp", "dib", "tif", "tiff", "heic", "heif", "avif",
        "jp2", "jxl", "psd", "ico", "ppm", "pgm", "pbm", "pnm", "pam",
    ]
}
