#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The parts of a form that is sent as `multipart/form-data` (RFC 7578).
enum Multipart {
    struct Part {
        var fileName: String?
        var content: ArraySlice<UInt8>
    }

    static let partLimit = 10_000

    /// The boundary in a Content-Type; nil for another type.
    /// - Throws: `ErrorResponse` if there is none, or if it is not valid.
    static func boundary(in type: String?) throws -> [UInt8]? {
        guard let type, type.lowercased().hasPrefix("multipart/") else { return nil }
        guard type.lowercased().hasPrefix("multipart/form-data"), let text = parameter("boundary", in: type),
            1...70 ~= text.utf8.count
        else { throw ErrorResponse.badRequest("the Content-Type is not multipart/form-data with a boundary") }
        return Array(text.utf8)
    }

    /// Splits a form into its parts.
    /// - Throws: `ErrorResponse` if it is malformed or truncated.
    static func parts(of body: ArraySlice<UInt8>, boundary: [UInt8]) throws -> [Part] {
        let delimiter = Array("\r\n--".utf8) + boundary
        var parts: [Part] = []
        // The first boundary may be at the very start.
        let opening = Array(delimiter.dropFirst(2))
        var rest: ArraySlice<UInt8>
        if body.starts(with: opening) {
            rest = body.dropFirst(opening.count)
        } else if let start = position(of: delimiter, in: body) {
            rest = body[(start + delimiter.count)...]
        } else {
            throw malformed("its boundary does not appear")
        }
        while true {
            if rest.starts(with: [0x2D, 0x2D]) { return parts }
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            guard rest.starts(with: [0x0D, 0x0A]) else { throw malformed("a boundary is not followed by a line break") }
            guard parts.count < partLimit else { throw malformed("it has more than \(partLimit) parts") }
            // A part without fields begins with the empty line.
            let head = rest.starts(with: [0x0D, 0x0A, 0x0D, 0x0A]) ? rest : rest.dropFirst(2)
            guard let end = position(of: [0x0D, 0x0A, 0x0D, 0x0A], in: head) else {
                throw malformed("a part has no end")
            }
            let content = head[(end + 4)...]
            // The content may be empty, and its end then is the line break of the head.
            guard let stop = position(of: delimiter, in: head[(end + 2)...]) else { throw malformed("it is truncated") }
            parts.append(
                try part(head: head[head.startIndex..<end], content: content[..<max(content.startIndex, stop)]))
            rest = head[(stop + delimiter.count)...]
        }
    }

    private static func malformed(_ problem: String) -> ErrorResponse {
        ErrorResponse.badRequest("the form is malformed: \(problem)")
    }

    private static func part(head: ArraySlice<UInt8>, content: ArraySlice<UInt8>) throws -> Part {
        guard head.count <= 16 << 10 else { throw malformed("the header of a part is too long") }
        var part = Part(fileName: nil, content: content)
        for line in String(decoding: head, as: UTF8.self).unicodeScalars.split(whereSeparator: {
            $0 == "\r" || $0 == "\n"
        }) {
            let line = String(line)
            guard line.lowercased().hasPrefix("content-disposition:") else { continue }
            part.fileName = parameter("filename", in: line)
        }
        return part
    }

    /// A parameter of a header field, `name=value` or `name="value"`.
    static func parameter(_ name: String, in field: String) -> String? {
        var rest = field.unicodeScalars[...]
        while let semicolon = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: semicolon)...].drop { $0 == " " || $0 == "\t" }
            guard let equals = rest.firstIndex(where: { $0 == "=" || $0 == ";" }), rest[equals] == "=" else { continue }
            let key = String(rest[..<equals]).lowercased()
            rest = rest[rest.index(after: equals)...]
            var value = String.UnicodeScalarView()
            if rest.first == "\"" {
                rest = rest.dropFirst()
                while let scalar = rest.popFirst(), scalar != "\"" {
                    // Browsers write %22 for a quotation mark. Others escape it with a backslash.
                    if scalar == "\\", let next = rest.first, next == "\"" || next == "\\" {
                        value.append(rest.removeFirst())
                    } else {
                        value.append(scalar)
                    }
                }
            } else {
                let end = rest.firstIndex(of: ";") ?? rest.endIndex
                value = String.UnicodeScalarView(rest[..<end])
                while value.last == " " { value.removeLast() }
                rest = rest[end...]
            }
            if key == name { return String(value) }
        }
        return nil
    }

    /// The position of the first occurrence of `pattern`.
    static func position(of pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return nil }
            var offset = 0
            while offset + pattern.count <= buffer.count {
                // The first byte is looked for by the C library, which is fast.
                guard let found = memchr(base + offset, Int32(pattern[0]), buffer.count - offset - pattern.count + 1)
                else { return nil }
                offset = UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
                if memcmp(base + offset, pattern, pattern.count) == 0 { return bytes.startIndex + offset }
                offset += 1
            }
            return nil
        }
    }
}
