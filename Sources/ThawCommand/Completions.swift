import Thaw

/// Shell completion scripts, generated from the tables of commands and options.
enum Completions: String, CaseIterable {
    case bash, zsh, fish

    var script: String {
        switch self {
        case .bash: Self.bashScript
        case .zsh: Self.zshScript
        case .fish: Self.fishScript
        }
    }

    /// The completion of an option's value.
    private enum Values {
        case nothing, files
        case words([String])
    }

    private static func values(of option: any AnyOption) -> Values {
        guard let placeholder = option.placeholder else { return .nothing }
        if !option.choices.isEmpty { return .words(option.choices) }
        let isFile = ["FILE", "[FILE", "[NAME=]FILE", "PATH", "MODEL", "OUT.", "IMAGE"].contains {
            placeholder.hasPrefix($0)
        }
        return isFile ? .files : .nothing
    }

    // MARK: bash

    /// The cases of options with values, by the command and the option.
    private static var bashCases: String {
        var cases = ""
        for command in Commands.all {
            for option in command.options {
                let names = [option.spelling] + (option.letter.map { ["-\($0)"] } ?? [])
                let pattern = names.map { "\(command.name):\($0)" }.joined(separator: "|")
                switch values(of: option) {
                case .nothing where option.placeholder == nil: continue
                case .nothing: cases += "        \(pattern)) return ;;\n"
                case .files:
                    cases += "        \(pattern)) _thaw_files; return ;;\n"
                case .words(let words):
                    cases += "        \(pattern)) _thaw_words \(quoted(words.joined(separator: " "))); return ;;\n"
                }
            }
        }
        return cases
    }

    /// The cases that list the options of each command.
    private static var bashOptionLists: String {
        Commands.all.map { command in
            let names = (command.options.map(\.spelling) + ["--help"]).joined(separator: " ")
            return "        \(command.name)) options=\(quoted(names)) ;;\n"
        }.joined()
    }

    private static var bashScript: String {
        let first = (Commands.names + ["help"] + Help.globalOptions.map(\.name)).joined(separator: " ")
        return """
            # bash completion for thaw
            _thaw_words() {
                COMPREPLY=($(compgen -W "$1" -- "$head$word"))
                COMPREPLY=("${COMPREPLY[@]#"$head"}")
            }
            _thaw_files() {
                local name
                # Older versions have no compopt.
                compopt -o filenames 2> /dev/null
                # File names may contain glob characters.
                while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$word")
            }
            _thaw() {
                local word=${COMP_WORDS[COMP_CWORD]} index=$((COMP_CWORD - 1)) head= before options
                COMPREPLY=()
                # To bash, --name=value is three words, and so is value:more, of which it completes only the last.
                if [ "$word" = : ]; then word=; index=$((index + 1)); fi
                if [ "${COMP_WORDS[index]}" = : ]; then index=$((index - 2)) head=${COMP_WORDS[index+1]}:; fi
                if [ "$word" = = ]; then word=; elif [ "${COMP_WORDS[index]}" = = ]; then index=$((index - 1)); fi
                before=${COMP_WORDS[index]}
                if [ "$COMP_CWORD" -eq 1 ]; then
                    _thaw_words \(quoted(first))
                    return
                fi
                case "$before" in
                    --completions) _thaw_words \(quoted(allCases.map(\.rawValue).joined(separator: " "))); return ;;
                    help) _thaw_words \(quoted(Commands.names.joined(separator: " "))); return ;;
                esac
                case "${COMP_WORDS[1]}:$before" in
            \(bashCases)    esac
                case "${COMP_WORDS[1]}" in
            \(bashOptionLists)    esac
                if [[ "$word" = -* ]]; then
                    _thaw_words "$options"
                else
                    _thaw_files
                fi
            }
            complete -F _thaw thaw

            """
    }

    // MARK: zsh

    private static var zshScript: String {
        var cases = ""
        for command in Commands.all {
            cases += "        \(command.name))\n            _arguments -S \\\n"
            for option in command.options {
                // Colons are allowed between the brackets, brackets are not.
                let help = option.help.filter { !"[]".contains($0) }
                let repeated = option.isRepeatable && option.placeholder != nil ? "*" : ""
                let value: String =
                    switch values(of: option) {
                    case .nothing: option.placeholder == nil ? "" : ":\(plain(option.placeholder!)): "
                    // Two colons precede a value that may be omitted.
                    case .files: (option.valueSuffix == nil ? ":" : "::") + "\(plain(option.placeholder!)):_files"
                    case .words(let words):
                        ":\(option.name):(\(words.map { $0.split(separator: ":").joined(separator: "\\:") }.joined(separator: " ")))"
                    }
                let equals = option.placeholder == nil || option.valueSuffix != nil ? "" : "="
                cases += "                \(quoted("\(repeated)\(option.spelling)\(equals)[\(help)]\(value)")) \\\n"
                if let letter = option.letter {
                    cases += "                \(quoted("-\(letter)[\(help)]\(value)")) \\\n"
                }
            }
            cases += "                '--help[show the help]' '*:file:_files' ;;\n"
        }
        let names = Commands.names.joined(separator: " ")
        cases += "        help)\n            _arguments '1:command:(\(names))' ;;\n"
        let commands = Commands.all.map { "            \(quoted("\($0.name):\($0.summary)"))\n" }.joined()
        let global = Help.globalOptions.map {
            "                \(quoted("\($0.name)[\($0.help)]\($0.name == "--completions" ? ":shell:(bash zsh fish)" : "")")) \\\n"
        }.joined()
        return """
            #compdef thaw
            _thaw() {
                local -a commands
                local state line
                _arguments -C \\
            \(global)        '1:command:->command' '*::argument:->arguments'
                case $state in
                command)
                    commands=(
            \(commands)        )
                    _describe command commands ;;
                arguments)
                    case $words[1] in
            \(cases)        esac ;;
                esac
            }
            # Autoloaded by zsh, complete now; sourced by a startup file, only register.
            if [ "$funcstack[1]" = _thaw ]; then _thaw "$@"; else compdef _thaw thaw; fi

            """
    }

    private static func plain(_ placeholder: String) -> String { placeholder.filter { !"'[]:".contains($0) } }

    // MARK: fish

    private static var fishScript: String {
        var script = "# fish completion for thaw\ncomplete -c thaw -n __fish_use_subcommand -f\n"
        for option in Help.globalOptions {
            let values = option.name == "--completions" ? " -x -a 'bash zsh fish'" : ""
            script +=
                "complete -c thaw -n __fish_use_subcommand -l \(option.name.dropFirst(2))\(values) -d \(quoted(option.help))\n"
        }
        for command in Commands.all {
            script += "complete -c thaw -n __fish_use_subcommand -a \(command.name) -d \(quoted(command.summary))\n"
        }
        let names = Commands.names.joined(separator: " ")
        script += "complete -c thaw -n '__fish_seen_subcommand_from help' -f -a \(quoted(names))\n"
        for command in Commands.all {
            for option in command.options {
                let value =
                    switch values(of: option) {
                    case .nothing: option.placeholder == nil ? "" : " -x"
                    case .files: option.valueSuffix == nil ? " -r -F" : ""
                    // Each with an empty description, or fish would show the option's.
                    case .words(let words): " -x -a \(quoted(words.map { $0 + "\\t" }.joined(separator: " ")))"
                    }
                let letter = option.letter.map { " -s \($0)" } ?? ""
                script +=
                    "complete -c thaw -n '__fish_seen_subcommand_from \(command.name)' -l \(option.name)\(letter)\(value) -d \(quoted(option.help))\n"
            }
        }
        return script
    }

    /// A word for a shell, in single quotes.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
