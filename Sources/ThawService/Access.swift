#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Who may use the service: by token, by the host that a request names, and by the web page that it comes from.
struct Access: Sendable {
    /// The bytes of the token; nil if none is required.
    let token: [UInt8]?
    /// Other origins whose pages may use the service: `https://example.com`.
    let origins: [String]
    /// Whether only this machine can connect. Then an unexpected host name reveals a DNS rebinding attack.
    let isLoopback: Bool

    /// - Throws: `StartFailure` if the file with the token cannot be read, or has none.
    init(tokenFile: String?, origins: [String], isLoopback: Bool) throws {
        self.origins = try origins.map { try Access.checked($0) }
        self.isLoopback = isLoopback
        token = try tokenFile.map { path in
            guard let file = fopen(path, "r") else {
                throw StartFailure("\(path): \(String(cString: strerror(errno)))")
            }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 4097)
            bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
            while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
            guard !bytes.isEmpty, bytes.count <= 4096, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw StartFailure("\(path): expected one line with a token of printable ASCII characters")
            }
            return bytes
        }
    }

    /// - Throws: `ErrorResponse` with status 403 or 401.
    func check(_ request: Request, _ route: Route) throws {
        // Browsers, whose pages could reach the service under their own host names, always send the host. Health checks
        // with HTTP/1.0 do not.
        let host = request["host"]
        if isLoopback, let host, !Access.isLoopback(host),
            !origins.contains(where: { Access.hosts(of: $0).contains(host.lowercased()) })
        {
            throw ErrorResponse.foreignHost(host)
        }
        if let origin = request["origin"], !isAllowed(origin, host: host ?? "") {
            throw ErrorResponse.foreignOrigin(origin)
        }
        if let token, !route.isOpen, !matches(request["authorization"], token) { throw ErrorResponse.unauthorized() }
    }

    /// The response to a browser's preflight request: whether a page of another origin may send a request.
    /// - Throws: `ErrorResponse` if it may not.
    func preflight(_ request: Request) throws -> Response {
        try check(request, .page)
        return Response(
            status: 204,
            headers: [
                ("Access-Control-Allow-Methods", "GET, POST"),
                (
                    "Access-Control-Allow-Headers",
                    "Authorization, Content-Type, Content-Encoding, Inference-Header-Content-Length"
                ), ("Access-Control-Max-Age", "600"),
            ])
    }

    /// Adds the header fields that let a page of an allowed origin read a response.
    func addHeaders(to response: inout Response, for request: Request) {
        guard let origin = request["origin"], origins.contains(origin.lowercased()) else { return }
        response.headers += [
            ("Access-Control-Allow-Origin", origin), ("Vary", "Origin"),
            (
                "Access-Control-Expose-Headers",
                "Inference-Header-Content-Length, Server-Timing, Retry-After, Thaw-Warning"
            ),
        ]
    }

    private func isAllowed(_ origin: String, host: String) -> Bool {
        origins.contains(origin.lowercased()) || origin.lowercased() == "http://" + host.lowercased()
    }

    /// Compares in constant time, wherever the tokens differ.
    private func matches(_ field: String?, _ token: [UInt8]) -> Bool {
        let words = (field ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { return false }
        let given = Array(words[1].utf8)
        var difference = given.count ^ token.count
        for index in token.indices { difference |= Int(token[index] ^ (index < given.count ? given[index] : 0)) }
        return difference == 0
    }

    /// Whether a Host field names this machine by a name that no DNS server can point elsewhere.
    private static func isLoopback(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            let rest = host.dropFirst(5)
            return host.hasPrefix("[::1]")
                && (rest.isEmpty || rest.first == ":" && rest.dropFirst().allSatisfy(\.isNumber))
        }
        let name = host.prefix { $0 != ":" }
        if name.lowercased() == "localhost" { return true }
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }

    /// The Host fields of requests to an origin: clients may add the port of its scheme.
    private static func hosts(of origin: String) -> [String] {
        let host = String(origin.drop { $0 != "/" }.dropFirst(2))
        return [host, host + (origin.hasPrefix("https:") ? ":443" : ":80")]
    }

    private static func checked(_ origin: String) throws -> String {
        let lower = origin.lowercased()
        let rest =
            lower.hasPrefix("https://") ? lower.dropFirst(8) : lower.hasPrefix("http://") ? lower.dropFirst(7) : ""
        guard !rest.isEmpty, !rest.contains("/") else {
            throw StartFailure("--origin", origin, expected: "an origin such as https://example.com")
        }
        return lower
    }
}
