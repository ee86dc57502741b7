import Thaw

/// One option of a command. The parser, the help, the manual page and the shell completions are all derived from this
/// description.
///
/// An option is identified by the object, not by its name: two commands may have different options with the same name.
protocol AnyOption: AnyObject, Sendable {
    /// The name without its two dashes.
    var name: String { get }
    /// The short form, a letter after one dash.
    var letter: Character? { get }
    /// The name of the value in the help; nil if the option takes none.
    var placeholder: String? { get }
    var help: String { get }
    /// The default value, as shown in the help.
    var defaultText: String? { get }
    var isRepeatable: Bool { get }
    /// The possible values, if they can be listed. For completions.
    var choices: [String] { get }
    /// The suffix that makes the next word the value of an option whose value may be omitted.
    var valueSuffix: String? { get }
    /// Validates a value, which is nil for an option given without one.
    /// - Throws: `Failure` that says what is expected.
    func check(_ text: String?) throws
}

extension AnyOption {
    var valueSuffix: String? { nil }

    var choices: [String] { listedByPlaceholder }

    /// The choices in a placeholder like `text|json`.
    fileprivate var listedByPlaceholder: [String] {
        let words = (placeholder ?? "").split(separator: "|").map(String.init)
        return words.count > 1 && words.allSatisfy { $0.allSatisfy { $0.isLowercase || $0.isNumber } } ? words : []
    }

    /// The option as the user types it.
    var spelling: String { "--" + name }
}

/// An option with a value, which defaults to `defaultValue`.
final class Option<Value: Sendable>: AnyOption {
    let name: String
    let letter: Character?
    let placeholder: String?
    let help: String
    let defaultValue: Value
    let defaultText: String?
    let isRepeatable: Bool
    private let listed: [String]
    private let parse: @Sendable (String) throws -> Value

    /// - Parameter read: Parses a value. Its result must depend only on the text: it is called once to validate a
    ///   value, and again each time the value is used.
    init(
        _ name: String, letter: Character? = nil, _ placeholder: String, _ help: String, default defaultValue: Value,
        _ defaultText: String? = nil, isRepeatable: Bool = false, choices: [String] = [],
        read: @escaping @Sendable (String) throws -> Value
    ) {
        listed = choices
        (self.name, self.letter, self.placeholder, self.help) = (name, letter, placeholder, help)
        (self.defaultValue, self.defaultText) = (defaultValue, defaultText)
        (self.isRepeatable, parse) = (isRepeatable, read)
    }

    var choices: [String] { listed.isEmpty ? listedByPlaceholder : listed }

    func read(_ text: String) throws -> Value {
        do { return try parse(text) } catch let failure as Failure { throw failure.at(spelling) }
    }

    func check(_ text: String?) throws { _ = try read(text ?? "") }
}

extension Option where Value == String? {
    /// An option whose value may be any string.
    convenience init(
        _ name: String, letter: Character? = nil, _ placeholder: String, _ help: String, isRepeatable: Bool = false
    ) {
        self.init(name, letter: letter, placeholder, help, default: nil, isRepeatable: isRepeatable) { $0 }
    }
}

/// An option without a value.
final class Flag: AnyOption {
    let name: String
    let help: String
    let letter: Character? = nil
    let placeholder: String? = nil
    let defaultText: String? = nil
    let isRepeatable = true

    init(_ name: String, _ help: String) { (self.name, self.help) = (name, help) }

    func check(_ text: String?) {}
}

/// An option whose value may be omitted: a file to write, recognized by its suffix.
final class FileFlag: AnyOption {
    let name: String
    let help: String
    let letter: Character? = nil
    let placeholder: String?
    let defaultText: String? = nil
    let isRepeatable = false
    let valueSuffix: String?

    init(_ name: String, suffix: String, _ help: String) {
        (self.name, self.help, valueSuffix) = (name, help, suffix)
        placeholder = "[FILE\(suffix)]"
    }

    func check(_ text: String?) throws {
        if let text, !text.hasSuffix(valueSuffix!) {
            throw Failure.badValue(text, "a file whose name ends in \(valueSuffix!)").at(spelling)
        }
    }
}
