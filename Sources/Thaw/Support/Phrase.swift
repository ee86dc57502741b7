/// Text for users in which options, tasks and inputs are named abstractly.
///
/// The library's option `outputs` is `--output` on the command line and `outputs=` in Python, and its `Detector` is a
/// command. The interface that shows the text decides how they are spelled. Phrases are written like strings:
/// `"select one with \(option: .outputs)"`.
public struct Phrase: Hashable, Sendable {
    /// A part of a phrase: text that is the same in all interfaces, or something that each spells in its own way.
    public enum Part: Hashable, Sendable {
        /// Text that is shown as it is.
        case text(String)
        /// An option that the user can give or omit.
        case option(OptionName)
        /// A task that the user can do instead, or before.
        case task(TaskName)
        /// The inputs of a model, by name, for which the user gives values.
        case inputs([String])
    }

    /// The parts in order. Two adjacent parts are never both text.
    public private(set) var parts: [Part] = []

    private mutating func append(_ part: Part) {
        if case .text(let text) = part {
            if text.isEmpty { return }
            if case .text(var start)? = parts.last {
                // Appends in place.
                parts.removeLast()
                start += text
                parts.append(.text(start))
                return
            }
        }
        parts.append(part)
    }

    /// The text, with each part that is not text as its function spells it.
    ///
    /// By default, tasks are the names of types, and inputs are in quotes.
    public func spelled(
        _ option: (OptionName) -> String, task: (TaskName) -> String = { $0.typeName },
        inputs: ([String]) -> String = { names in names.map { "'\($0)'" }.joined(separator: ", ") }
    ) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .option(let name): option(name)
            case .task(let name): task(name)
            case .inputs(let names): inputs(names)
            }
        }.joined()
    }

    package static func + (first: Phrase, second: Phrase) -> Phrase { [first, second].joined() }
}

extension Phrase: CustomStringConvertible {
    /// The text, with the library's own names of options and tasks.
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

        public mutating func appendInterpolation(task: TaskName) { phrase.append(.task(task)) }

        public mutating func appendInterpolation(inputs names: [String]) {
            phrase.append(.inputs(names.map(\.abbreviated)))
        }

        public mutating func appendInterpolation(_ other: Phrase) { for part in other.parts { phrase.append(part) } }

        /// Appends a name or a value, abbreviated if it is very long: it may come from a file, and have any length.
        public mutating func appendInterpolation(_ text: String) { phrase.append(.text(text.abbreviated)) }

        @_disfavoredOverload
        public mutating func appendInterpolation(_ value: some Any) { appendInterpolation(String(describing: value)) }
    }
}

extension Sequence<Phrase> {
    package func joined(separator: Phrase = "") -> Phrase {
        var interpolation = Phrase.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        for (index, phrase) in enumerated() {
            if index > 0 { interpolation.appendInterpolation(separator) }
            interpolation.appendInterpolation(phrase)
        }
        return Phrase(stringInterpolation: interpolation)
    }
}

extension [String] {
    /// The first elements, and how many more there are.
    func listed(atMost limit: Int = 12) -> String {
        let shown = prefix(limit).joined(separator: ", ")
        return count > limit ? shown + " and \(count - limit) more" : shown
    }
}

extension String {
    /// The text, or its start and end if it is longer than any name or list in a valid file.
    package var abbreviated: String {
        let (limit, start, end) = (2000, 400, 100)
        // The length in bytes is known; counting characters takes long.
        guard utf8.count > limit else { return self }
        let head = String(decoding: utf8.prefix(start), as: UTF8.self)
        let tail = String(decoding: utf8.suffix(end), as: UTF8.self)
        return "\(head) … (\(utf8.count - start - end) more bytes) … \(tail)"
    }
}

/// A count with its noun: "1 channel", "3 channels".
package func counted(_ count: Int, _ noun: String, plural: String? = nil) -> String {
    "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}

extension [String] {
    /// The strings in quotes, for a message.
    package func quotedList(separator: String = ", ") -> String { map { "'\($0)'" }.joined(separator: separator) }
}
