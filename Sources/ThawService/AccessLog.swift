#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes a line of JSON for each request.
final class AccessLog: Sendable {
    private let path: String
    private let descriptor: Monitor<Int32>

    /// - Parameter path: The file to append to; `-` is standard output.
    /// - Throws: `StartFailure` if it cannot be opened.
    init(_ path: String) throws(StartFailure) {
        self.path = path
        descriptor = Monitor(try AccessLog.open(path))
    }

    /// Reopens the file after a program that rotates logs has renamed it.
    func reopen() throws(StartFailure) {
        guard path != "-" else { return }
        let new = try AccessLog.open(path)
        let old = descriptor.with { descriptor in
            defer { descriptor = new }
            return descriptor
        }
        close(old)
    }

    private static func open(_ path: String) throws(StartFailure) -> Int32 {
        guard path != "-" else { return STDOUT_FILENO }
        #if canImport(Glibc)
            let descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        #else
            let descriptor = Darwin.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        #endif
        guard descriptor >= 0 else { throw StartFailure("\(path): \(String(cString: strerror(errno)))") }
        return descriptor
    }

    func write(_ exchange: Exchange, isComplete: Bool) {
        var line = AccessLog.line(exchange, isComplete: isComplete)
        // A pipe that is ready accepts PIPE_BUF bytes; writing more could block the thread that serves all connections.
        if line.count > Int(PIPE_BUF) { line = AccessLog.line(exchange, isComplete: isComplete, longestText: 200) }
        // A log that cannot be written does not stop the service, nor does a full pipe whose reader is too slow.
        descriptor.with { descriptor in
            var pipe = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&pipe, 1, 0) == 1, pipe.revents & Int16(POLLOUT) != 0 else { return }
            #if canImport(Glibc)
                _ = Glibc.write(descriptor, line, line.count)
            #else
                _ = Darwin.write(descriptor, line, line.count)
            #endif
        }
    }

    /// - Parameter longestText: The number of characters of each text from the client. With 200, which are at most 1,200
    ///   bytes when escaped, a line has less than 4,096 bytes.
    private static func line(_ exchange: Exchange, isComplete: Bool, longestText: Int = .max) -> [UInt8] {
        func cut(_ text: String) -> String { String(text.unicodeScalars.prefix(longestText)) }
        var json = JSONText()
        json.object { json in
            json.member("time", timestamp())
            json.member("remote", exchange.connection.remote)
            json.member("method", cut(exchange.request?.method ?? ""))
            json.member("target", cut(exchange.target))
            json.member("status", exchange.response?.status ?? 0)
            json.member("complete", isComplete)
            json.member("bytes", exchange.response?.body.count ?? 0)
            if let model = exchange.model { json.member("model", model) }
            let timings = exchange.timings
            for (name, seconds) in [
                ("ms", Moment.seconds(since: exchange.began)), ("wait_ms", timings.waiting),
                ("decode_ms", timings.decoding), ("compute_ms", timings.computing),
            ] {
                guard let seconds else { continue }
                json.key(name)
                json.number(Double(Int(seconds * 1e5)) / 100)
            }
            if let agent = exchange.request?["user-agent"] { json.member("agent", cut(agent)) }
        }
        return json.bytes + [UInt8(ascii: "\n")]
    }
}
