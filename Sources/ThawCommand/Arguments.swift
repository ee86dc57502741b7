import Thaw

/// The words after a command's name: validated options, and positional arguments in order.
struct Arguments {
    /// All words as given.
    let line: [String]
    /// `Command.arguments` checks their number.
    private(set) var positional: [String] = []
    /// The values of each given option; nil for each occurrence without a value.
    private var values: [ObjectIdentifier: [String?]] = [:]

    /// Parses a command line using the table of options.
    ///
    /// A value is the next word, or follows `=` in the same word; it may begin with one dash. After `--`, all words are
    /// arguments.
    /// - Throws: `Failure` for an unknown option, a missing or invalid value, or an option given twice.
    init(_ words: some Collection<String>, options: [any AnyOption]) throws {
        line = Array(words)
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                positional += rest
                return
            }
            guard word.hasPrefix("-"), word != "-" else {
                positional.append(word)
                continue
            }
            var (name, value) = Self.parts(of: word)
            guard let option = options.first(where: { $0.spelling == name || $0.letter.map { "-\($0)" } == name })
            else {
                // Other programs use a single dash before long names.
                let whole = word.hasPrefix("--") ? name : String(word.prefix { $0 != "=" })
                throw Failure.unknownOption(whole, nearest: nearest(to: whole, in: options.map(\.spelling)))
            }
            if let suffix = option.valueSuffix {
                if value == nil, rest.first?.hasSuffix(suffix) == true { value = rest.popFirst() }
            } else if option.placeholder == nil {
                if let value { throw Failure.needlessValue(option.spelling, value) }
            } else if value == nil {
                guard let next = rest.popFirst(), !next.hasPrefix("--") else {
                    throw Failure.missingValue(option.spelling, option.placeholder!)
                }
                value = next
            }
            if isGiven(option), !option.isRepeatable { throw Failure.duplicateOption(option.spelling) }
            try option.check(value)
            values[ObjectIdentifier(option), default: []].append(value)
        }
    }

    /// The option's value, or its default.
    subscript<Value>(_ option: Option<Value>) -> Value {
        all(option).last ?? option.defaultValue
    }

    /// The values of an option that may be given more than once.
    func all<Value>(_ option: Option<Value>) -> [Value] {
        // The initializer has read each value once, so none of them fails now.
        texts(of: option).map { try! option.read($0 ?? "") }
    }

    /// The file given with the option, if any.
    subscript(_ option: FileFlag) -> String? { texts(of: option).last ?? nil }

    /// Whether the option is given.
    subscript(_ flag: Flag) -> Bool { isGiven(flag) }

    func isGiven(_ option: some AnyOption) -> Bool { values[ObjectIdentifier(option)] != nil }

    /// The given options among `options`, with their values, in this order. Explicit defaults are left out.
    func commandLine(of options: [any AnyOption]) -> [String] {
        options.flatMap { option in
            let given = texts(of: option).flatMap { [option.spelling] + ($0.map { [$0] } ?? []) }
            return given == option.defaultText.map { [option.spelling, $0] } ? [] : given
        }
    }

    private func texts(of option: any AnyOption) -> [String?] { values[ObjectIdentifier(option), default: []] }

    /// Splits `--name=value` and `-nvalue`.
    private static func parts(of word: String) -> (name: String, value: String?) {
        if !word.hasPrefix("--") {
            let value = word.dropFirst(2)
            return (String(word.prefix(2)), value.isEmpty ? nil : String(value))
        }
        guard let equals = word.firstIndex(of: "=") else { return (word, nil) }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }
}
