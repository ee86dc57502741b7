import Thaw

/// A positional argument of a command, or several of one kind.
struct Positional: Sendable {
    private enum Count {
        case one, atLeastOne, any
        /// Any number if an option is given, none otherwise.
        case anyWith(any AnyOption)
    }

    private let placeholder: String
    private let description: String
    private let count: Count

    /// Exactly one.
    /// - Parameter description: Its name in the message if it is missing.
    static func one(_ placeholder: String, _ description: String) -> Positional {
        Positional(placeholder: placeholder, description: description, count: .one)
    }

    /// One or more.
    /// - Parameter description: Its name in the message if it is missing.
    static func many(_ placeholder: String, _ description: String) -> Positional {
        Positional(placeholder: placeholder, description: description, count: .atLeastOne)
    }

    /// Any number. The command itself determines how many there must be.
    static func any(_ placeholder: String) -> Positional {
        Positional(placeholder: placeholder, description: "", count: .any)
    }

    /// Any number, but only if `option` is given. They are not part of the usage line.
    static func any(with option: any AnyOption) -> Positional {
        Positional(placeholder: "", description: "", count: .anyWith(option))
    }

    /// The argument in a usage line: `MODEL`, `IMAGE|FOLDER...`.
    var usage: String {
        switch count {
        case .one: placeholder
        case .atLeastOne, .any: placeholder + "..."
        case .anyWith: ""
        }
    }

    /// Takes these arguments from the start of `rest`.
    /// - Throws: `Failure` if there are too few.
    func take(from rest: inout ArraySlice<String>, _ arguments: Arguments) throws {
        switch count {
        case .one:
            guard rest.popFirst() != nil else { throw Failure.missingArgument(description) }
        case .atLeastOne:
            if rest.isEmpty { throw Failure.missingArgument(description) }
            rest.removeAll()
        case .any: rest.removeAll()
        case .anyWith(let option):
            if arguments.isGiven(option) { rest.removeAll() }
        }
    }
}
