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

    @Test(arguments: [
        (JSON.object([]), "{}"), (.array([]), "[]"),
        (JSON("a\"b\\c\n\r\t\u{1}\u{1F}é𝄞/"), #""a\"b\\c\n\r\t\u0001\u001fé𝄞/""#),
        (JSON([1, 2.5]), "[1, 2.5]"), (JSON(3), "3"), (JSON(.max - 1), "9223372036854775806"),
        (JSON(nil as Int?), "null"), (JSON(nil as String?), "null"),
        (JSON(floating: Float(0.1)), "0.1"), (JSON(floating: 0.1), "0.1"), (JSON(floating: Float(1e-10)), "1e-10"),
        (JSON(floating: 1.0), "1.0"), (JSON(floating: -0.0), "-0.0"), (JSON(floating: Double.nan), "null"),
        (JSON(floating: -Float.infinity), "null"), (JSON(floating: nil as Double?), "null"),
        (.object([("z", .numeral("1.50")), ("a", .array([.bool(true), .null]))]), #"{"z": 1.50, "a": [true, null]}"#),
    ]) func `a value is written on one line, with its members in their order`(_ value: JSON, _ text: String) {
        #expect(value.text == text)
    }

    @Test func `a compact text has spaces only in strings`() {
        let value = JSON.object([("a b", .array([.number(1), .string("c, d: e")])), ("f", .null)])
        #expect(value.compactText == #"{"a b":[1,"c, d: e"],"f":null}"#)
    }
}
