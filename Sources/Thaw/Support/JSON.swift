/// A JSON value (RFC 8259), as package manifests have it. The service has its own type for requests, with tensors as flat lists.
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
        do {
            var parser = Parser(scanner: JSONScanner(bytes))
            self = try parser.value(depth: 0)
            try parser.scanner.end()
        } catch let problem as JSONScanner.Invalid {
            throw Failure.notJSON(at: problem.offset)
        }
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
    var scanner: JSONScanner

    /// The next value, with surrounding whitespace.
    mutating func value(depth: Int) throws -> JSON {
        guard depth < JSON.depthLimit else { throw scanner.invalid }
        scanner.skipSpace()
        defer { scanner.skipSpace() }
        switch scanner.next {
        case UInt8(ascii: "{"): return .object(try members(depth))
        case UInt8(ascii: "["):
            var elements: [JSON] = []
            var hasNext = try scanner.opens("[", "]")
            while hasNext {
                elements.append(try value(depth: depth + 1))
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

    private mutating func members(_ depth: Int) throws -> [(key: String, value: JSON)] {
        var members: [(key: String, value: JSON)] = []
        var keys: Set<String> = []
        var hasNext = try scanner.opens("{", "}")
        while hasNext {
            let key = try scanner.key()
            guard keys.insert(key).inserted else { throw scanner.invalid }
            members.append((key, try value(depth: depth + 1)))
            hasNext = try scanner.continues("}")
        }
        return members
    }
}
