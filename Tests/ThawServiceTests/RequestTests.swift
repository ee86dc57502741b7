import Testing
import Thaw

@testable import ThawService

/// Parsing of requests, and refusals.
@Suite struct RequestTests {
    static func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    /// A request with an input that has only data.
    private static func input(_ data: String) -> String { "{\"inputs\": [{\"data\": \(data)}]}" }
    private static func input(_ data: ThawService.JSON) -> ThawService.JSON {
        .object(["inputs": .array([.object(["data": data])])])
    }

    @Test(arguments: [
        ("{}", ThawService.JSON.object([:])),
        (" [1, -2.5e1, true, null] ", .array([.number(1), .number(-25), .bool(true), .null])),
        ("\"a\\u00e9\\ud83d\\ude00\\n\"", .string("aé😀\n")), ("0.1", .number(0.1)),
        ("12345678901234567168", .number(12_345_678_901_234_567_168)),
        (input("[[1, 2], [3, 4]]"), input(.numbers([1, 2, 3, 4]))), (input("[]"), input(.numbers([]))),
        (input("[[], []]"), input(.numbers([]))), (input("[true, false]"), input(.numbers([1, 0]))),
        (input("[[\"a\"], [\"b\"]]"), input(.strings(["a", "b"]))), (input("1"), input(.number(1))),
        (input("null"), input(.null)),
        (
            input("[1, 9007199254740993, -9223372036854775809]"),
            input(
                .numbers(
                    [1, 0x1p53, -0x1p63], long: [.init(index: 1, value: 1 << 53 + 1), .init(index: 2, value: nil)]))
        ),
        ("{\"parameters\": {\"data\": [5]}}", .object(["parameters": .object(["data": .array([.number(5)])])])),
        ("{\"data\": \"a\"}", .object(["data": .string("a")])),
    ])
    func `valid JSON is read`(_ text: String, _ value: ThawService.JSON) throws {
        #expect(try ThawService.JSON(Self.bytes(text)) == value)
    }

    @Test(arguments: [
        "", "{", "{]", "[1,]", "[,1]", "01", "1.", ".5", "+1", "--1", "1e", "nul", "'a'", "\"\u{1}\"", "\"\\x\"",
        "\"\\u12\"",
        "\"\\ud800\"", "{\"a\":1,\"a\":2}", input("[1"), input("[1]]"), input("[1,]"),
        input("[1,\"a\"]"), "1 1", String(repeating: "[", count: 100),
        "{\"inputs\":[{\"data\":" + String(repeating: "[", count: 100),
        "[" + String(repeating: "1,", count: 10_000) + "1]",
    ])
    func `invalid JSON is refused`(_ text: String) {
        #expect(throws: ErrorResponse.self) { try ThawService.JSON(Self.bytes(text)) }
    }

    @Test(arguments: [
        ("{\"a\":1,\"a\":2}", "the request's JSON has the key 'a' twice in one object"),
        (String(repeating: "[", count: 33), "the request's JSON is nested deeper than 32 levels"),
        ("[1,]", "the request is not valid JSON at byte 3"),
    ])
    func `invalid JSON is described`(_ text: String, _ expected: String) {
        let error = #expect(throws: ErrorResponse.self) { try ThawService.JSON(Self.bytes(text)) }
        #expect(error?.message == expected)
    }

    @Test(arguments: [
        ("/", Route.page), ("/v2", .server), ("/v2/", .server), ("/v2/health/live", .live),
        ("/v2/models/a%20b/infer", .infer("a b")), ("/v2/models/a/versions/1", .model("a")),
        ("/v2/models/a/versions/1/ready", .modelReady("a")), ("/v2/models/a/versions/3/infer", .unknownVersion("3")),
        ("/v2/models", .unknown), ("/v2/models/a/b", .unknown), ("/classify?top=3", .classify),
        ("/models/a/graph.svg", .drawing("a")), ("/models/a%2F..%2Fb", .details("a/../b")), ("/etc/passwd", .unknown),
    ])
    func `a path is a route`(_ target: String, _ route: Route) throws {
        #expect(Route(try Request(method: "GET", target: target, fields: []).path) == route)
    }

    @Test(arguments: ["x", "/%", "/%4", "/%zz", "/%ff", "/%00", "/?a=1&a=2", "/?%c3=1", "*", ""])
    func `a malformed path is refused`(_ target: String) {
        #expect(throws: ErrorResponse.self) { try Request(method: "GET", target: target, fields: []) }
    }

    @Test(arguments: [
        [("host", "a"), ("host", "b")], [("content-length", "1"), ("transfer-encoding", "chunked")],
        [("authorization", "a"), ("authorization", "b")],
    ])
    func `fields that a proxy may read differently are refused`(_ fields: [(String, String)]) {
        #expect(throws: ErrorResponse.self) {
            try Request(method: "POST", target: "/", fields: fields.map { (name: $0.0, value: $0.1) })
        }
    }

    @Test(
        arguments: [
            ("INT32", "2147483647", true), ("INT32", "2147483648", false), ("INT32", "1.5", false),
            ("INT32", "null", false), ("INT8", "-128", true), ("UINT16", "65536", false), ("UINT64", "-1", false),
            ("INT64", "9223372036854775807", true), ("BOOL", "2", false), ("FP32", "1e30", true),
            ("FP16", "null", true),
        ])
    func `numbers that a datatype cannot represent are refused`(
        _ type: String, _ number: String, _ isAccepted: Bool
    ) throws {
        let input = try Self.input(type, number)
        let values = try? input.values()
        #expect((values != nil) == isAccepted)
    }

    private static func input(_ type: String, _ data: String) throws -> InferRequest.Input {
        let text = #"{"inputs": [{"name": "x", "datatype": "\#(type)", "shape": [1], "data": [\#(data)]}]}"#
        return try InferRequest(bytes(text), headerLength: nil).inputs[0]
    }

    @Test(arguments: [
        ("9007199254740993", 9_007_199_254_740_993), ("-9007199254740993", -9_007_199_254_740_993),
        ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min), ("1e3", 1000),
    ])
    func `integers of a pipeline are exact`(_ text: String, _ integer: Int) throws {
        let input = try Self.input("INT64", text)
        #expect(try input.integers() == [integer])
        let pipeline = try Pipeline(
            contentsOfFile: EndToEndTests.path("Tests/Fixtures/pipelines/hand_categories.mlmodel"))
        let port = try ServedModel.Port(#require(pipeline.outputs.first { $0.type == .integer }))
        let item = try InferPlan.Input(input, port, Settings(["x.mlmodel"])).items
        guard case .integers([integer]) = item else {
            Issue.record("\(item)")
            return
        }
    }

    @Test func `integers in binary data are exact`() throws {
        let text =
            #"{"inputs": [{"name": "x", "datatype": "INT64", "shape": [2], "parameters": {"binary_data_size": 16}}]}"#
        let integers = [9_007_199_254_740_993, -2]
        let data = integers.flatMap { integer in withUnsafeBytes(of: integer.littleEndian) { Array($0) } }
        let request = try InferRequest(Self.bytes(text) + data, headerLength: "\(text.utf8.count)")
        #expect(try request.inputs[0].integers() == integers)
    }

    @Test(arguments: ["9223372036854775808", "-9223372036854775809"])
    func `an integer of more than 64 bits is refused`(_ text: String) {
        let error = #expect(throws: ErrorResponse.self) { try Self.input("INT64", text).integers() }
        #expect(error?.message == "'x' contains an integer of more than 64 bits; expected values of datatype INT64")
    }

    @Test(arguments: ["null", "256", "-1", "1.5"])
    func `an invalid pixel is named as in JSON`(_ text: String) {
        let error = #expect(throws: ErrorResponse.self) { try Self.input("UINT8", text).pixelBytes() }
        #expect(error?.message == "'x' contains \(text); pixels are integers from 0 to 255")
    }

    @Test(arguments: ["sequence_id", "sequence_start", "sequence_end"])
    func `sequences are refused`(_ name: String) {
        let text = #"{"inputs": [], "parameters": {"\#(name)": 1}}"#
        let error = #expect(throws: ErrorResponse.self) { try InferRequest(Self.bytes(text), headerLength: nil) }
        #expect(error?.message.hasPrefix("'\(name)' is not supported") == true)
    }

    @Test(arguments: ["content-length ", "a b", "", "caf\u{E9}", "a\0"])
    func `invalid names of header fields are refused`(_ name: String) {
        #expect(throws: ErrorResponse.self) {
            try Request(method: "POST", target: "/", fields: [(name: name, value: "60")])
        }
    }

    @Test(
        arguments: [
            ("chunked", nil), ("Chunked", nil), ("gzip", 501), ("gzip, chunked", 501), ("identity", 501), ("", 501),
        ] as [(String, Int?)])
    func `a transfer encoding other than chunked is refused`(_ encoding: String, _ status: Int?) {
        var refused: Int?
        do {
            _ = try Request(method: "POST", target: "/", fields: [(name: "transfer-encoding", value: encoding)])
        } catch { refused = (error as? ErrorResponse)?.status }
        #expect(refused == status)
    }

    @Test(
        arguments: [
            ("", []), ("TQ==", [77]), ("TQ", [77]), ("TWE=", [77, 97]), ("TWFu", [77, 97, 110]),
            ("+/+/", [0xFB, 0xFF, 0xBF]),
        ] as [(String, [UInt8])])
    func `base64 is decoded`(_ text: String, _ bytes: [UInt8]) { #expect(base64Decoded(text) == bytes) }

    @Test(arguments: ["T", "TWFuT", "T Q=", "TQ===", "====", "é"])
    func `invalid base64 is refused`(_ text: String) { #expect(base64Decoded(text) == nil) }

    @Test func `the highest values come first, of equals the lower index, and NaN last`() {
        #expect(Classification.topIndices(of: [1, 3, .nan, 3, 2], count: 5) == [1, 3, 4, 0, 2])
        let many = (0..<1000).map { Float($0 * 7919 % 1000) }
        #expect(
            Classification.topIndices(of: many, count: 3)
                == Array(many.indices.sorted { many[$0] > many[$1] }.prefix(3)))
    }
}

/// The parts of a form.
@Suite struct MultipartTests {
    private static let boundary = Array("X".utf8)

    private static func parts(_ text: String) throws -> [(String?, String)] {
        try Multipart.parts(of: Array(text.utf8)[...], boundary: boundary).map {
            ($0.fileName, String(decoding: $0.content, as: UTF8.self))
        }
    }

    @Test(arguments: [
        ("--X\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.jpg\"\r\n\r\nabc\r\n--X--", "a.jpg", "abc"),
        ("intro\r\n--X  \r\ncontent-disposition: form-data; filename=b; name=f\r\n\r\n\r\n--X--\r\nrest", "b", ""),
        (
            "--X\r\nContent-Disposition: form-data; filename=\"a\\\"b;c.jpg\"\r\n\r\n--Y\r\r\n--\r\n--X--",
            "a\"b;c.jpg", "--Y\r\r\n--"
        ),
    ])
    func `a file has its name and content`(_ form: String, _ name: String, _ content: String) throws {
        let parts = try Self.parts(form)
        #expect(parts.count == 1 && parts[0].0 == name && parts[0].1 == content)
    }

    @Test(arguments: [
        "", "--Y\r\n\r\n--Y--", "--X", "--X\r\n", "--X\r\nA: b", "--X\r\nA: b\r\n\r\nabc", "--Xabc\r\n\r\n\r\n--X--",
    ])
    func `a malformed form is refused`(_ form: String) { #expect(throws: ErrorResponse.self) { try Self.parts(form) } }

    @Test(arguments: [
        ("multipart/form-data; boundary=abc", "abc"), ("Multipart/Form-Data; charset=utf-8; Boundary=\"a b\"", "a b"),
    ])
    func `the boundary is found`(_ type: String, _ boundary: String) throws {
        #expect(try Multipart.boundary(in: type) == Array(boundary.utf8))
    }

    @Test(arguments: ["multipart/form-data", "multipart/form-data; boundary=", "multipart/mixed; boundary=a"])
    func `a form without a boundary is refused`(_ type: String) {
        #expect(throws: ErrorResponse.self) { try Multipart.boundary(in: type) }
    }
}
