import Testing

@testable import ThawCommand

@Suite struct ResultOriginTests {
    @Test(
        arguments: [
            (#"{"image": "a.jpg", "predictions": [], "model": "Net.mlmodel (0123abcd)"}"#, "Net.mlmodel (0123abcd)"),
            (#"{"image": "], \"model\": \"b", "predictions": [], "model": "N (0123abcd)"}"#, "N (0123abcd)"),
            (#"{"image": "], \"model\": \"b", "predictions": []}"#, nil),
            (#"{"image": "a.jpg", "predictions": [{"label": "x\"], \"model\": \"y", "index": 0}]}"#, nil),
            (#"{"image": "a.jpg", "error": "no such file"}"#, nil),
        ])
    func `the origin of results is read from the end of their lines`(_ line: String, _ origin: String?) {
        #expect(ResultOrigin.text(inResult: Array(line.utf8)) == origin)
    }

    @Test func `results have the same origin if the checksums are equal, whatever the names`() {
        let origin = ResultOrigin(name: "Net.mlmodel", options: ["--crop", "fit"], 5)
        #expect(origin.text == "Net.mlmodel --crop fit (00000005)")
        #expect(origin.isSame(as: ResultOrigin(name: "Other.mlmodel", options: [], 5).text))
        #expect(!origin.isSame(as: ResultOrigin(name: "Net.mlmodel", options: ["--crop", "fit"], 6).text))
        #expect(!origin.isSame(as: "mine"))
    }

    @Test(
        arguments: [
            ("", ""), ("--crop fill", ""), ("--crop=fill --resize pillow", ""), ("--crop fit", "--crop fit"),
            ("--crop=center:0.5 --fast", "--crop center:0.5 --fast"), ("--threads 2", ""),
        ])
    func `different options differ, but defaults equal omitted options`(_ given: String, _ expected: String) throws {
        let arguments = try Arguments(given.split(separator: " ").map(String.init), options: Commands.classify.options)
        #expect(arguments.commandLine(of: OptionGroups.results).joined(separator: " ") == expected)
    }
}
