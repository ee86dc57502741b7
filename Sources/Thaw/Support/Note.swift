/// Information for the user although nothing failed: an inference, an assumption or a warning.
public struct Note: Hashable, Sendable {
    /// The subject, for programs.
    public var code: Code
    /// The information, for users.
    public var text: Phrase

    /// A note on this subject.
    public init(_ code: Code, _ text: Phrase) { (self.code, self.text) = (code, text) }

    /// The subject of a note. Codes are stable; later versions may add some.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code, which is stable.
        public let rawValue: String

        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension Note: CustomStringConvertible {
    /// The text, with the library's own names of options and tasks.
    public var description: String { text.description }
}

extension Phrase.StringInterpolation {
    /// Appends the text of a note.
    public mutating func appendInterpolation(_ note: Note) { appendInterpolation(note.text) }
}
