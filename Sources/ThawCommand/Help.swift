import Thaw

/// The texts of `--help`, generated from the tables of commands and options.
enum Help {
    static let version = "thaw " + thawVersion

    /// Options that are accepted instead of a command.
    static let globalOptions = [
        (name: "--help", help: "list the commands"), (name: "--version", help: "print the version"),
        (name: "--completions", help: "print shell completions for bash, zsh or fish"),
        (name: "--man", help: "print the manual page"),
    ]

    private static let width = 80

    /// What `thaw --help` prints.
    static var overview: String {
        let column = Commands.all.map(\.name.count).max()! + 4
        let commands = Commands.all.map { entry($0.name, $0.summary, column: column) }
        return """
            Thaw converts TensorFlow graphs to Core ML models, and runs Core ML
            image models.

            usage: thaw COMMAND ...

            \(commands.joined())
            Run thaw COMMAND --help for details of a command. Defaults are in parentheses.

            \(globalOptions.map { entry($0.name, $0.help, column: 17) }.joined())
            """
    }

    /// What `thaw NAME --help` prints.
    static func text(of command: Command) -> String {
        var text =
            "thaw \(command.name): \(command.summary)\n\nusage: thaw \(command.name) \(command.usage) [options]\n"
        for (title, options) in command.allOptionGroups {
            text += "\n\(title)\n"
            for option in options {
                let help = option.help + (option.defaultText.map { " (\($0))" } ?? "")
                text += entry(heading(option), help, column: 26)
            }
        }
        for note in command.notes { text += "\n" + wrapped(note, indent: 0) }
        text += "\nexamples\n"
        for example in Examples.of(command.name) {
            text += wrapped(example.purpose, indent: 2) + "    " + example.line + "\n"
        }
        return text
    }

    /// An option as the user types it: `-o, --out FILE`.
    private static func heading(_ option: any AnyOption) -> String {
        let value = option.placeholder.map { " " + $0 } ?? ""
        return (option.letter.map { "-\($0), " } ?? "") + option.spelling + value
    }

    /// A name and its description, side by side if they fit.
    private static func entry(_ name: String, _ text: String, column: Int) -> String {
        let body = wrapped(text, indent: column)
        let head = "  " + name
        if head.count + 2 > column { return head + "\n" + body }
        return head + body.dropFirst(head.count)
    }

    /// `text` in lines of at most `width` columns, indented by `indent` spaces.
    private static func wrapped(_ text: String, indent: Int) -> String {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, indent + last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.map { String(repeating: " ", count: indent) + $0 + "\n" }.joined()
    }
}
