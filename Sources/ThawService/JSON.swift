/// A JSON value of a request (RFC 8259).
///
/// The elements of a tensor are not separate values: the arrays in an input's member `data` become a flat list of one type,
/// however deeply they are nested. So a large tensor takes no more memory than its numbers.
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
        do {
            self = try bytes.withUnsafeBytes { bytes in
                var parser = JSONParser(bytes)
                let value = try parser.value(.request)
                try parser.scanner.end()
                return value
            }
        } catch let problem as JSONScanner.Invalid {
            throw ErrorResponse.notJSON(at: problem.offset)
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

    var scanner: JSONScanner
    private var values = 0

    init(_ bytes: UnsafeRawBufferPointer) { scanner = JSONScanner(bytes) }

    /// The next value, with surrounding whitespace.
    mutating func value(_ role: Role, depth: Int = 0) throws -> JSON {
        values += 1
        guard values <= JSON.valueLimit else { throw ErrorResponse.tooManyValues() }
        guard depth < JSON.depthLimit else { throw ErrorResponse.tooDeep() }
        scanner.skipSpace()
        defer { scanner.skipSpace() }
        switch scanner.next {
        case UInt8(ascii: "{"): return .object(try members(role, depth))
        case UInt8(ascii: "["):
            var elements: [JSON] = []
            var hasNext = try scanner.opens("[", "]")
            while hasNext {
                elements.append(try value(role.element, depth: depth + 1))
                hasNext = try scanner.continues("]")
            }
            return .array(elements)
        case UInt8(ascii: "\""): return .string(try scanner.text())
        case UInt8(ascii: "t") where scanner.takesWord("true"): return .bool(true)
        case UInt8(ascii: "f") where scanner.takesWord("false"): return .bool(false)
        case UInt8(ascii: "n") where scanner.takesWord("null"): return .null
        default: return .number(try scanner.number())
        }
    }

    private mutating func members(_ role: Role, _ depth: Int) throws -> [String: JSON] {
        var members: [String: JSON] = [:]
        var hasNext = try scanner.opens("{", "}")
        while hasNext {
            let key = try scanner.key()
            scanner.skipSpace()
            let isTensor = role == .input && key == "data" && scanner.next == UInt8(ascii: "[")
            let value = try isTensor ? elements() : value(role.member(key), depth: depth + 1)
            guard members.updateValue(value, forKey: key) == nil else { throw ErrorResponse.duplicateKey(key) }
            hasNext = try scanner.continues("}")
        }
        return members
    }

    /// The elements of arrays within arrays, in the order in which they are written.
    private mutating func elements() throws -> JSON {
        var numbers: [Double] = []
        var longIntegers: [LongInteger] = []
        var strings: [String] = []
        var depth = 0
        repeat {
            scanner.skipSpace()
            switch scanner.next {
            case UInt8(ascii: "["):
                guard depth < JSON.depthLimit else { throw ErrorResponse.tooDeep() }
                depth += 1
                // An empty array has no element before a comma.
                if try scanner.opens("[", "]") { continue }
                depth -= 1
            case UInt8(ascii: "\""): strings.append(try scanner.text())
            case UInt8(ascii: "t") where scanner.takesWord("true"): numbers.append(1)
            case UInt8(ascii: "f") where scanner.takesWord("false"): numbers.append(0)
            case UInt8(ascii: "n") where scanner.takesWord("null"): numbers.append(.nan)
            default:
                let start = scanner.offset
                numbers.append(try scanner.number())
                if let text = longInteger(from: start) {
                    longIntegers.append(LongInteger(index: numbers.count - 1, value: Int(text)))
                }
            }
            scanner.skipSpace()
            while depth > 0, scanner.takes("]") {
                depth -= 1
                scanner.skipSpace()
            }
            if depth > 0 { try scanner.take(",") }
        } while depth > 0
        guard numbers.isEmpty || strings.isEmpty else { throw ErrorResponse.mixedElements() }
        return strings.isEmpty ? .numbers(numbers, long: longIntegers) : .strings(strings)
    }

    /// The number that was read from `start` on, if it is an integer of more than 15 characters: `Double` represents all
    /// shorter ones.
    private func longInteger(from start: Int) -> String? {
        guard scanner.offset - start > 15 else { return nil }
        let characters = scanner.bytes[start..<scanner.offset]
        let isInteger = characters.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-") }
        return isInteger ? String(decoding: characters, as: UTF8.self) : nil
    }
}
