/// The page for browsers. Its files are in the folder `Page`; here they become one.
enum Page {
    /// The page in parts, to be joined with the nonce of a response between them.
    private static let parts: [String] = {
        var text = ""
        for line in files["page.html"]!.split(separator: "\n", omittingEmptySubsequences: false) {
            if let name = attribute("href", of: line, in: "<link rel=\"stylesheet\"") {
                text += "<style nonce=\"NONCE\">\n\(files[name]!)</style>\n"
            } else if let name = attribute("src", of: line, in: "<script") {
                text += "<script nonce=\"NONCE\">\n\(files[name]!)</script>\n"
            } else {
                text += line + "\n"
            }
        }
        return split(text, at: "\"NONCE\"")
    }()

    /// The page. Its own scripts and styles have the nonce; the browser applies no others.
    static var response: Response {
        let nonce = (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 36) }.joined()
        let policy = [
            "default-src 'none'", "script-src 'nonce-\(nonce)'", "style-src 'nonce-\(nonce)'", "img-src blob: data:",
            "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        ]
        return Response(
            type: "text/html; charset=utf-8",
            headers: [
                ("Content-Security-Policy", policy.joined(separator: "; ")), ("Cache-Control", "no-store"),
                ("Referrer-Policy", "no-referrer"), ("Permissions-Policy", "camera=(self)"),
                ("Cross-Origin-Opener-Policy", "same-origin"),
            ], text: parts.joined(separator: "\"\(nonce)\""))
    }

    /// The value of an attribute in a line that begins with `start`.
    private static func attribute(_ name: String, of line: Substring, in start: String) -> String? {
        guard line.hasPrefix(start) else { return nil }
        let pieces = split(String(line), at: " \(name)=\"")
        guard pieces.count == 2 else { return nil }
        return String(pieces[1].prefix { $0 != "\"" })
    }

    private static func split(_ text: String, at separator: String) -> [String] {
        let (bytes, pattern) = (Array(text.utf8), Array(separator.utf8))
        var pieces: [String] = []
        var rest = bytes[...]
        while let position = Multipart.position(of: pattern, in: rest) {
            pieces.append(String(decoding: rest[..<position], as: UTF8.self))
            rest = rest[(position + pattern.count)...]
        }
        return pieces + [String(decoding: rest, as: UTF8.self)]
    }
}
