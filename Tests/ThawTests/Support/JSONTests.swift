import Testing

@testable import Thaw

@Suite struct JSONTests {
    private func parsed(_ text: String) throws -> JSON { try Array(text.utf8).withUnsafeBytes { try JSON($0) } }

    @Test(arguments: [
        ("{}", JSON.object([])), (" [1, -2.5e2, 0] ", .array([.number(1), .number(-250), .number(0)])),
        (#"{"a": {"b": "c"}, "d": null}"#, .object([("a", .object([("b", .string("c"))])), ("d", .null)])),
        (#""\"\\\/\b\f\n\r\té😀""#, .string("\"\\/\u{8}\u{c}\n\r\té😀")), ("true", .bool(true)),
        ("false", .bool(false)),
    ]) func `a text is parsed as its value`(_ text: String, _ value: JSON) throws {
        #expect(try parsed(text) == value)
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\"}", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "01", "1.", "+1", "tru", "\"a", "\"\u{1}\"",
        "\"\\x\"", "\"\\ud800\"", "\"\\u12\"", "[1] 2", "nul", "'a'", String(repeating: "[", count: 1000),
    ]) func `text that is not JSON is refused`(_ text: String) { #expect(throws: Failure.self) { try parsed(text) } }
}
