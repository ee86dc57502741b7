import Testing

@testable import ThawCommand

@Suite struct TextWidthTests {
    @Test(
        arguments: [
            ("cat", 3), ("", 0), ("Äpfel", 5), ("A\u{308}pfel", 5), ("猫", 2), ("ねこ", 4), ("고양이", 6), ("ｃａｔ", 6),
            ("ｶﾀ", 2), ("🐈", 2), ("👩‍🔬", 2), ("🇨🇭", 2), ("кот", 3), ("a猫", 3), ("☂", 1),
        ])
    func `text has the width that a terminal gives it`(_ text: String, _ count: Int) { #expect(text.columns == count) }

    @Test(
        arguments: [
            ("cat", 3, "cat"), ("cats", 3, "ca…"), ("猫猫", 4, "猫猫"), ("猫猫猫", 4, "猫…"), ("猫猫猫", 5, "猫猫…"),
            ("a👩‍🔬b", 3, "a…"),
        ])
    func `text is truncated to a number of columns`(_ text: String, _ width: Int, _ expected: String) {
        #expect(text.cut(toColumns: width) == expected)
    }

    @Test(
        arguments: [
            ("cat", "cat"), ("\u{1B}[31mred", "?[31mred"), ("two\nlines", "two?lines"), ("\u{202E}tac", "?tac"),
            ("\u{2067}tac\u{2069}", "?tac?"), ("עברית 猫", "עברית 猫"),
        ])
    func `control characters are shown as question marks`(_ name: String, _ expected: String) {
        #expect(shown(name) == expected)
    }

    @Test func `padding counts columns`() {
        #expect(padded("猫", 4) == "猫  ")
        #expect(padded("猫", 4, left: true) == "  猫")
    }
}
