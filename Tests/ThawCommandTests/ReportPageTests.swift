import Foundation
import Testing

@testable import Thaw
@testable import ThawCommand

/// The content of a report's page. Its behavior is tested in `ReportBrowserTests`.
@Suite struct ReportPageTests {
    @Test(
        arguments: [
            (0.25, "0.2500"), (0, "0.0000"), (-12.5, "-12.5000"), (.nan, "null"), (-.nan, "null"), (.infinity, "null"),
            (-.infinity, "null"),
        ] as [(Float, String)])
    func `any probability is valid JSON`(_ share: Float, _ expected: String) {
        #expect(ReportFile.share(share).text == expected)
    }

    @Test(
        arguments: [
            ("right first", "rrrrwwwww", "rr--ww---"), ("wrong first", "wwwwwrr", "wwww---"),
            ("in turn", "rwrwrw", "rw-w-w"),
            ("not judged", "??????", "????--"),
        ])
    func `thumbnails are kept for mistakes`(_ name: String, _ outcomes: String, _ shown: String) throws {
        let folder = try TemporaryFolder()
        let report = try ReportFile(folder.path("page.html"), Model(graph: Graph()), top: 1, maximumThumbnails: 4)
        for outcome in outcomes {
            var classification = Classification(probabilities: [1, 0], labels: nil)
            classification.thumbnail = [1, 2, 3]
            try report.add("\(outcome)", .success(classification), truth: outcome == "?" ? nil : outcome == "r" ? 0 : 1)
        }
        try report.finish(title: "", subtitle: "", summary: nil)
        let page = try String(contentsOfFile: folder.path("page.html"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("[\"") }
        #expect(String(rows.map { $0.contains("\"AQID\"") ? Array($0)[2] : "-" }) == shown)
    }

    /// The content of the files is checked by `.ci/check-page`.
    @Test func `the page is a single file, and nothing in its parts closes an element`() {
        let parts = ReportPage.parts
        #expect(parts.opening.hasPrefix("<!doctype html>\n"))
        #expect(parts.opening.hasSuffix("<script type=\"application/json\" id=\"rows\">[\n"))
        #expect(parts.middle == "]</script>\n<script type=\"application/json\" id=\"page\">")
        #expect(parts.ending.hasSuffix("\nstart();\n</script>\n</body>\n</html>\n"))
        let page = parts.opening + parts.middle + parts.ending
        for (name, text) in ReportPage.files where name != "page.html" {
            #expect(page.contains(">\n" + text + "</"), "\(name)")
            let isScript = name.hasSuffix(".js")
            for part in isScript
                ? ["</script", "<!--", "import ", "src=\"http", "fetch("] : ["</style", "@import", "url("]
            {
                #expect(!text.contains(part), "\(name)")
            }
            #expect(!isScript || text.hasPrefix("\"use strict\";\n"), "\(name)")
        }
        #expect(!page.contains("href=") && !page.contains("src="))
    }
}
