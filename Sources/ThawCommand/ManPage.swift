/// The manual page `thaw.1`, made of the tables that the help comes from.
enum ManPage {
    static var text: String {
        var page = """
            .TH THAW 1 "" "\(escaped(Help.version))" "User Commands"
            .SH NAME
            thaw \\- turn frozen TensorFlow graphs into Core ML models, and run Core ML image models
            .SH SYNOPSIS
            .B thaw
            .I COMMAND
            [options]

            """
        for command in Commands.all { page += ".br\n.B thaw \(command.name)\n\(escaped(command.usage)) [options]\n" }
        page += """
            .SH DESCRIPTION
            Thaw turns a frozen TensorFlow graph and its label file into a Core ML model, and runs Core ML image models on
            any CPU, without Python, TensorFlow or a Mac. Results go to standard output, everything else to standard error.
            .SH COMMANDS

            """
        for command in Commands.all { page += section(command) }
        return page + """
            .SH EXIT STATUS
            .TP
            .B 0
            All has been done.
            .TP
            .B 1
            Some inputs failed; the others have been done.
            .TP
            .B 2
            The command line cannot be understood, or nothing could be done.
            .TP
            .B 129, 130, 143
            Ended by SIGHUP, by Ctrl\\-C (SIGINT) or by SIGTERM; what is done has been written.
            .SH ENVIRONMENT
            .TP
            .B NO_COLOR
            If it is set, nothing is coloured.
            .TP
            .B THAW_ISA
            The vector instructions to use: baseline, avx2 or avx512; the best that the machine has unless said.

            """
    }

    private static func section(_ command: Command) -> String {
        var text = ".SS thaw \(command.name) \(escaped(command.usage))\n\(escaped(command.summary)).\n"
        for note in command.notes { text += ".PP\n\(escaped(note))\n" }
        for (title, options) in command.allOptionGroups {
            text += ".PP\n.I \(escaped(title))\n"
            for option in options {
                let letter = option.letter.map { "\\fB\\-\($0)\\fR, " } ?? ""
                let value = option.placeholder.map { " \\fI\(escaped($0))\\fR" } ?? ""
                let standard = option.standardText.map { " (\($0))" } ?? ""
                text +=
                    ".TP\n\(letter)\\fB\(escaped(option.spelling))\\fR\(value)\n\(escaped(option.help + standard))\n"
            }
        }
        text += ".PP\n.I examples\n"
        for example in Examples.of(command.name) {
            text += ".PP\n\(escaped(example.purpose))\n.RS\n.nf\n\(escaped(example.line))\n.fi\n.RE\n"
        }
        return text
    }

    /// Text that troff prints as it is.
    static func escaped(_ text: String) -> String {
        var result = ""
        for letter in text {
            switch letter {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            default: result.append(letter)
            }
        }
        // A dot at the start of a line would be a request.
        return result.hasPrefix(".") ? "\\&" + result : result
    }
}
