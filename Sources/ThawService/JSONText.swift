/// JSON text under construction.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    /// Whether the next key or element must be separated from a previous one.
    private var needsComma = false

    var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func object(_ members: (inout JSONText) -> Void) { enclose("{", "}", members) }
    mutating func array(_ elements: (inout JSONText) -> Void) { enclose("[", "]", elements) }

    mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func string(_ text: String) {
        separate()
        bytes.append(contentsOf: quotedInJSON(text).utf8)
    }

    mutating func number(_ number: Int) { raw(String(number)) }

    /// The fewest digits that identify the number; null for NaN and infinities, which JSON does not have.
    mutating func number<Number: BinaryFloatingPoint & CustomStringConvertible>(_ number: Number) {
        raw(number.isFinite ? number.description : "null")
    }

    mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    /// A value that is JSON text already.
    mutating func raw(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    // MARK: Members of objects

    mutating func member(_ name: String, _ text: String) {
        key(name)
        string(text)
    }

    mutating func member(_ name: String, _ number: Int) {
        key(name)
        self.number(number)
    }

    mutating func member(_ name: String, _ value: Bool) {
        key(name)
        bool(value)
    }

    mutating func member(_ name: String, _ numbers: [Int]) {
        key(name)
        array { json in for number in numbers { json.number(number) } }
    }

    mutating func member(_ name: String, _ texts: [String]) {
        key(name)
        array { json in for text in texts { json.string(text) } }
    }

    private mutating func enclose(_ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONText) -> Void) {
        separate()
        bytes.append(UInt8(ascii: open))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: close))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }
}

extension Unicode.Scalar {
    /// Whether it can affect how a terminal or editor shows other text: a control character, a bidirectional control,
    /// or a line break. Source: Unicode Standard Annex 9, section 2. A copy of the library's, which is not public.
    var isControlling: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
