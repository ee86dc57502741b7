import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sends a command's results to the file given with `-o`, if any. The file is written atomically.
func withResultFile(
    _ run: @escaping @Sendable (Arguments, Console) throws -> ExitStatus
) -> @Sendable (Arguments, Console) throws -> ExitStatus {
    { arguments, console in
        guard let path = arguments[Options.resultFile] else { return try run(arguments, console) }
        let inputs = arguments.positional + Options.inputFiles.compactMap { arguments[$0] }
        if inputs.contains(where: { canonicalPath(of: $0) == canonicalPath(of: path) }) {
            throw Failure.resultsOverInput().inFile(path)
        }
        // In `-o photos/*.jpg` the shell makes the first photo the file of the results.
        if path == "-" { throw Failure.resultsToStandardOutput() }
        if let failure = Failure.wouldReplaceBinaryFile(at: path) { throw failure }
        let others = [
            (Options.report.spelling, arguments[Options.report]),
            (Options.graph.spelling, arguments[Options.graph]?.path),
            (Options.profile.spelling, arguments[Options.profile]),
        ]
        for case (let option, let other?) in others where canonicalPath(of: other) == canonicalPath(of: path) {
            throw Failure.sameFile(Options.resultFile.spelling, option).inFile(path)
        }
        var console = console
        let file = try AtomicFile(path: path)
        console.results = file
        let status = try run(arguments, console)
        // A run that ended without results, such as an interrupted evaluation, leaves an older file as it is.
        if status == .done || !file.isEmpty { try file.commit() }
        return status
    }
}

/// The exit code of a command.
enum ExitStatus: Int32 {
    case done = 0
    case someInputsFailed = 1
    case failed = 2
    /// By Ctrl-C; other signals have their own codes (`Interruption.exitCode`).
    case interrupted = 130

    /// The status of a command whose inputs fail one by one.
    init(failures: Int, of total: Int) {
        self = failures == 0 ? .done : failures < total ? .someInputsFailed : .failed
    }
}

/// Thrown when the reader of the results has closed the pipe: the command ends silently.
struct ClosedPipe: Error {}

/// Standard output, for results, and standard error, for everything else.
struct Console: Sendable {
    /// Whether only results and errors are printed.
    var isQuiet = false
    /// The file that results go to instead of standard output.
    nonisolated(unsafe) var results: AtomicFile?

    /// Prints results as they come.
    /// - Parameter restoringNames: Whether file names are written as their original bytes, which JSON does not allow.
    /// - Throws: `ClosedPipe` if the reader has closed the pipe, `Failure` if writing fails.
    func print(_ text: String, restoringNames: Bool = true) throws {
        guard let results else {
            let shown = Console.isTerminal(STDOUT_FILENO) ? plain(text) : text
            return try put(shown, to: STDOUT_FILENO, restoringNames: restoringNames)
        }
        if restoringNames, text.holdsRawBytes {
            try text.fileName.dropLast().withUnsafeBytes { try results.write($0) }
        } else {
            try results.write(text.utf8)
        }
    }

    /// Prints a message to standard error, unless the command is quiet.
    func note(_ text: Phrase) { if !isQuiet { tell(text) } }

    func note(_ note: Note) { self.note(note.text) }

    /// Prints to standard error without control characters, so that it is safe on a terminal and in logs.
    private func tell(_ phrase: Phrase) {
        try? put(plain(phrase.forCommand) + "\n", to: STDERR_FILENO, restoringNames: true)
    }

    func warn(_ text: Phrase) { note("thaw: warning: \(text)") }

    func warn(_ note: Note) { warn(note.text) }

    /// Warns of a folder whose images changed during the run.
    func warn(_ folder: ChangedFolder) {
        let change =
            switch folder.now {
            case nil: "it can no longer be read"
            case folder.before?: "it has as many images and folders as before, \(folder.before), but not the same"
            case let count?: "images and folders in it: \(folder.before) before, \(count) now"
            }
        warn("\(folder.path): the folder changed during the run; \(change)")
    }

    /// Prints a failure. Nothing else does. A name with line breaks stays on one line, so that it cannot look like
    /// another message.
    func report(_ failure: Failure) {
        var failure = failure
        failure.file = failure.file.map(shown)
        failure.location = failure.location.map(shown)
        tell("thaw: \(failure)")
    }

    /// Prints a failure of one of many inputs, with its hint unless `hints` already contains it.
    func report(_ failure: Failure, _ hints: inout Set<Phrase>) {
        var failure = failure
        if let hint = failure.hint, !hints.insert(hint).inserted { failure.hint = nil }
        report(failure)
    }

    /// Draws on the terminal; errors are ignored.
    func raw(_ text: String) { try? put(text, to: STDERR_FILENO) }

    /// Opens the descriptors of standard input, output and error that are closed. Otherwise a file opened later would
    /// get one of them, and receive messages or results. Reading from or writing to a reserved one still fails.
    static func reserveStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // `open` returns the lowest free descriptor.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// A file name in results for users: unchanged, but without control characters on a terminal.
    static func named(_ path: String) -> String { isTerminal(STDOUT_FILENO) ? shown(path) : path }

    /// Whether results go to a terminal that supports colors.
    var isColored: Bool { results == nil && Console.isColored }

    /// Whether results may be colored: on a terminal with colors, unless `NO_COLOR` is set (https://no-color.org).
    static let isColored = isTerminal(STDOUT_FILENO) && variable("NO_COLOR").isEmpty && !isDumb

    /// Whether the terminal supports only plain lines of text.
    static var isDumb: Bool { variable("TERM") == "dumb" }

    private static func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }

    /// The width of a terminal in columns; 80 if unknown.
    static func width(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Writes all of `text`.
    func put(_ text: String, to descriptor: Int32, restoringNames: Bool = false) throws {
        var text = text
        if restoringNames, text.holdsRawBytes {
            return try text.fileName.dropLast().withUnsafeBytes { try put($0, to: descriptor) }
        }
        try text.withUTF8 { try put(UnsafeRawBufferPointer($0), to: descriptor) }
    }

    private func put(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress!, rest.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                throw ClosedPipe()
            } else if errno == EAGAIN {
                var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&output, 1, -1)
            } else if errno != EINTR {
                throw Failure(
                    .notWritable, file: descriptor == STDOUT_FILENO ? "standard output" : nil,
                    "cannot be written: \(String(cString: strerror(errno)))")
            }
        }
    }
}
