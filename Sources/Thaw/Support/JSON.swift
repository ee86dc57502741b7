/// A JSON value (RFC 8259), with the features that a package manifest needs. The service, which uses only the public API,
/// has its own type for requests, with tensors as flat lists.
package enum JSON: Equatable {
    case object([(key: String, value: JSON)])
    case array([JSON])
    case string(String)
    case number(Double)
    /// A number in the digits in which it is written. Parsing does not return it.
    case numeral(String)
    case bool(Bool)
    case null

    /// - Throws: `Failure` at the first byte that is not valid JSON, and for nesting deeper than `depthLimit`.
    init(_ bytes: UnsafeRawBufferPointer) throws {
        var parser = Parser(bytes: bytes)
        self = try parser.value(depth: 0)
        try parser.end()
    }

    static let depthLimit = 64

    /// The value of an object's key; nil if there is none, or if this is not an object.
    subscript(key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }

    package static func == (a: JSON, b: JSON) -> Bool {
        switch (a, b) {
        case (.object(let a), .object(let b)): a.elementsEqual(b) { $0.key == $1.key && $0.value == $1.value }
        case (.array(let a), .array(let b)): a == b
        case (.string(let a), .string(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.numeral(let a), .numeral(let b)): a == b
        case (.bool(let a), .bool(let b)): a == b
        case (.null, .null): true
        default: false
        }
    }
}

private struct Parser {
    let bytes: UnsafeRawBufferPointer
    var position = 0

    private var failure: Failure { Failure.notJSON(at: position) }
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    private mutating func take(_ character: Character) throws {
        guard next == character.asciiValue else { throw failure }
        position += 1
    }

    /// Consumes the word if it is next.
    private mutating func takes(_ word: String) -> Bool {
        guard bytes[position...].starts(with: word.utf8) else { return false }
        position += word.utf8.count
        return true
    }

    mutating func end() throws { if position < bytes.count { throw failure } }

    /// The next value, with surrounding whitespace.
    mutating func value(depth: Int) throws -> JSON {
        guard depth < JSON.depthLimit else { throw failure }
        skipSpace()
        let value: JSON
        switch next.map({ Character(UnicodeScalar($0)) }) {
        case "{": value = .object(try members(depth))
        case "[":
            var elements: [JSON] = []
            try list("[", "]") { parser in elements.append(try parser.value(depth: depth + 1)) }
            value = .array(elements)
        case "\"": value = .string(try text())
        case "t" where takes("true"): value = .bool(true)
        case "f" where takes("false"): value = .bool(false)
        case "n" where takes("null"): value = .null
        default: value = .number(try number())
        }
        skipSpace()
        return value
    }

    private mutating func members(_ depth: Int) throws -> [(key: String, value: JSON)] {
        var members: [(key: String, value: JSON)] = []
        var keys: Set<String> = []
        try list("{", "}") { parser in
            parser.skipSpace()
            let key = try parser.text()
            guard keys.insert(key).inserted else { throw parser.failure }
            parser.skipSpace()
            try parser.take(":")
            members.append((key, try parser.value(depth: depth + 1)))
        }
        return members
    }

    private mutating func list(_ open: Character, _ close: Character, _ element: (inout Parser) throws -> Void) throws {
        try take(open)
        skipSpace()
        if next == close.asciiValue { return try take(close) }
        while true {
            try element(&self)
            guard next == UInt8(ascii: ",") else { return try take(close) }
            try take(",")
        }
    }

    private mutating func text() throws -> String {
        try take("\"")
        var units: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw failure }
            position += 1
            if byte == UInt8(ascii: "\\") { units += try escaped() } else { units.append(byte) }
        }
        try take("\"")
        guard let text = String(validating: units, as: UTF8.self) else { throw failure }
        return text
    }

    /// The characters of an escape sequence, as UTF-8.
    private mutating func escaped() throws -> [UInt8] {
        let plain: [UInt8: UInt8] = [
            0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
        ]
        guard let letter = next else { throw failure }
        position += 1
        if let byte = plain[letter] { return [byte] }
        guard letter == UInt8(ascii: "u") else { throw failure }
        var unit = try codeUnit()
        // Characters outside the basic multilingual plane are surrogate pairs.
        if 0xD800..<0xDC00 ~= unit, takes("\\u") {
            let low = try codeUnit()
            guard 0xDC00..<0xE000 ~= low else { throw failure }
            unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = UnicodeScalar(unit) else { throw failure }
        return Array(String(scalar).utf8)
    }

    private mutating func codeUnit() throws -> UInt32 {
        guard position + 4 <= bytes.count else { throw failure }
        let digits = String(decoding: bytes[position..<position + 4], as: UTF8.self)
        guard digits.allSatisfy(\.isHexDigit), let unit = UInt32(digits, radix: 16) else { throw failure }
        position += 4
        return unit
    }

    private mutating func number() throws -> Double {
        let start = position
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { 0x30...0x39 ~= $0 } ?? false }
        func digits(_ parser: inout Parser) throws {
            guard isDigit(parser.next) else { throw parser.failure }
            while isDigit(parser.next) { parser.position += 1 }
        }
        if next == UInt8(ascii: "-") { position += 1 }
        if next == UInt8(ascii: "0") { position += 1 } else { try digits(&self) }
        if next == UInt8(ascii: ".") {
            position += 1
            try digits(&self)
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try digits(&self)
        }
        guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)) else { throw failure }
        return number
    }
}
