import Testing

@testable import ThawCommand

@Suite struct ResultOriginTests {
    @Test(
        "What results come from is told from the end of their lines",
        arguments: [
            (#"{"image": "a.jpg", "predictions": [], "model": "Net.mlmodel (0123abcd)"}"#, "Net.mlmodel (0123abcd)"),
            (#"{"image": "], \"model\": \"b", "predictions": [], "model": "N (0123abcd)"}"#, "N (0123abcd)"),
            (#"{"image": "], \"model\": \"b", "predictions": []}"#, nil),
            (#"{"image": "a.jpg", "predictions": [{"label": "x\"], \"model\": \"y", "index": 0}]}"#, nil),
            (#"{"image": "a.jpg", "error": "no such file"}"#, nil),
        ])
    func reading(_ line: String, _ origin: String?) {
        #expect(ResultOrigin.text(inResult: Array(line.utf8)) == origin)
    }

    @Test func `content and options count, names do not`() {
        let origin = ResultOrigin(name: "Net.mlmodel", options: ["--crop", "fit"], 5)
        #expect(origin.text.hasPrefix("Net.mlmodel --crop fit (") && origin.text.hasSuffix(")"))
        #expect(origin.isSame(as: ResultOrigin(name: "Other.mlmodel", options: ["--crop", "fit"], 5).text))
        #expect(!origin.isSame(as: ResultOrigin(name: "Net.mlmodel", options: ["--crop", "fit"], 6).text))
        #expect(!origin.isSame(as: ResultOrigin(name: "Net.mlmodel", options: ["--crop", "fill"], 5).text))
        #expect(!origin.isSame(as: "mine"))
    }
}
