#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The open connections and the remaining time of each.
///
/// The HTTP library closes idle connections. A client that sends one byte per second could stay connected forever, so
/// the total time for the header of a request and for its body is limited here.
final class Connections: Sendable {
    /// One TCP connection.
    final class Connection: @unchecked Sendable {
        let socket: Int32
        let remote: String
        /// The rest is guarded by the monitor of `Connections`.
        fileprivate var phase = Phase.head
        fileprivate var since = Moment.now
        fileprivate var requests = 0

        init(socket: Int32, remote: String) { (self.socket, self.remote) = (socket, remote) }
    }

    /// What a connection is waiting for.
    enum Phase: Sendable {
        /// The next request, or the rest of its header.
        case head
        /// The rest of a body.
        case body
        /// The service.
        case answer
        /// The client, to receive the response.
        case sending
    }

    private let open = Monitor<[ObjectIdentifier: Connection]>([:])
    private let timeout: Double

    /// - Parameter timeout: The seconds that a client has to send a header, to send a body, and to receive a response.
    /// - Throws: `StartFailure` if no thread can be started.
    init(timeout: Double) throws {
        self.timeout = timeout
        try startThread { [self] in
            var round = 0
            while true {
                usleep(250_000)
                round += 1
                // Checking whether clients have disconnected costs a system call for each connection.
                closeOverdue(lookingForGone: round % 8 == 0)
            }
        }
    }

    var count: Int { open.with { $0.count } }

    func add(_ connection: Connection) { open.with { $0[ObjectIdentifier(connection)] = connection } }

    /// Must be called before the socket is closed: another connection may get its number.
    func remove(_ connection: Connection) { open.with { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) } }

    func enter(_ phase: Phase, _ connection: Connection) {
        open.with { _ in
            if connection.phase == .sending, phase == .head { connection.requests += 1 }
            (connection.phase, connection.since) = (phase, .now)
        }
    }

    /// Shuts down the sockets of clients that have taken too long, or that have disconnected unnoticed: the HTTP library
    /// misses a close that arrives with the last data. The library then closes them.
    private func closeOverdue(lookingForGone: Bool) {
        let now = Moment.now
        open.with { open in
            for connection in open.values where connection.phase != .answer {
                if lookingForGone, connection.phase != .sending, Connections.isGone(connection) {
                    shutdown(connection.socket, Int32(SHUT_RDWR))
                }
                guard now.seconds(since: connection.since) > timeout else { continue }
                // The library has not written anything in these phases. A client between two requests is not notified.
                if connection.phase == .body || connection.phase == .head && connection.requests == 0 {
                    sendTimeout(to: connection)
                }
                shutdown(connection.socket, Int32(SHUT_RDWR))
            }
        }
    }

    private func sendTimeout(to connection: Connection) {
        let error = "no complete request arrived within \(Int(timeout)) seconds"
        let body = "{\"error\":\"\(error)\",\"code\":\"invalidRequest\"}\n"
        let text =
            "HTTP/1.1 408 Request Timeout\r\nContent-Type: application/json\r\nConnection: close\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let bytes = Array(text.utf8)
        // SIGPIPE is ignored.
        send(connection.socket, bytes, bytes.count, Int32(MSG_DONTWAIT))
    }

    /// Whether the client has closed its side.
    static func isGone(_ connection: Connection) -> Bool {
        var byte: UInt8 = 0
        let count = recv(connection.socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR
    }
}
