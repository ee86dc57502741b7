/// The manual page `thaw.1`, generated from the tables of commands and options.
enum ManPage {
    static var text: String {
        var page = """
            .TH THAW 1 "" "\(escaped(Help.version))" "User Commands"
            .SH NAME
            thaw \\- convert TensorFlow graphs to Core ML models, and run Core ML image models
            .SH SYNOPSIS
            .B thaw
            .I COMMAND
            [options]

            """
        for command in Commands.all { page += ".br\n.B thaw \(command.name)\n\(escaped(command.usage)) [options]\n" }
        page += """
            .SH DESCRIPTION
            Thaw converts a TensorFlow graph and its label file to a Core ML model, and runs Core ML image models on x86-64
            and arm64 CPUs, without Python, TensorFlow or a Mac. Results go to standard output, everything else to standard error.
            .SH COMMANDS

            """
        for command in Commands.all { page += section(command) }
        return page + """
            .SH EXIT STATUS
            .TP
            .B 0
            Success.
            .TP
            .B 1
            Some inputs failed; the others were processed. Or the compared models disagree, or verification failed.
            .TP
            .B 2
            The command line is invalid, or everything failed.
            .TP
            .B 129, 130, 143
            Ended by SIGHUP, Ctrl\\-C (SIGINT) or SIGTERM; results so far have been written, and no unfinished files are left.
            .TP
            .B 141
            The reader of standard output closed the pipe.
            .SH ENVIRONMENT
            .TP
            .B NO_COLOR
            If set, output is not colored.
            .TP
            .B THAW_ISA
            The vector instructions to use: baseline, avx2, avx2vnni, avx512, avx512vnni or amx, and on arm64 baseline, dotprod or
            i8mm; by default, the best that the machine supports.
            .TP
            .B THAW_BF16
            1: use bf16 whenever the processor has the instructions; 0: never use it; by default, it is used if it is faster.
            .TP
            .B THAW_MAX_NODES, THAW_MAX_NAME, THAW_MAX_LABELS, THAW_MAX_ELEMENTS, THAW_MAX_MEMORY, THAW_MAX_ITERATIONS
            Limits of a model's nodes, the bytes of a name, the bytes of a label file, the elements of a tensor, the bytes of memory
            for a run, and the iterations of a loop. The defaults are 4000000, 4096, 4 MiB, 2^40, 8 GiB and 10000.

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
                let defaultText = option.defaultText.map { " (\($0))" } ?? ""
                text +=
                    ".TP\n\(letter)\\fB\(escaped(option.spelling))\\fR\(value)\n\(escaped(option.help + defaultText))\n"
            }
        }
        text += ".PP\n.I examples\n"
        for example in Examples.of(command.name) {
            text += ".PP\n\(escaped(example.purpose))\n.RS\n.nf\n\(escaped(example.line))\n.fi\n.RE\n"
        }
        return text
    }

    /// Text escaped for troff.
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
