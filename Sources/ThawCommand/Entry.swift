import COutputs
import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The program's arguments without its name. (`CommandLine.arguments` replaces invalid UTF-8, and file names need not
/// be UTF-8.)
public func commandWords() -> [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
        CommandLine.unsafeArgv[index].map { String(fileName: UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    }
}

/// Runs the command given by `arguments`, the program's arguments without its name, and returns the exit code.
public func runCommand(_ arguments: [String]) -> Int32 {
    do { return try runCommand(throwing: arguments) } catch {
        Console().report(error)
        return ExitStatus.failed.rawValue
    }
}

/// Runs the command given by `arguments`, and returns the exit code.
/// - Throws: `Failure` if the command fails; its messages spell options as on the command line.
public func runCommand(throwing arguments: [String]) throws(Failure) -> Int32 {
    // Writing to a closed pipe then fails with an error, and the program exits silently.
    signal(SIGPIPE, SIG_IGN)
    // The same applies to writing to a file that has reached the size limit.
    signal(SIGXFSZ, SIG_IGN)
    Console.reserveStandardDescriptors()
    Interruption.removeOutputs()
    thaw_watch_mapped_files(ExitStatus.failed.rawValue)
    let console = Console()
    do {
        let status = try dispatch(arguments, console)
        return status == .interrupted ? Interruption.exitCode : status.rawValue
    } catch let failure as Failure {
        throw failure.forCommand
    } catch is ClosedPipe {
        // As a shell reports a program that this signal ended.
        return 128 + SIGPIPE
    } catch {
        fatalError("unexpected error: \(error)")
    }
}

private func dispatch(_ commandLine: [String], _ console: Console) throws -> ExitStatus {
    guard let name = commandLine.first else {
        console.note("\(Help.overview)")
        return .failed
    }
    let rest = commandLine.dropFirst()
    if let text = try text(ofOption: name, rest) {
        try console.print(text)
        return .done
    }
    let command = try knownCommand(named: name)
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
        try console.print(Help.text(of: command))
        return .done
    }
    do {
        let arguments = try command.arguments(rest)
        var console = console
        console.isQuiet = arguments[Options.quiet]
        return try command.run(arguments, console)
    } catch var failure as Failure where failure.file == nil {
        // A failure without a file is about the command line.
        failure.hint = failure.hint ?? "see thaw \(command.name) --help"
        throw failure
    }
}

/// The output for an option before any command, or for `thaw help`; nil for other arguments.
private func text(ofOption name: String, _ rest: ArraySlice<String>) throws -> String? {
    switch name {
    case "--help", "-h": return Help.overview
    case "--version": return Help.version + "\n"
    case "--man": return ManPage.text
    case "--completions",
        _ where name.hasPrefix("--completions="):
        let shell = name.split(separator: "=", maxSplits: 1).dropFirst().first.map(String.init) ?? rest.first
        let names = Completions.allCases.map(\.rawValue)
        guard let shell else { throw Failure.missingValue("--completions", names.joined(separator: "|")) }
        guard let completions = Completions(rawValue: shell) else {
            throw Failure.notAChoice(shell, names).at("--completions")
        }
        return completions.script
    case "help": return try rest.first.map { Help.text(of: try knownCommand(named: $0)) } ?? Help.overview
    default: return nil
    }
}

private func knownCommand(named name: String) throws -> Command {
    if let command = Commands.named(name) { return command }
    if name.hasPrefix("-") {
        var failure = Failure.unknownOption(name, nearest: nearest(to: name, in: Help.globalOptions.map(\.name)))
        failure.hint = "thaw --help lists the options"
        throw failure
    }
    throw Failure.unknownCommand(name, nearest: nearest(to: name, in: Commands.names))
}
