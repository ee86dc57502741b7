/// A JSON string with its quotes (RFC 8259).
package func json(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case "\n": result += "\\n"
        case "\r": result += "\\r"
        case "\t": result += "\\t"
        case "\0"..<" ":
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}

/// A JSON number with as few digits as identify it; null for NaN and infinities.
package func json<Number: BinaryFloatingPoint & CustomStringConvertible>(_ number: Number) -> String {
    number.isFinite ? number.description : "null"
}

extension JSON {
    package init(_ text: String?) { self = text.map { .string($0) } ?? .null }

    package init(_ number: Int?) { self = number.map { .number(Double($0)) } ?? .null }

    package init(_ texts: [String]) { self = .array(texts.map { .string($0) }) }

    package init(_ numbers: [Double]) { self = .array(numbers.map { .number($0) }) }

    package init(_ numbers: [Int]) { self = .array(numbers.map { .number(Double($0)) }) }

    /// The value as text, on one line.
    package var text: String {
        var result = ""
        write(to: &result)
        return result
    }

    private func write(to text: inout String) {
        switch self {
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                text += (index == 0 ? "" : ", ") + json(member.key) + ": "
                member.value.write(to: &text)
            }
            text += "}"
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += ", " }
                value.write(to: &text)
            }
            text += "]"
        case .string(let value): text += json(value)
        case .number(let value): text += Int(exactly: value).map(String.init) ?? json(value)
        case .bool(let value): text += value ? "true" : "false"
        case .null: text += "null"
        }
    }
}
