#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// ThawService, which cannot import ThawCommand, has a link to this file.

/// The layout program (https://graphviz.org), which must be on PATH.
enum Graphviz {
    enum Problem: Error {
        /// The program is not on PATH.
        case missing
        case failed(reason: String)
        /// The time was up.
        case tooSlow
        case noTemporaryFile(folder: String, reason: String)
    }

    /// The drawing, laid out by the program.
    /// - Parameters:
    ///   - program: Another program, for tests.
    ///   - timeLimit: The seconds after which the program is ended.
    static func svg(of dot: String, program: String = "dot", timeLimit: Double) throws(Problem) -> [UInt8] {
        let input = try TemporaryFile(Array(dot.utf8))
        let output = try TemporaryFile([])
        let errors = try TemporaryFile([])
        let process = try start(program, [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, errors)])
        let status = try wait(for: process, timeLimit)
        guard status == 0 else {
            // If the program is only found to be missing in the new process, the status is 127.
            if status >> 8 == 127 { throw .missing }
            let line = String(decoding: errors.contents, as: UTF8.self).split(separator: "\n").first
            let end = status & 0x7F == 0 ? "exit code \(status >> 8)" : "ended by signal \(status & 0x7F)"
            throw .failed(reason: line.map(String.init) ?? end)
        }
        return output.contents
    }

    private static func start(_ program: String, _ files: [(Int32, TemporaryFile)]) throws(Problem) -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
            let environment = _NSGetEnviron().pointee
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
            let environment = environ
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, file) in files { posix_spawn_file_actions_adddup2(&actions, file.descriptor, number) }
        // The service blocks the signals that it waits for; the program must not.
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var argv: [UnsafeMutablePointer<CChar>?] =
            [program, "-Tsvg"].map { (argument: String) in strdup(argument) } + [nil]
        defer { for argument in argv { free(argument) } }
        var process = pid_t()
        let error = posix_spawnp(&process, program, &actions, &attributes, &argv, environment)
        guard error == 0 else {
            throw error == ENOENT ? .missing : .failed(reason: String(cString: strerror(error)))
        }
        return process
    }

    /// Waits for the process, and ends it when the time is up.
    /// - Returns: The status as in `waitpid`.
    private static func wait(for process: pid_t, _ timeLimit: Double) throws(Problem) -> Int32 {
        let (clock, limit) = (ContinuousClock(), Duration.seconds(timeLimit))
        let start = clock.now
        var status: Int32 = 0
        while waitpid(process, &status, WNOHANG) == 0 {
            guard clock.now - start < limit else {
                kill(process, SIGKILL)
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
                throw .tooSlow
            }
            usleep(10_000)
        }
        return status
    }
}

/// An unlinked temporary file, which disappears when it is closed.
private final class TemporaryFile {
    let descriptor: Int32

    init(_ bytes: [UInt8]) throws(Graphviz.Problem) {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var name = Array((folder + "/thaw-XXXXXX").utf8CString)
        descriptor = mkstemp(&name)
        guard descriptor >= 0 else {
            throw .noTemporaryFile(folder: folder, reason: String(cString: strerror(errno)))
        }
        unlink(name)
        // The program gets copies of it, and those of other threads not at all.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                throw .noTemporaryFile(folder: folder, reason: String(cString: strerror(errno)))
            }
            rest = rest.dropFirst(count)
        }
        lseek(descriptor, 0, SEEK_SET)
    }

    deinit { close(descriptor) }

    /// Everything written to it.
    var contents: [UInt8] {
        let size = Int(lseek(descriptor, 0, SEEK_END))
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let part = pread(descriptor, buffer.baseAddress! + count, size - count, off_t(count))
                guard part > 0 else { break }
                count += part
            }
        }
    }
}
