/// Names of files are bytes, and text is not always what they are: an old archive's `für.jpg` may hold 0xFC for the ü. Such a
/// byte becomes a scalar of the last private plane in text, 0x10FF00 above it, and that byte again where the file is opened.
extension String {
    private static let raw: UInt32 = 0x10FF00

    /// The text of a file's name.
    public init(fileName bytes: some Collection<UInt8>) {
        self = String(decoding: bytes, as: UTF8.self)
        // What stands for a byte stands in no text of its own.
        guard unicodeScalars.contains(where: { $0 == "\u{FFFD}" || $0.value > String.raw }) else { return }
        var text = String.UnicodeScalarView()
        var rest = Array(bytes)[...]
        while let first = rest.first {
            // The longest scalar that stands here.
            let whole = (1...4).reversed().lazy.compactMap { count -> Unicode.Scalar? in
                guard count <= rest.count, let text = String(validating: rest.prefix(count), as: UTF8.self),
                    text.unicodeScalars.count == 1, text.unicodeScalars.first!.value <= String.raw
                else { return nil }
                return text.unicodeScalars.first
            }.first
            text.append(whole ?? Unicode.Scalar(String.raw + UInt32(first))!)
            rest = rest.dropFirst(whole.map { UTF8.width($0) } ?? 1)
        }
        self = String(text)
    }

    /// Whether there is a byte in it that is no text.
    package var holdsRawBytes: Bool { unicodeScalars.contains { $0.value > String.raw } }

    /// The bytes of a file's name as the system takes it, with the zero that ends it.
    package var fileName: [CChar] {
        guard holdsRawBytes else { return Array(utf8CString) }
        var bytes: [CChar] = []
        for scalar in unicodeScalars {
            if scalar.value > String.raw {
                bytes.append(CChar(bitPattern: UInt8(truncatingIfNeeded: scalar.value)))
            } else {
                bytes += String(scalar).utf8.map { CChar(bitPattern: $0) }
            }
        }
        return bytes + [0]
    }
}
