import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension ServedModel {
    /// The drawing of the network.
    enum Drawing: Sendable {
        case none
        case inProgress
        case done([UInt8])
    }

    /// The drawing of the network, laid out by Graphviz on first request.
    /// - Throws: `Refusal` with status 501 without Graphviz, and with 503 while another request draws it.
    func drawingResponse() throws -> Response {
        guard let dot = details.drawing else { throw Refusal.cannotDrawPipeline(name) }
        let known = drawing.with { drawing in
            defer { if case .none = drawing { drawing = .inProgress } }
            return drawing
        }
        let svg: [UInt8]
        switch known {
        case .done(let drawn): svg = drawn
        // Waiting would occupy a thread for as long as Graphviz needs.
        case .inProgress: throw Refusal.drawingInProgress()
        case .none:
            do {
                svg = try Graphviz.svg(of: dot)
            } catch {
                drawing.with { $0 = .none }
                throw error
            }
            drawing.with { $0 = .done(svg) }
        }
        // Scripts in the drawing, if there are any, must not run.
        return Response(
            type: "image/svg+xml",
            headers: [("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")], body: svg)
    }
}

/// The layout program (https://graphviz.org), which must be on PATH. The command starts it in a similar way; it has no
/// blocked signals to undo, and prints what the program reports.
private enum Graphviz {
    /// The layout of a large network may take longer than anyone waits, and occupies a thread.
    private static let timeLimit = 60

    static func svg(of dot: String) throws -> [UInt8] {
        let input = try temporaryFile()
        let output = try temporaryFile()
        defer {
            fclose(input)
            fclose(output)
        }
        let text = Array(dot.utf8)
        guard fwrite(text, 1, text.count, input) == text.count, fflush(input) == 0 else { throw failed() }
        rewind(input)
        try layOut(input, output)
        fseek(output, 0, SEEK_END)
        let size = ftell(output)
        rewind(output)
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = fread(buffer.baseAddress, 1, size, output)
        }
    }

    /// Runs the program, and ends it when the time is up.
    private static func layOut(_ input: UnsafeMutablePointer<FILE>, _ output: UnsafeMutablePointer<FILE>) throws {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, fileno(input), STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, fileno(output), STDOUT_FILENO)
        var argv: [UnsafeMutablePointer<CChar>?] =
            ["dot", "-Tsvg"].map { (argument: String) in strdup(argument) } + [nil]
        defer { for argument in argv { free(argument) } }
        // The service blocks the signals that it waits for; the program must not.
        #if canImport(Darwin)
            var attributes: posix_spawnattr_t?
        #else
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        #if canImport(Darwin)
            let environment = _NSGetEnviron().pointee
        #else
            let environment = environ
        #endif
        var process = pid_t()
        let error = posix_spawnp(&process, "dot", &actions, &attributes, &argv, environment)
        guard error == 0 else { throw error == ENOENT ? missing() : failed() }
        var status: Int32 = 0
        let start = Moment.now
        while waitpid(process, &status, WNOHANG) == 0 {
            guard Moment.seconds(since: start) < Double(timeLimit) else {
                kill(process, SIGKILL)
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
                throw tooSlow()
            }
            pause(milliseconds: 10)
        }
        guard status == 0 else { throw status >> 8 == 127 ? missing() : failed() }
    }

    private static func temporaryFile() throws -> UnsafeMutablePointer<FILE> {
        guard let file = tmpfile() else { throw failed() }
        return file
    }

    private static func missing() -> Refusal {
        Refusal(
            501, .environment, "drawings need Graphviz, which this server does not have",
            remedy: "install it there: apt-get install graphviz")
    }

    private static func failed() -> Refusal { Refusal(500, .environment, "Graphviz failed to draw the network") }

    private static func tooSlow() -> Refusal {
        Refusal(500, .environment, "Graphviz did not draw the network within \(timeLimit) seconds")
    }
}
