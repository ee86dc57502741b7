import Foundation
import Testing

@testable import Thaw
@testable import ThawCommand

/// What a report's page is made of. What it does is seen in `ReportBrowserTests`.
@Suite struct ReportPageTests {
    @Test(
        "A probability is JSON, whatever number it is",
        arguments: [
            (0.25, "0.2500"), (0, "0.0000"), (-12.5, "-12.5000"), (.nan, "null"), (-.nan, "null"), (.infinity, "null"),
            (-.infinity, "null"),
        ] as [(Float, String)])
    func shares(_ share: Float, _ expected: String) {
        #expect(ReportFile.share(share) == expected)
    }

    @Test(
        "Pictures are kept for mistakes",
        arguments: [
            ("right first", "rrrrwwwww", "rr--ww---"), ("wrong first", "wwwwwrr", "wwww---"),
            ("in turn", "rwrwrw", "rw-w-w"),
            ("not judged", "??????", "????--"),
        ])
    func previews(_ name: String, _ answers: String, _ pictured: String) throws {
        let folder = try TemporaryFolder()
        let report = try ReportFile(folder.path("page.html"), Model(graph: Graph()), top: 1, mostThumbnails: 4)
        for answer in answers {
            var classification = Classification(probabilities: [1, 0], labels: nil)
            classification.thumbnail = [1, 2, 3]
            try report.add("\(answer)", .success(classification), truth: answer == "?" ? nil : answer == "r" ? 0 : 1)
        }
        try report.finish(title: "", subtitle: "", summary: nil)
        let page = try String(contentsOfFile: folder.path("page.html"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("[\"") }
        #expect(String(rows.map { $0.contains("\"AQID\"") ? Array($0)[2] : "-" }) == pictured)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/node"), "there is no node"))
    func `the program can be read`() throws {
        let folder = try TemporaryFolder()
        let node = Process()
        node.executableURL = URL(fileURLWithPath: "/usr/bin/node")
        node.arguments = ["--check", try folder.write(ReportPage.script, to: "page.js")]
        try node.run()
        node.waitUntilExit()
        #expect(node.terminationStatus == 0)
    }

    @Test func `the program needs no other file and does not end its element`() {
        #expect(ReportPage.script.hasSuffix("\nstart();\n"))
        for part in ["</script", "<!--", "import ", "src=\"http", "fetch("] {
            #expect(!ReportPage.script.contains(part))
        }
        for part in ["</style", "@import", "url("] {
            #expect(!ReportPage.style.contains(part))
        }
    }
}
