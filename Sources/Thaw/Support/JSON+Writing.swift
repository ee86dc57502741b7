extension JSON {
    package init(_ text: String?) { self = text.map { .string($0) } ?? .null }

    /// All digits of an integer: beyond 2^53, `number` would round it.
    package init(_ number: Int?) {
        self = number.map { Int(exactly: Double($0)) == $0 ? .number(Double($0)) : .numeral("\($0)") } ?? .null
    }

    package init(_ texts: [String]) { self = .array(texts.map { .string($0) }) }

    package init(_ numbers: [Double]) { self = .array(numbers.map { .number($0) }) }

    package init(_ numbers: [Int]) { self = .array(numbers.map { JSON($0) }) }

    /// A floating-point value with the fewest digits that identify it; null for NaN and infinities. Unlike with
    /// `number`, an integer keeps its fraction: 1.0.
    package init<Number: BinaryFloatingPoint & CustomStringConvertible>(floating number: Number?) {
        guard let number, number.isFinite else {
            self = .null
            return
        }
        self = .numeral(number.description)
    }

    /// The value as text, on one line.
    package var text: String { text(comma: ", ", colon: ": ") }

    /// The value as text without spaces.
    package var compactText: String { text(comma: ",", colon: ":") }

    private func text(comma: String, colon: String) -> String {
        var writer = Writer(comma: comma, colon: colon)
        writer.write(self)
        return writer.text
    }
}

private struct Writer {
    let comma: String
    let colon: String
    private(set) var text = ""

    init(comma: String, colon: String) { (self.comma, self.colon) = (comma, colon) }

    mutating func write(_ value: JSON) {
        switch value {
        case .object(let members):
            list("{", members, "}") { writer, member in
                writer.text += quotedInJSON(member.key)
                writer.text += writer.colon
                writer.write(member.value)
            }
        case .array(let values): list("[", values, "]") { $0.write($1) }
        case .string(let value): text += quotedInJSON(value)
        case .number(let value):
            if let integer = Int(exactly: value) { text += "\(integer)" } else { write(JSON(floating: value)) }
        case .numeral(let digits): text += digits
        case .bool(let value): text += value ? "true" : "false"
        case .null: text += "null"
        }
    }

    private mutating func list<Element>(
        _ open: String, _ elements: [Element], _ close: String, _ element: (inout Writer, Element) -> Void
    ) {
        text += open
        for (index, value) in elements.enumerated() {
            if index > 0 { text += comma }
            element(&self, value)
        }
        text += close
    }
}
