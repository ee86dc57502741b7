import Foundation
import Testing
import Thaw

/// The shared library, as programs in C use it.
@Suite struct CInterfaceTests {
    private static let photograph = Project.photograph("cat")
    private static let model = [Project.demo, Project.demoLabels]

    @Test(arguments: CProgram.Checks.allCases)
    func `every function refuses null pointers, invalid handles and unknown sizes`(_ checks: CProgram.Checks) throws {
        let program = try CProgram("invalid", checks: checks)
        #expect(try program.run(Self.model + [Self.photograph]) == "done\n")
    }

    @Test(arguments: CProgram.Checks.allCases)
    func `many threads share a model`(_ checks: CProgram.Checks) throws {
        #expect(try CProgram("threads", checks: checks).run(Self.model + [Self.photograph]) == "done\n")
    }

    @Test(arguments: CProgram.Checks.allCases)
    func `a batch returns what single calls return, and can be canceled`(_ checks: CProgram.Checks) throws {
        let folder = try TemporaryFolder()
        let damaged = try folder.write("\u{FFFD}", to: "damaged.jpg")
        let photographs = Project.fixture("photographs")
        let text = try CProgram("batch", checks: checks).run(
            Self.model + [photographs, damaged, Self.photograph])
        let labels = try Labels(contentsOfFile: Project.demoLabels)
        let classifier = try Classifier(contentsOfFile: Project.demo, labels: labels)
        var expected = try ImageFiles.under([photographs]).map { path in
            let best = try classifier.classify(imageAt: path).top(1)[0]
            return [path, "\(best.index)", String(format: "%.9g", best.probability)]
        }
        expected += [[damaged, "unknownFormat"], ["missing.jpg", "noSuchFile"]]
        #expect(text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) } == expected)
    }

    @Test(arguments: [("idle", "ok 3, forked 0"), ("batch", "ok 0, forked 3")])
    func `a model works after a fork, unless the library was at work`(_ state: String, _ expected: String) throws {
        // The sanitizer's own threads do not survive a fork.
        guard CProgram.sanitizer != "thread" else { return }
        #expect(try CProgram("fork").run(Self.model + [Self.photograph, state]) == expected + "\n")
    }

    @Test func `a fork during calls of another thread does not hang`() throws {
        guard CProgram.sanitizer != "thread" else { return }
        let text = try CProgram("fork").run(Self.model + [Self.photograph, "busy"])
        let counts = text.split { !$0.isNumber }.compactMap { Int($0) }
        #expect(counts.count == 2 && counts[0] + counts[1] == 30 && counts[1] > 0, "\(text)")
    }

    // MARK: The header and the documentation

    @Test(arguments: [["-std=c99"], ["-x", "c++", "-std=c++11"]])
    func `the header is plain C and C++`(_ options: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["cc"] + options
            + [
                "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only",
                Project.path("Sources/CThaw/include/thaw.h"),
            ]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test func `the program in the documentation works`() throws {
        let page = try String(contentsOfFile: Project.path("docs/c-interface.md"), encoding: .utf8)
        let start = try #require(page.range(of: "```c\n")).upperBound
        let end = try #require(page[start...].range(of: "```")).lowerBound
        let folder = try TemporaryFolder()
        let source = try folder.write(String(page[start..<end]), to: "photo.c")
        let written = folder.path("m.mlmodel")
        let text = try CProgram(source).run(Self.model + [written, Self.photograph, "missing.jpg"])
        let classified = try Thaw.run(["classify", written, Self.photograph, "--top", "1", "--format", "json"])
        let label = try Labels(contentsOfFile: Project.demoLabels).names.first {
            classified.output.contains("\"\($0)\"")
        }
        let lines = text.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix("\(Self.photograph): \(label ?? "") 0."), "\(text)")
        #expect(lines[1].hasPrefix("missing.jpg: ") && lines[1].hasSuffix("no such file"), "\(text)")
    }
}
