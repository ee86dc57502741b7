import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs the service until a signal ends it, and returns the exit code.
public func runService(_ arguments: [String]) -> Int32 {
    switch arguments.first {
    case "--version":
        print("thaw-serve", thawVersion)
        return 0
    case "--help", "-h":
        print("usage: thaw-serve [NAME=]MODEL ... [options]\n\n'thaw serve --help' lists the options.")
        return 0
    default: break
    }
    do {
        return try run(Settings(arguments))
    } catch let failure as StartFailure {
        tell(failure.message)
    } catch let failure as Failure {
        tell(failure.forOperator)
        adviseConversion([failure.forOperator])
    } catch {
        fatalError("unexpected error: \(error)")
    }
    return 2
}

/// Explains where the options that messages about a graph mention can be given.
private func adviseConversion(_ messages: [String], model: String? = nil) {
    guard messages.contains(where: { $0.contains("--") }) else { return }
    tell((model.map { "\($0): " } ?? "") + "to use these options, convert the graph with 'thaw convert' first")
}

extension Failure {
    fileprivate var forOperator: String { phrase.forOperator }
}

extension Phrase {
    /// The text, with options and tasks as those of the command, which whoever starts the service has.
    var forOperator: String { spelled(\.forCommand, task: \.forCommand) }
}

private func run(_ settings: Settings) throws -> Int32 {
    reserveStandardDescriptors()
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    raiseDescriptorLimit(to: settings.connections + 64)
    // This thread waits for the signals. They are blocked in all others, which inherit its mask.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)

    let listener = try Listener(host: settings.host, port: settings.port)
    let access = try Access(tokenFile: settings.tokenFile, origins: settings.origins, isLoopback: listener.isLoopback)
    let log = try settings.accessLog.map { try AccessLog($0) }
    if !listener.isLoopback, access.token == nil {
        tell("warning: anyone who can connect to \(listener.host) can use this service; see --token-file")
    }
    let models = try ModelStore(settings)
    for model in models.all {
        for warning in model.details.warnings { tell("\(model.name): \(warning)") }
        adviseConversion(model.details.warnings, model: model.name)
    }
    let service = try Service(settings, models, access: access, log: log)
    let server = HTTPServer(service)
    try listener.listen()
    try server.start(listener: listener.socket)
    announce(listener.url)
    waitForTermination(signals, models, log)
    return stop(server, service, grace: settings.grace)
}

/// Opens the descriptors of standard input, output and error that are closed. Otherwise the first file or connection would
/// get one of them, and receive messages. Reading from or writing to a reserved one still fails.
private func reserveStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
        // `open` returns the lowest free descriptor.
        _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
}

/// Waits for a signal to terminate. SIGHUP reloads the models and reopens the log. Afterwards, a second signal to terminate
/// ends the program at once.
private func waitForTermination(_ signals: sigset_t, _ models: ModelStore, _ log: AccessLog?) {
    var signals = signals
    while true {
        var number: Int32 = 0
        guard sigwait(&signals, &number) == 0 else { continue }
        guard number == SIGHUP else { break }
        models.reload { name, failure in
            tell(failure.map { "kept the old '\(name)': \($0.forOperator)" } ?? "reloaded '\(name)'")
        }
        do { try log?.reopen() } catch { tell(error.message) }
    }
    for number in [SIGTERM, SIGINT] { signal(number, SIG_DFL) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
}

/// Finishes the requests in progress, and returns the exit status.
private func stop(_ server: HTTPServer, _ service: Service, grace: Double) -> Int32 {
    server.quiesce()
    let left = service.finish(grace: grace)
    guard left == 0 else {
        tell("stopped with \(left) \(left == 1 ? "request" : "requests") in progress")
        // Threads that compute cannot be stopped.
        exit(1)
    }
    server.stop()
    return 0
}

/// Prints the address of the service, for users and for programs that start it.
private func announce(_ url: String) {
    let line = Array("listening on \(url)\n".utf8)
    _ = write(STDOUT_FILENO, line, line.count)
}

/// Raises the limit on open files to `count`, or as far as the system allows.
private func raiseDescriptorLimit(to count: Int) {
    var limit = rlimit()
    #if os(Linux)
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        let kind = RLIMIT_NOFILE
    #endif
    guard getrlimit(kind, &limit) == 0, limit.rlim_cur < count else { return }
    limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
    setrlimit(kind, &limit)
}
