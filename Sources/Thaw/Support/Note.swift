/// Information for the user although nothing failed: an inference, an assumption or a warning.
public struct Note: Hashable, Sendable {
    public var code: Code
    public var text: Phrase

    public init(_ code: Code, _ text: Phrase) { (self.code, self.text) = (code, text) }

    /// The subject of a note. Codes are stable; later versions may add some.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension Note: CustomStringConvertible {
    /// The text, with the library's own names of options.
    public var description: String { text.description }
}

extension Phrase.StringInterpolation {
    public mutating func appendInterpolation(_ note: Note) { appendInterpolation(note.text) }
}
