#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The reason why the service cannot start.
struct StartFailure: Error {
    let message: String

    init(_ message: String) { self.message = message }

    /// An option with an invalid value, in the words of the command.
    init(_ option: String, _ value: String, expected: String) {
        self.init("\(option): invalid value '\(value)'; expected \(expected)")
    }
}

/// A socket that is bound to an address.
struct Listener {
    let socket: Int32
    /// The host as in a URL, with brackets around an IPv6 address.
    let host: String
    let port: Int
    /// Whether only this machine can connect.
    let isLoopback: Bool

    var url: String { "http://\(host):\(port)" }

    /// Binds a socket. Clients cannot connect before `listen`.
    /// - Parameter port: 0 selects any free one.
    /// - Throws: `StartFailure` if the name is unknown, or if the port is in use or needs a privilege.
    init(host name: String, port: Int) throws {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        #if os(Linux)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(name, String(port), &hints, &found)
        guard status == 0, let found else {
            throw StartFailure("the host '\(name)' is unknown: \(String(cString: gai_strerror(status)))")
        }
        defer { freeaddrinfo(found) }
        socket = try Listener.boundSocket(to: found) { "port \(port) of '\(name)' cannot be used: \($0)" }
        let (text, bound) = Listener.name(of: socket, getsockname)
        host = text.contains(":") ? "[\(text)]" : text
        self.port = bound
        isLoopback = text == "::1" || text.hasPrefix("127.")
    }

    /// A socket that is bound to the first of the addresses that this machine has: the first of a name may be one of IPv6
    /// on a machine that only has IPv4.
    /// - Parameters:
    ///   - addresses: A list of at least one.
    ///   - message: The message if an address cannot be bound, with the system's reason.
    /// - Throws: `StartFailure` if none can be used, or if the port is in use.
    static func boundSocket(
        to addresses: UnsafeMutablePointer<addrinfo>, _ message: (String) -> String
    ) throws -> Int32 {
        var failure = ""
        for address in sequence(first: addresses, next: \.pointee.ai_next).map(\.pointee) {
            #if os(Linux)
                let kind = address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue)
            #else
                let kind = address.ai_socktype
            #endif
            let socket = openSocket(address.ai_family, kind, address.ai_protocol)
            guard socket >= 0 else {
                failure = "no socket: \(String(cString: strerror(errno)))"
                continue
            }
            // A port whose last connections are still closing can be used again.
            var yes: Int32 = 1
            setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            if bind(socket, address.ai_addr, address.ai_addrlen) == 0 { return socket }
            let code = errno
            close(socket)
            failure = message(String(cString: strerror(code)))
            // Most clients of this name would get the other program's responses.
            if code == EADDRINUSE { break }
        }
        throw StartFailure(failure)
    }

    /// Lets clients connect.
    func listen() throws {
        guard startListening(socket, 1024) == 0 else {
            throw StartFailure("cannot listen: \(String(cString: strerror(errno)))")
        }
    }

    typealias NameFunction = (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32

    /// The numeric address and the port of one end of a socket.
    static func name(of socket: Int32, _ function: NameFunction) -> (address: String, port: Int) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var (host, service) = ([CChar](repeating: 0, count: 64), [CChar](repeating: 0, count: 16))
        let status = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
                guard function(socket, address, &length) == 0 else { return -1 }
                return getnameinfo(
                    address, length, &host, socklen_t(host.count), &service, socklen_t(service.count),
                    Int32(NI_NUMERICHOST | NI_NUMERICSERV))
            }
        }
        guard status == 0 else { return ("", 0) }
        return (text(host), Int(text(service)) ?? 0)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

// The functions' names are those of properties and methods above.
#if canImport(Glibc)
    private let openSocket = Glibc.socket
    private let startListening = Glibc.listen
#elseif canImport(Darwin)
    private let openSocket = Darwin.socket
    private let startListening = Darwin.listen
#endif

/// The address of the client at the other end of a socket.
func remoteAddress(of socket: Int32) -> String { Listener.name(of: socket, getpeername).address }
