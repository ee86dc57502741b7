/// File names are bytes, and not necessarily text: `für.jpg` from an old archive may encode the ü as 0xFC. In text,
/// such a byte becomes a scalar of the last private-use plane, 0x10FF00 plus the byte, which is converted back when
/// the file is opened.
extension String {
    private static let raw: UInt32 = 0x10FF00

    /// The text of a file name.
    package init(fileName bytes: some Collection<UInt8>) {
        self = String(decoding: bytes, as: UTF8.self)
        // Text never contains the replacement scalars itself.
        guard unicodeScalars.contains(where: { $0 == "\u{FFFD}" || $0.value > String.raw }) else { return }
        var text = String.UnicodeScalarView()
        var rest = Array(bytes)[...]
        while let first = rest.first {
            // The longest valid scalar at this position.
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

    /// Whether it contains bytes that are not valid text.
    package var holdsRawBytes: Bool { unicodeScalars.contains { $0.value > String.raw } }

    /// The bytes of a file name as the system expects it, with the terminating zero.
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
