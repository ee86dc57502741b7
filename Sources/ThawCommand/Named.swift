/// The value of an option that may be said of one input of several: `NAME=VALUE`, or only `VALUE`.
struct Named<Value: Sendable & Equatable>: Equatable, Sendable {
    var name: String?
    var value: Value

    /// - Parameter read: Reads the value, which has no equals sign in it.
    init(_ text: String, read: (String) throws -> Value) throws {
        guard let equals = text.lastIndex(of: "="), equals != text.startIndex else {
            value = try read(text)
            return
        }
        name = String(text[..<equals])
        value = try read(String(text[text.index(after: equals)...]))
    }
}
