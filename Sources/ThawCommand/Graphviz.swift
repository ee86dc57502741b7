import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file that a drawing of a graph is written to. Its extension determines the format.
struct DrawingFile: Sendable {
    let path: String
    private let isLaidOut: Bool

    init(_ path: String) throws {
        guard path.hasSuffix(".svg") || path.hasSuffix(".dot") else {
            throw Failure.badValue(path, "a file whose name ends in .svg or .dot")
        }
        self.path = path
        isLaidOut = path.hasSuffix(".svg")
    }

    /// Writes the drawing, as Graphviz source or laid out by Graphviz.
    /// - Throws: `Failure` if Graphviz is missing or fails, or if the file cannot be written.
    func write(_ drawing: GraphDrawing) throws {
        let bytes = isLaidOut ? try naming(file: path) { try Graphviz.svg(of: drawing.dot) } : Array(drawing.dot.utf8)
        try AtomicFile.write(bytes, to: path)
    }
}

/// The layout program (https://graphviz.org), which must be on PATH. The service, which uses only the library's public
/// API, starts it in its own way.
private enum Graphviz {
    /// - Throws: `Failure` if the program is missing or fails.
    static func svg(of dot: String) throws -> [UInt8] {
        let input = try ScratchFile(Array(dot.utf8))
        let output = try ScratchFile([])
        let errors = try ScratchFile([])
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, file) in [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, errors)] {
            posix_spawn_file_actions_adddup2(&actions, file.descriptor, number)
        }
        var argv: [UnsafeMutablePointer<CChar>?] =
            ["dot", "-Tsvg"].map { (argument: String) in strdup(argument) } + [nil]
        defer { for argument in argv { free(argument) } }
        #if canImport(Darwin)
            let environment = _NSGetEnviron().pointee
        #else
            let environment = environ
        #endif
        var process = pid_t()
        let error = posix_spawnp(&process, "dot", &actions, nil, &argv, environment)
        guard error == 0 else {
            throw error == ENOENT ? Failure.noGraphviz() : Failure.graphvizFailed(String(cString: strerror(error)))
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else {
            let said = String(decoding: try errors.contents(), as: UTF8.self).split(separator: "\n").first
            // If the program is only found to be missing in the new process, the status is 127.
            let end = status & 0x7F == 0 ? "exit code \(status >> 8)" : "ended by signal \(status & 0x7F)"
            throw status >> 8 == 127 ? Failure.noGraphviz() : Failure.graphvizFailed(said.map(String.init) ?? end)
        }
        return try output.contents()
    }
}

/// An unlinked temporary file, which disappears when it is closed.
private final class ScratchFile {
    let descriptor: Int32

    init(_ bytes: [UInt8]) throws {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var name = Array((folder + "/thaw-XXXXXX").utf8CString)
        descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw Failure.noScratchFile(folder, String(cString: strerror(errno))) }
        unlink(name)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure.noScratchFile(folder, String(cString: strerror(errno))) }
            rest = rest.dropFirst(count)
        }
        lseek(descriptor, 0, SEEK_SET)
    }

    deinit { close(descriptor) }

    /// Everything written to it.
    func contents() throws -> [UInt8] {
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
