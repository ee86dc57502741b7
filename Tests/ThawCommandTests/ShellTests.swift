import Foundation
import Testing

@testable import ThawCommand

@Suite struct ShellTests {
    /// Runs a program, with `input` as its standard input.
    private func run(_ program: String, _ words: [String], input: String = "") throws -> (status: Int32, output: String)
    {
        let folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = words
        process.standardInput = try FileHandle(
            forReadingFrom: URL(fileURLWithPath: folder.write(input, to: "input")))
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }

    /// The completions that bash offers after these words.
    private func offered(_ words: [String]) throws -> [String] {
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let script =
            Completions.bash.script + """
                compopt() { :; }
                COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1); _thaw; printf '%s\\n' "${COMPREPLY[@]}"
                """
        let outcome = try run("/bin/bash", ["--norc", "-s"], input: script)
        #expect(outcome.status == 0)
        return outcome.output.split(separator: "\n").map(String.init)
    }

    @Test func `bash completes commands, options and values`() throws {
        #expect(try offered(["thaw", "cl"]) == ["classify"])
        #expect(try offered(["thaw", "classify", "--thr"]) == ["--threads"])
        #expect(try offered(["thaw", "classify", "--format", ""]) == ["text", "json", "csv"])
        #expect(try offered(["thaw", "classify", "--format", "=", "j"]) == ["json"])
        // For a value with a colon, bash wants the part after it.
        for start in [["--resize", "tensorflow", ":"], ["--resize", "=", "tensorflow", ":"]] {
            #expect(try offered(["thaw", "classify"] + start + ["h"]) == ["half-pixel"])
            #expect(try offered(["thaw", "classify"] + start) == ["align-corners", "half-pixel"])
        }
        #expect(try offered(["thaw", "classify", "--threads", ""]) == [])
        #expect(try offered(["thaw", "classify", "--precision", ""]) == ["float32", "bf16", "int8", "auto"])
        #expect(try offered(["thaw", "--completions", ""]) == ["bash", "zsh", "fish"])
        #expect(try offered(["thaw", "classify", "/bin/bas"]).contains("/bin/bash"))
        #expect(try offered(["thaw", "convert", "--weights", "pal"]) == ["palette8", "palette6", "palette4"])
        #expect(try offered(["thaw", "convert", "--target", "iOS11"]) == ["iOS11", "iOS11.2"])
        let folder = try TemporaryFolder()
        for name in ["my photo.jpg", "my model.mlmodel"] { _ = try folder.write("", to: name) }
        let both = ["my model.mlmodel", "my photo.jpg"].map(folder.path)
        #expect(try offered(["thaw", "classify", folder.path("my")]).sorted() == both)
        #expect(try offered(["thaw", "convert", "--labels", folder.path("my")]).sorted() == both)
        #expect(try offered(["thaw", "benchmark", "--profile", folder.path("my m")]) == [both[0]])
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish"), "there is no fish"))
    func `fish completes commands, options and values`() throws {
        func lines(_ line: String) throws -> [String] {
            let script = Completions.fish.script + "complete -C '\(line)'\n"
            let outcome = try run("/usr/bin/fish", ["--no-config", "/dev/stdin"], input: script)
            #expect(outcome.status == 0)
            return outcome.output.split(separator: "\n").map(String.init)
        }
        func offered(_ line: String) throws -> [String] {
            try lines(line).map { String($0.split(separator: "\t")[0]) }
        }
        #expect(try offered("thaw cl") == ["classify"])
        #expect(try offered("thaw help comp") == ["compare", "compress"])
        #expect(try offered("thaw classify --thr") == ["--threads"])
        // Only the option has a description, not its values.
        #expect(try lines("thaw classify --form").first?.contains("\t") == true)
        #expect(try lines("thaw classify --format ") == ["csv", "json", "text"])
        #expect(try offered("thaw classify /bin/bas").contains("/bin/bash"))
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/zsh"), "there is no zsh"))
    func `zsh can load its script from a start-up file`() throws {
        let script = "autoload -Uz compinit; compinit -u -D\n" + Completions.zsh.script + "print ${_comps[thaw]}\n"
        let outcome = try run("/usr/bin/zsh", ["-f", "/dev/stdin"], input: script)
        #expect(outcome.status == 0 && outcome.output == "_thaw\n", "\(outcome.output)")
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func `each shell can parse its script, which names every option`(
        _ shell: String
    ) throws {
        let script = try #require(Completions(rawValue: shell)).script
        for command in Commands.all {
            for option in command.options {
                #expect(script.contains(shell == "fish" ? "-l \(option.name)" : option.spelling))
            }
        }
        guard
            let program = ["/bin/", "/usr/bin/"].map({ $0 + shell }).first(where: FileManager.default.isExecutableFile)
        else { return }
        let outcome = try run(program, ["-n", "/dev/stdin"], input: script)
        #expect(outcome.status == 0 && outcome.output == "", "\(outcome.output)")
    }

    @Test func `the manual page names every command and option, and troff accepts it`() throws {
        let page = ManPage.text
        for command in Commands.all {
            #expect(page.contains(".SS thaw \(command.name)"))
            let example = try #require(Examples.of(command.name).first).purpose
            #expect(page.contains(".I examples\n.PP\n\(ManPage.escaped(example))\n"))
            for option in command.options {
                #expect(page.contains("\\fB\(ManPage.escaped(option.spelling))\\fR"))
            }
            for example in Examples.of(command.name) { #expect(page.contains(ManPage.escaped(example.line))) }
        }
        #expect(page.split(separator: "\n").allSatisfy { $0.first != "'" })
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/groff") else { return }
        let outcome = try run("/usr/bin/groff", ["-man", "-ww", "-z", "-Tutf8"], input: page)
        #expect(outcome.status == 0 && outcome.output == "", "\(outcome.output)")
    }

    @Test func `a mistyped command is answered with the nearest one`() throws {
        #expect(
            try Thaw.run("--completion", "zsh").errors
                == "thaw: there is no option --completion; did you mean --completions?\n"
                + "hint: thaw --help lists the options\n")
        #expect(
            try Thaw.run("classify", "m.mlmodel", "a.jpg", "--tpo", "2").errors
                .hasPrefix("thaw: there is no option --tpo; did you mean --top?\n"))
        #expect(try Thaw.run("clasify").errors.hasPrefix("thaw: 'clasify' is not a command; did you mean 'classify'?"))
        #expect(try Thaw.run("--completions=fish").output == Completions.fish.script)
        #expect(
            try Thaw.run("--completions", "tcsh").errors
                == "thaw: --completions: invalid value 'tcsh'; expected bash, zsh or fish\n")
        #expect(try Thaw.run("--completions").status == 2)
        #expect(try Thaw.run("--man").output == ManPage.text)
    }
}
