import Thaw

/// An option of a command, as the table says it: parser, help and whatever else describes the command line come from
/// this one description.
protocol AnyOption: Sendable {
    /// The name without its two dashes.
    var name: String { get }
    /// The letter that stands for the name after one dash.
    var letter: Character? { get }
    /// What stands for the value in the help; nil where the option takes none.
    var placeholder: String? { get }
    var help: String { get }
    /// The value where none is given, as the help says it.
    var standardText: String? { get }
    var isRepeatable: Bool { get }
    /// The values that there are, where they can be listed: for completions.
    var choices: [String] { get }
    /// How a word must end to be the value of an option that can do without one.
    var valueSuffix: String? { get }
    /// Reads a value; nil is that of an option without one.
    /// - Throws: `Failure` that says what would be right.
    func parse(_ text: String?) throws -> any Sendable
}

extension AnyOption {
    var valueSuffix: String? { nil }

    var choices: [String] { listedByPlaceholder }

    /// What a placeholder like `text|json` lists.
    fileprivate var listedByPlaceholder: [String] {
        let words = (placeholder ?? "").split(separator: "|").map(String.init)
        return words.count > 1 && words.allSatisfy { $0.allSatisfy { $0.isLowercase || $0.isNumber } } ? words : []
    }

    /// The option as it is written.
    var spelling: String { "--" + name }
}

/// An option with a value, which is `standard` where it is not given.
struct Option<Value: Sendable>: AnyOption {
    let name: String
    let letter: Character?
    let placeholder: String?
    let help: String
    let standard: Value
    let standardText: String?
    let isRepeatable: Bool
    private let listed: [String]
    private let read: @Sendable (String) throws -> Value

    init(
        _ name: String, letter: Character? = nil, _ placeholder: String, _ help: String, standard: Value,
        _ standardText: String? = nil, isRepeatable: Bool = false, choices: [String] = [],
        read: @escaping @Sendable (String) throws -> Value
    ) {
        listed = choices
        (self.name, self.letter, self.placeholder, self.help) = (name, letter, placeholder, help)
        (self.standard, self.standardText) = (standard, standardText)
        (self.isRepeatable, self.read) = (isRepeatable, read)
    }

    var choices: [String] { listed.isEmpty ? listedByPlaceholder : listed }

    func parse(_ text: String?) throws -> any Sendable {
        do { return try read(text ?? "") } catch let failure as Failure { throw failure.at(spelling) }
    }
}

extension Option where Value == String? {
    /// An option whose value is a text that may be anything.
    init(
        _ name: String, letter: Character? = nil, _ placeholder: String, _ help: String, isRepeatable: Bool = false
    ) {
        self.init(name, letter: letter, placeholder, help, standard: nil, isRepeatable: isRepeatable) { $0 }
    }
}

/// An option without a value.
struct Flag: AnyOption {
    let name: String
    let help: String
    let letter: Character? = nil
    let placeholder: String? = nil
    let standardText: String? = nil
    let isRepeatable = true

    init(_ name: String, _ help: String) { (self.name, self.help) = (name, help) }

    func parse(_ text: String?) throws -> any Sendable { true }
}

/// An option without a value, or with the name of a file to write, which tells itself by its ending.
struct FileFlag: AnyOption {
    let name: String
    let help: String
    let letter: Character? = nil
    let placeholder: String?
    let standardText: String? = nil
    let isRepeatable = false
    let valueSuffix: String?

    init(_ name: String, suffix: String, _ help: String) {
        (self.name, self.help, valueSuffix) = (name, help, suffix)
        placeholder = "[FILE\(suffix)]"
    }

    func parse(_ text: String?) throws -> any Sendable {
        if let text, !text.hasSuffix(valueSuffix!) {
            throw Failure.badValue(text, "a file whose name ends in \(valueSuffix!)").at(spelling)
        }
        return text
    }
}
