import Foundation
import Testing

@testable import ThawCommand

/// What a report's page is made of. What it does was looked at in a browser.
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
