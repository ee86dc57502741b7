import Thaw

/// What stands behind a command's name: the options with their values, read and checked, and all else in its order.
struct Arguments {
    /// All words as they were given.
    let line: [String]
    private(set) var positional: [String] = []
    private var values: [String: [any Sendable]] = [:]
    private var spellings: [String: [String]] = [:]

    /// Takes the words of a command line apart by the table of the options.
    ///
    /// A value stands behind its option's name or, after `=`, in the same word; it may begin with one dash. After `--`
    /// nothing is an option.
    /// - Throws: `Failure` for an unknown option, a value that is missing or wrong, or an option given twice.
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
                // Other programs have one dash before whole names.
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
            if values[option.name] != nil, !option.isRepeatable { throw Failure.givenTwice(option.spelling) }
            values[option.name, default: []].append(try option.parse(value))
            spellings[option.name, default: []] += [option.spelling] + (value.map { [$0] } ?? [])
        }
    }

    /// The option's value, or its standard.
    subscript<Value>(_ option: Option<Value>) -> Value {
        all(option).last ?? option.standard
    }

    /// The values of an option that may be given several times.
    func all<Value>(_ option: Option<Value>) -> [Value] { values[option.name, default: []].map { $0 as! Value } }

    /// The file that is named with the option, if it is given with one.
    subscript(_ option: FileFlag) -> String? { values[option.name]?.last as? String }

    /// Whether the option is given.
    subscript(_ flag: Flag) -> Bool { values[flag.name] != nil }

    func isGiven(_ option: some AnyOption) -> Bool { values[option.name] != nil }

    /// These of a command's options as they were given, in this order; but what holds without being said is not said.
    func words(of options: [any AnyOption]) -> [String] {
        options.flatMap { option in
            let given = spellings[option.name] ?? []
            return given == option.standardText.map { [option.spelling, $0] } ? [] : given
        }
    }

    /// `--name=value` and `-nvalue` taken apart.
    private static func parts(of word: String) -> (name: String, value: String?) {
        if !word.hasPrefix("--") {
            let value = word.dropFirst(2)
            return (String(word.prefix(2)), value.isEmpty ? nil : String(value))
        }
        guard let equals = word.firstIndex(of: "=") else { return (word, nil) }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }
}
