/// The first part of a request: everything but the body.
struct Request: Sendable {
    let method: String
    /// The decoded segments of the path, without empty ones at the end.
    let path: [String]
    let query: [String: String]
    private var fields: [(name: String, value: String)]

    /// - Parameters:
    ///   - target: The path and the query as sent.
    ///   - fields: The header fields, with names in lower case.
    /// - Throws: `ErrorResponse` for malformed requests, and for those that a proxy might interpret differently.
    init(method: String, target: String, fields: [(name: String, value: String)]) throws {
        self.method = method
        self.fields = fields
        // A space before the colon, for example, which other programs may ignore (RFC 9112, section 5.1).
        if let field = fields.first(where: { !$0.name.utf8.allSatisfy(Request.isTokenCharacter) || $0.name.isEmpty }) {
            throw ErrorResponse.badRequest("the header field name \(quotedInJSON(field.name)) is invalid")
        }
        let (host, target) = Request.split(target)
        let parts = target.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].first == UInt8(ascii: "/") else {
            throw ErrorResponse.badRequest("the path does not begin with '/'")
        }
        var path = try parts[0].dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { try Request.decoded($0, plusIsSpace: false) }
        while path.last == "" { path.removeLast() }
        self.path = path
        var query: [String: String] = [:]
        for pair in parts.count > 1 ? parts[1].split(separator: UInt8(ascii: "&")) : [] {
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Request.decoded(sides[0], plusIsSpace: true)
            let value = try sides.count > 1 ? Request.decoded(sides[1], plusIsSpace: true) : ""
            guard query.updateValue(value, forKey: name) == nil else {
                throw ErrorResponse.badRequest("the query has '\(name)' twice")
            }
        }
        self.query = query
        for name in ["host", "content-length", "transfer-encoding", "authorization", "origin", "content-type"] {
            guard fields.count(where: { $0.name == name }) <= 1 else {
                throw ErrorResponse.badRequest("the header field '\(name)' is given twice")
            }
        }
        if let host { self.fields = [("host", host)] + fields.filter { $0.name != "host" } }
        guard self["content-length"] == nil || self["transfer-encoding"] == nil else {
            throw ErrorResponse.badRequest("the request has both Content-Length and Transfer-Encoding")
        }
        // Only the encoding determines where the body ends. A list of encodings that ends in chunked has others before
        // it.
        if let encoding = self["transfer-encoding"], encoding.lowercased() != "chunked" {
            throw ErrorResponse.unknownTransferEncoding(encoding)
        }
    }

    /// The host of a target in absolute form, which proxies may send (RFC 9112, section 3.2.2), and the rest: path and query.
    /// This host counts, not that of the header field.
    private static func split(_ target: String) -> (host: String?, rest: Substring.UTF8View) {
        let scheme = "http://"
        guard target.prefix(scheme.count).lowercased() == scheme else { return (nil, target[...].utf8) }
        let rest = target.dropFirst(scheme.count)
        let end = rest.firstIndex { "/?".contains($0) } ?? rest.endIndex
        let path = rest[end...]
        return (String(rest[..<end]), path.hasPrefix("/") ? path.utf8 : ("/" + path)[...].utf8)
    }

    /// Whether names of header fields may contain the character (RFC 9110, section 5.6.2).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// The first header field with this name, which is in lower case.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The declared length of the body; nil if it is sent in chunks.
    var contentLength: Int? { self["transfer-encoding"] == nil ? self["content-length"].flatMap { Int($0) } ?? 0 : nil }

    /// Percent-decodes a part of a path or a query.
    private static func decoded(_ text: Substring.UTF8View, plusIsSpace: Bool) throws -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                let digits = Substring(rest.prefix(2))
                guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let code = UInt8(digits, radix: 16)
                else {
                    throw ErrorResponse.badRequest("the path or query has a '%' without two hexadecimal digits")
                }
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw ErrorResponse.badRequest("the path or query is not UTF-8 text, or contains a NUL character")
        }
        return text
    }
}
