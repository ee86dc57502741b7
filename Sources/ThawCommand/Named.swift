/// The value of an option that may apply to one of several inputs: `NAME=VALUE`, or just `VALUE`.
struct Named<Value: Sendable & Equatable>: Equatable, Sendable {
    var name: String?
    var value: Value

    /// - Parameter read: Parses the value, which contains no equals sign.
    init(_ text: String, read: (String) throws -> Value) throws {
        guard let equals = text.lastIndex(of: "="), equals != text.startIndex else {
            value = try read(text)
            return
        }
        name = String(text[..<equals])
        value = try read(String(text[text.index(after: equals)...]))
    }
}
