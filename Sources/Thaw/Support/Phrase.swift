/// Text for people in which options are named, not spelled.
///
/// The option `outputs` of the library is `--output` on the command line and `outputs=` in Python. Whoever shows the text
/// decides how options are spelled. A phrase is written as a string is: `"select one with \(option: .outputs)"`.
public struct Phrase: Hashable, Sendable {
    public enum Part: Hashable, Sendable {
        case text(String)
        case option(OptionName)
    }

    /// The parts in order. No text follows another text.
    public private(set) var parts: [Part] = []

    private mutating func append(_ part: Part) {
        if case .text(let text) = part {
            if text.isEmpty { return }
            if case .text(let start)? = parts.last {
                parts[parts.count - 1] = .text(start + text)
                return
            }
        }
        parts.append(part)
    }

    /// The text, with each option as `spelling` has it.
    public func spelled(_ spelling: (OptionName) -> String) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .option(let option): spelling(option)
            }
        }.joined()
    }

    package static func + (first: Phrase, second: Phrase) -> Phrase { [first, second].joined() }
}

extension Phrase: CustomStringConvertible {
    /// The text, with the library's own names of options.
    public var description: String { spelled(\.rawValue) }
}

extension Phrase: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) { append(.text(text)) }

    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.phrase }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var phrase: Phrase = ""

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { phrase.append(.text(literal)) }

        public mutating func appendInterpolation(option: OptionName) { phrase.append(.option(option)) }

        public mutating func appendInterpolation(_ other: Phrase) { for part in other.parts { phrase.append(part) } }

        public mutating func appendInterpolation(_ text: String) { phrase.append(.text(text)) }

        @_disfavoredOverload
        public mutating func appendInterpolation(_ value: some Any) { appendInterpolation(String(describing: value)) }
    }
}

extension Sequence<Phrase> {
    package func joined(separator: Phrase = "") -> Phrase {
        reduce(nil as Phrase?) { start, next in start.map { "\($0)\(separator)\(next)" } ?? next } ?? ""
    }
}
