import Thaw

// Tests compare phrases and notes with strings, in which options have the library's own names.

extension Phrase {
    func contains(_ text: String) -> Bool { description.contains(text) }
    func hasPrefix(_ text: String) -> Bool { description.hasPrefix(text) }
    func hasSuffix(_ text: String) -> Bool { description.hasSuffix(text) }

    /// The text with the options that fixtures name as the command does.
    var withDashes: String {
        spelled { option in
            switch option {
            case .outputs: "--output"
            case .placeholderValues: "--set"
            default: "--" + option.rawValue
            }
        }
    }
}

extension Note {
    func contains(_ text: String) -> Bool { description.contains(text) }
    func hasPrefix(_ text: String) -> Bool { description.hasPrefix(text) }
    func hasSuffix(_ text: String) -> Bool { description.hasSuffix(text) }
}

extension [Note] {
    var texts: [String] { map(\.description) }
}
