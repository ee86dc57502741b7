import CZlib
import Thaw

/// Compression of bodies: gzip (RFC 1952), and for requests also zlib's format, which HTTP calls deflate.
enum Gzip {
    /// Shorter responses are not compressed.
    static let minimumBytes = 1024

    /// - Throws: `ErrorResponse` if the data is corrupt or truncated, or if it decompresses to more than `limit` bytes.
    static func decompressed(_ bytes: ArraySlice<UInt8>, limit: Int) throws -> [UInt8] {
        var stream = z_stream()
        // 32 makes zlib detect whether the header is gzip's or its own.
        guard inflateInit2_(&stream, 15 + 32, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw ErrorResponse.bodiesFull()
        }
        defer { inflateEnd(&stream) }
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        var status = Z_OK
        try bytes.withUnsafeBufferPointer { source in
            stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
            stream.avail_in = UInt32(source.count)
            while status == Z_OK {
                let count = buffer.withUnsafeMutableBufferPointer { target in
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    status = inflate(&stream, Z_NO_FLUSH)
                    return target.count - Int(stream.avail_out)
                }
                guard result.count + count <= limit else { throw ErrorResponse.bodyTooLarge(limit) }
                result.append(contentsOf: buffer[..<count])
                // A gzip file may have several parts.
                if status == Z_STREAM_END, stream.avail_in > 0 { status = inflateReset(&stream) }
                if status == Z_BUF_ERROR || status == Z_OK && count == 0 && stream.avail_in == 0 { break }
            }
        }
        guard status == Z_STREAM_END, stream.avail_in == 0 else {
            throw ErrorResponse.badRequest("the body is not valid compressed data")
        }
        return result
    }

    /// The data compressed; nil if it is too large for one call, or if memory runs out.
    static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count < Int(UInt32.max) / 2 else { return nil }
        var stream = z_stream()
        let status = deflateInit2_(
            &stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        let capacity = Int(deflateBound(&stream, UInt(bytes.count)))
        var isWhole = false
        let result = [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
            bytes.withUnsafeBufferPointer { source in
                stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(capacity)
                isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END
            }
            count = capacity - Int(stream.avail_out)
        }
        return isWhole ? result : nil
    }

    /// Whether a client accepts gzip (RFC 9110, section 12.5.3).
    static func isAccepted(_ field: String?) -> Bool {
        var weights: [String: Double] = [:]
        for item in (field ?? "").lowercased().split(separator: ",") {
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let name = parts.first else { continue }
            weights[name] = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
        }
        // `*` matches any coding that is not listed.
        return weights["gzip"] ?? weights["*"] ?? 0 > 0
    }
}

extension Service {
    /// The body of a request, decompressed.
    func decodedBody(of exchange: Exchange) throws -> ArraySlice<UInt8> {
        switch exchange.request?["content-encoding"]?.lowercased() {
        case nil, "identity": return exchange.body[...]
        case "gzip", "x-gzip", "deflate": return try Gzip.decompressed(exchange.body[...], limit: settings.maxBody)[...]
        case let encoding?: throw ErrorResponse.unsupportedEncoding(encoding)
        }
    }

    /// Compresses a response if that makes it shorter and the client accepts it.
    func compress(_ response: inout Response, for request: Request) {
        guard response.body.count >= Gzip.minimumBytes else { return }
        response.headers.append(("Vary", "Accept-Encoding"))
        guard Gzip.isAccepted(request["accept-encoding"]) else { return }
        guard let body = Gzip.compressed(response.body), body.count < response.body.count else { return }
        response.body = body
        response.headers.append(("Content-Encoding", "gzip"))
    }
}
