/// A JSON value of a request (RFC 8259).
///
/// The elements of a tensor are not separate values: the arrays in an input's member `data` become a flat list of one type,
/// however deeply they are nested. So a large tensor takes no more memory than its numbers. The library's own parser, which
/// is not public, keeps every element as a value.
enum JSON: Equatable, Sendable {
    case object([String: JSON])
    case array([JSON])
    case string(String)
    case number(Double)
    case bool(Bool)
    case null
    /// The elements of a tensor. Booleans are 0 and 1. Long integers, which `Double` may round, are also listed exactly.
    case numbers([Double], long: [LongInteger] = [])
    case strings([String])

    /// Requests with more values than this, apart from the elements of tensors, are refused.
    static let valueLimit = 10_000
    static let depthLimit = 32

    /// - Throws: `ErrorResponse` that names the offset of the first byte that is not valid.
    init(_ bytes: ArraySlice<UInt8>) throws {
        self = try bytes.withUnsafeBufferPointer { bytes in
            var parser = JSONParser(bytes: bytes)
            let value = try parser.value(.request)
            try parser.end()
            return value
        }
    }

    /// The value of an object's key; nil if there is none, if it is null, or if this is not an object.
    subscript(key: String) -> JSON? {
        guard case .object(let members) = self, let value = members[key], value != .null else { return nil }
        return value
    }
}

/// An integer of more than 15 characters among the elements of a tensor.
struct LongInteger: Equatable, Sendable {
    let index: Int
    /// Nil if it has more than 64 bits.
    let value: Int?
}

private struct JSONParser {
    /// What a value is within a request. Only inputs have tensors.
    enum Role {
        case request, inputs, input, other

        /// The role of an object's member.
        func member(_ key: String) -> Role { self == .request && key == "inputs" ? .inputs : .other }
        var element: Role { self == .inputs ? .input : .other }
    }

    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    var values = 0

    private var failure: ErrorResponse { ErrorResponse.notJSON(at: position) }
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) throws {
        guard next == UInt8(ascii: character) else { throw failure }
        position += 1
    }

    private mutating func takes(_ word: StaticString) -> Bool {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        for offset in 0..<word.utf8CodeUnitCount where bytes[position + offset] != word.utf8Start[offset] {
            return false
        }
        position = end
        return true
    }

    mutating func end() throws { if position < bytes.count { throw failure } }

    /// The next value, with surrounding whitespace.
    mutating func value(_ role: Role, depth: Int = 0) throws -> JSON {
        values += 1
        guard values <= JSON.valueLimit else { throw ErrorResponse.tooManyValues() }
        guard depth < JSON.depthLimit else { throw ErrorResponse.tooDeep() }
        skipSpace()
        defer { skipSpace() }
        switch next {
        case UInt8(ascii: "{"):
            var members: [String: JSON] = [:]
            try list("{", "}") { parser in
                parser.skipSpace()
                let key = try parser.text()
                parser.skipSpace()
                try parser.take(":")
                parser.skipSpace()
                let isTensor = role == .input && key == "data" && parser.next == UInt8(ascii: "[")
                let value = try isTensor ? parser.elements() : parser.value(role.member(key), depth: depth + 1)
                guard members.updateValue(value, forKey: key) == nil else { throw ErrorResponse.duplicateKey(key) }
            }
            return .object(members)
        case UInt8(ascii: "["):
            var elements: [JSON] = []
            try list("[", "]") { parser in elements.append(try parser.value(role.element, depth: depth + 1)) }
            return .array(elements)
        case UInt8(ascii: "\""): return .string(try text())
        case UInt8(ascii: "t") where takes("true"): return .bool(true)
        case UInt8(ascii: "f") where takes("false"): return .bool(false)
        case UInt8(ascii: "n") where takes("null"): return .null
        default: return .number(try number())
        }
    }

    private mutating func list(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ element: (inout JSONParser) throws -> Void
    ) throws {
        try take(open)
        skipSpace()
        if next == UInt8(ascii: close) { return try take(close) }
        while true {
            try element(&self)
            guard next == UInt8(ascii: ",") else { return try take(close) }
            position += 1
        }
    }

    /// The elements of arrays within arrays, in the order in which they are written.
    private mutating func elements() throws -> JSON {
        var numbers: [Double] = []
        var longIntegers: [LongInteger] = []
        var strings: [String] = []
        var depth = 0
        repeat {
            skipSpace()
            switch next {
            case UInt8(ascii: "["):
                guard depth < JSON.depthLimit else { throw ErrorResponse.tooDeep() }
                (depth, position) = (depth + 1, position + 1)
                skipSpace()
                // An empty array has no element before a comma.
                if next != UInt8(ascii: "]") { continue }
            case UInt8(ascii: "\""): strings.append(try text())
            case UInt8(ascii: "t") where takes("true"): numbers.append(1)
            case UInt8(ascii: "f") where takes("false"): numbers.append(0)
            case UInt8(ascii: "n") where takes("null"): numbers.append(.nan)
            default:
                let start = position
                numbers.append(try number())
                if let text = longInteger(from: start) {
                    longIntegers.append(LongInteger(index: numbers.count - 1, value: Int(text)))
                }
            }
            skipSpace()
            while depth > 0, next == UInt8(ascii: "]") {
                (depth, position) = (depth - 1, position + 1)
                skipSpace()
            }
            if depth > 0 { try take(",") }
        } while depth > 0
        guard numbers.isEmpty || strings.isEmpty else { throw ErrorResponse.mixedElements() }
        return strings.isEmpty ? .numbers(numbers, long: longIntegers) : .strings(strings)
    }

    /// The number that was read from `start` on, if it is an integer of more than 15 characters: `Double` represents all
    /// shorter ones.
    private func longInteger(from start: Int) -> String? {
        guard position - start > 15 else { return nil }
        let characters = bytes[start..<position]
        let isInteger = characters.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-") }
        return isInteger ? String(decoding: characters, as: UTF8.self) : nil
    }

    private mutating func text() throws -> String {
        try take("\"")
        let start = position
        // Nearly all strings have no escapes.
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        var units: [UInt8] = []
        if next != UInt8(ascii: "\"") {
            units = Array(bytes[start..<position])
            while let byte = next, byte != UInt8(ascii: "\"") {
                guard byte >= 0x20 else { throw failure }
                position += 1
                if byte == UInt8(ascii: "\\") { try addEscaped(to: &units) } else { units.append(byte) }
            }
        }
        let end = position
        try take("\"")
        let text =
            units.isEmpty
            ? String(validating: bytes[start..<end], as: UTF8.self) : String(validating: units, as: UTF8.self)
        guard let text else { throw failure }
        return text
    }

    /// Appends the characters of an escape sequence, as UTF-8.
    private mutating func addEscaped(to units: inout [UInt8]) throws {
        guard let letter = next else { throw failure }
        position += 1
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
            if 0xD800..<0xDC00 ~= unit, takes("\\u") {
                let low = try codeUnit()
                guard 0xDC00..<0xE000 ~= low else { throw failure }
                unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(unit) else { throw failure }
            units.append(contentsOf: String(scalar).utf8)
        default: throw failure
        }
    }

    private mutating func codeUnit() throws -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else { throw failure }
            unit = unit << 4 + UInt32(digit)
            position += 1
        }
        return unit
    }

    private mutating func number() throws -> Double {
        let start = position
        var mantissa: UInt64 = 0
        var fractionDigits = 0
        func digits(_ parser: inout JSONParser) throws -> Int {
            let first = parser.position
            while let byte = parser.next, 0x30...0x39 ~= byte {
                mantissa = mantissa &* 10 &+ UInt64(byte - 0x30)
                parser.position += 1
            }
            guard parser.position > first else { throw parser.failure }
            return parser.position - first
        }
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let leadsWithZero = next == UInt8(ascii: "0")
        var count = try digits(&self)
        guard !leadsWithZero || count == 1 else { throw failure }
        if next == UInt8(ascii: ".") {
            position += 1
            fractionDigits = try digits(&self)
            count += fractionDigits
        }
        let hasExponent = next == UInt8(ascii: "e") || next == UInt8(ascii: "E")
        if hasExponent {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            _ = try digits(&self)
        }
        // Both operands are exact, so that the quotient is rounded once.
        if !hasExponent, count <= 15 {
            let magnitude = Double(mantissa) / powersOfTen[fractionDigits]
            return isNegative ? -magnitude : magnitude
        }
        guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)) else { throw failure }
        return number
    }
}

private let powersOfTen: [Double] = (0...15).map { power in (0..<power).reduce(1.0) { product, _ in product * 10 } }
