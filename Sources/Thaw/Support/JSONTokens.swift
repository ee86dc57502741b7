// The tokens of JSON text (RFC 8259), for the library and, by a symbolic link, for the service. Their values differ: the service
// reads the elements of a tensor into one flat list.

/// Reads tokens of JSON text. All functions throw `Invalid` at the first byte that is not valid.
struct JSONScanner {
    /// The offset of the first byte that is not valid.
    struct Invalid: Error {
        let offset: Int
    }

    let bytes: UnsafeRawBufferPointer
    /// The offset of the next byte.
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var invalid: Invalid { Invalid(offset: offset) }

    /// The next byte; nil at the end.
    var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    mutating func end() throws { if offset < bytes.count { throw invalid } }

    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    mutating func take(_ character: Unicode.Scalar) throws {
        guard takes(character) else { throw invalid }
    }

    /// Consumes the character if it is next.
    mutating func takes(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    /// Consumes the word if it is next.
    mutating func takesWord(_ word: StaticString) -> Bool {
        let end = offset + word.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        for index in 0..<word.utf8CodeUnitCount where bytes[offset + index] != word.utf8Start[index] { return false }
        offset = end
        return true
    }

    /// Begins an array or object.
    /// - Returns: Whether an element follows.
    mutating func opens(_ open: Unicode.Scalar, _ close: Unicode.Scalar) throws -> Bool {
        try take(open)
        skipSpace()
        return !takes(close)
    }

    /// Continues an array or object after an element.
    /// - Returns: Whether another element follows.
    mutating func continues(_ close: Unicode.Scalar) throws -> Bool {
        if takes(",") { return true }
        try take(close)
        return false
    }

    /// The key of an object's member, with its colon.
    mutating func key() throws -> String {
        skipSpace()
        let key = try text()
        skipSpace()
        try take(":")
        return key
    }

    // MARK: Strings

    mutating func text() throws -> String {
        try take("\"")
        let start = offset
        // Nearly all strings have no escapes.
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { offset += 1 }
        var units: [UInt8] = []
        if next != UInt8(ascii: "\"") {
            units = Array(bytes[start..<offset])
            while let byte = next, byte != UInt8(ascii: "\"") {
                guard byte >= 0x20 else { throw invalid }
                offset += 1
                if byte == UInt8(ascii: "\\") { try addEscaped(to: &units) } else { units.append(byte) }
            }
        }
        let end = offset
        try take("\"")
        let text =
            units.isEmpty
            ? String(validating: bytes[start..<end], as: UTF8.self) : String(validating: units, as: UTF8.self)
        guard let text else { throw invalid }
        return text
    }

    /// Appends the characters of an escape sequence, as UTF-8.
    private mutating func addEscaped(to units: inout [UInt8]) throws {
        guard let letter = next else { throw invalid }
        offset += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): units.append(letter)
        case UInt8(ascii: "b"): units.append(0x08)
        case UInt8(ascii: "f"): units.append(0x0C)
        case UInt8(ascii: "n"): units.append(0x0A)
        case UInt8(ascii: "r"): units.append(0x0D)
        case UInt8(ascii: "t"): units.append(0x09)
        case UInt8(ascii: "u"):
            var unit = try codeUnit()
            // Characters outside the basic multilingual plane are surrogate pairs.
            if 0xD800..<0xDC00 ~= unit, takesWord("\\u") {
                let low = try codeUnit()
                guard 0xDC00..<0xE000 ~= low else { throw invalid }
                unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(unit) else { throw invalid }
            units.append(contentsOf: String(scalar).utf8)
        default: throw invalid
        }
    }

    private mutating func codeUnit() throws -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else { throw invalid }
            unit = unit << 4 + UInt32(digit)
            offset += 1
        }
        return unit
    }

    // MARK: Numbers

    mutating func number() throws -> Double {
        let start = offset
        var mantissa: UInt64 = 0
        var fractionDigits = 0
        func digits(_ scanner: inout JSONScanner) throws -> Int {
            let first = scanner.offset
            while let byte = scanner.next, 0x30...0x39 ~= byte {
                mantissa = mantissa &* 10 &+ UInt64(byte - 0x30)
                scanner.offset += 1
            }
            guard scanner.offset > first else { throw scanner.invalid }
            return scanner.offset - first
        }
        let isNegative = takes("-")
        let leadsWithZero = next == UInt8(ascii: "0")
        var count = try digits(&self)
        guard !leadsWithZero || count == 1 else { throw invalid }
        if takes(".") {
            fractionDigits = try digits(&self)
            count += fractionDigits
        }
        let hasExponent = takes("e") || takes("E")
        if hasExponent {
            if !takes("+") { _ = takes("-") }
            _ = try digits(&self)
        }
        // Both operands are exact, so that the quotient is rounded once.
        if !hasExponent, count <= 15 {
            let magnitude = Double(mantissa) / powersOfTen[fractionDigits]
            return isNegative ? -magnitude : magnitude
        }
        guard let number = Double(String(decoding: bytes[start..<offset], as: UTF8.self)) else { throw invalid }
        return number
    }
}

private let powersOfTen: [Double] = (0...15).map { power in (0..<power).reduce(1.0) { product, _ in product * 10 } }

/// A JSON string with its quotes.
func quotedInJSON(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case "\n": result += "\\n"
        case "\r": result += "\\r"
        case "\t": result += "\\t"
        case _ where scalar.isControlling:
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}
