import Foundation
import Testing
import Thaw

@testable import ThawService

/// Compression, the queue, the page.
@Suite struct PartsTests {
    @Test(
        arguments: [
            (.uint64, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], "18446744073709551615"),
            (.int64, [0, 0, 0, 0, 0, 0, 0, 0x80], "-9223372036854775808"), (.int8, [0x80], "-128"),
            (.bool, [1], "true"),
            (.float64, [0, 0, 0, 0, 0, 0, 0xF0, 0x7F], "null"),
        ] as [(DataType, [UInt8], String)]) func `the extremes of a type are written`(
            _ type: DataType, _ bytes: [UInt8], _ expected: String
        )
    {
        var json = JSONText()
        InferResponse.add(bytes, of: type, to: &json)
        #expect(json.text == expected)
    }

    @Test func `compressed bytes are decompressed, up to a limit`() throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 5) }
        let compressed = try #require(Gzip.compressed(bytes))
        #expect(try Gzip.decompressed(compressed[...], limit: bytes.count) == bytes)
        #expect(try Gzip.decompressed(compressed[...] + compressed, limit: 2 * bytes.count) == bytes + bytes)
        #expect(throws: ErrorResponse.self) { try Gzip.decompressed(compressed[...], limit: bytes.count - 1) }
        #expect(throws: ErrorResponse.self) { try Gzip.decompressed(compressed.dropLast(), limit: bytes.count) }
        #expect(throws: ErrorResponse.self) { try Gzip.decompressed(compressed[...] + [0], limit: bytes.count) }
        #expect(throws: ErrorResponse.self) { try Gzip.decompressed([1, 2, 3], limit: 10) }
        #expect(throws: ErrorResponse.self) { try Gzip.decompressed([], limit: 10) }
    }

    @Test(
        arguments: [
            (nil, false), ("gzip", true), ("deflate, gzip;q=0.5", true), ("gzip;q=0", false), ("*", true),
            ("identity", false), ("*;q=0", false), ("*, gzip;q=0", false), ("*;q=0, gzip", true),
        ] as [(String?, Bool)])
    func `gzip is sent if the client accepts it`(_ field: String?, _ isAccepted: Bool) {
        #expect(Gzip.isAccepted(field) == isAccepted)
    }

    @Test func `an address that the machine does not have is skipped`() throws {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        #if os(Linux)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        // 192.0.2.1 is for documentation (RFC 5737).
        var (first, second): (UnsafeMutablePointer<addrinfo>?, UnsafeMutablePointer<addrinfo>?)
        try #require(getaddrinfo("192.0.2.1", "0", &hints, &first) == 0)
        try #require(getaddrinfo("127.0.0.1", "0", &hints, &second) == 0)
        let addresses = try #require(first)
        #expect(throws: StartFailure.self) { try Listener.boundSocket(to: addresses) { $0 } }
        addresses.pointee.ai_next = second
        defer { freeaddrinfo(addresses) }
        let socket = try Listener.boundSocket(to: addresses) { $0 }
        #expect(Listener.name(of: socket, getsockname).address == "127.0.0.1")
        close(socket)
    }

    @Test func `a full queue takes no more, and is emptied`() throws {
        let queue = try WorkQueue(limit: 2, threads: 1)
        let gate = Monitor(false)
        let fates = Monitor<[String]>([])
        // One runs, two wait, the next is refused.
        for index in 0..<3 {
            #expect(queue.reserve())
            queue.add { fate in
                if fate == .run { _ = gate.wait { $0 ? true : nil } }
                fates.update { $0.append("\(index) \(fate)") }
            }
            while index == 0, queue.running == 0 { pause(milliseconds: 1) }
        }
        #expect(!queue.reserve() && queue.isFull && queue.waiting == 2)
        queue.drop()
        gate.update { $0 = true }
        let all = fates.wait { $0.count == 3 ? $0 : nil }
        #expect(all == ["1 dropped", "2 dropped", "0 run"])
        #expect(queue.reserve())
    }

    @Test func `a finished job is released while others wait`() throws {
        final class Body: Sendable {}
        let queue = try WorkQueue(limit: 3, threads: 1)
        let (started, mayEnd) = (Monitor(0), Monitor(0))
        weak var waited: Body?
        // The first starts at once, so only the others wait.
        for index in 0..<4 {
            let body = Body()
            if index == 1 { waited = body }
            #expect(queue.reserve())
            queue.add { [body] _ in
                withExtendedLifetime(body) { started.update { $0 += 1 } }
                _ = mayEnd.wait { $0 > index ? true : nil }
            }
            while index == 0, queue.running == 0 { pause(milliseconds: 1) }
        }
        #expect(waited != nil)
        mayEnd.update { $0 = 2 }
        _ = started.wait { $0 == 3 ? true : nil }
        #expect(queue.waiting == 1 && waited == nil)
        mayEnd.update { $0 = 4 }
        _ = started.wait { $0 == 4 ? true : nil }
    }

    @Test func `a single request gets all threads, and returns them`() throws {
        let queue = try WorkQueue(limit: 4, threads: 3)
        let counts = Monitor<[Int]>([])
        for request in 1...2 {
            #expect(queue.reserve())
            queue.add { _ in queue.withThreads { count in counts.update { $0.append(count) } } }
            _ = counts.wait { counts in counts.count == request ? true : nil }
            while queue.running > 0 { pause(milliseconds: 1) }
        }
        #expect(counts.with { $0 } == [3, 3])
    }

    @Test func `the page allows only its own scripts`() throws {
        let response = Page.response
        let text = String(decoding: response.body, as: UTF8.self)
        let policy = try #require(response.headers.first { $0.0 == "Content-Security-Policy" }?.1)
        let nonce = try #require(policy.split(separator: "'").first { $0.hasPrefix("nonce-") }).dropFirst(6)
        let scripts = text.split(separator: "<script").dropFirst()
        #expect(scripts.count >= 9 && scripts.allSatisfy { $0.hasPrefix(" nonce=\"\(nonce)\">") })
        #expect(!text.contains("NONCE") && !text.contains(" src=\"elements.js\"") && !text.contains(" style=\""))
        let other = Page.response.headers.first { $0.0 == "Content-Security-Policy" }?.1
        #expect(other != policy)
    }

    @Test(arguments: [
        (Failure.Code.limitExceeded, 413), (.unknownFormat, 415), (.imageDamaged, 400), (.wrongShape, 400),
    ])
    func `a failure has a status`(_ code: Failure.Code, _ status: Int) {
        let error = ErrorResponse(Failure(code, file: "secret/path.jpg", "it is wrong", hint: "--option"))
        #expect(error.status == status && error.message == "it is wrong")
    }
}
