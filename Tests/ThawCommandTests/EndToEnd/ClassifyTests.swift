import Foundation
import Testing

@Suite struct ClassifyTests {
    /// The demo model, converted once.
    static let model: (folder: TemporaryFolder, path: String) = {
        let folder = TemporaryFolder.shared
        let path = folder.path("cifar10.mlmodel")
        let outcome = try! Thaw.run("convert", Project.demo, "--labels", Project.demoLabels, "-o", path)
        precondition(outcome.status == 0, outcome.errors)
        return (folder, path)
    }()

    private func classify(_ arguments: String...) throws -> Thaw.Outcome {
        try Thaw.run(["classify", ClassifyTests.model.path] + arguments)
    }

    @Test func `a cat and a horse are recognized, the most probable label first`() throws {
        for (photograph, label) in [("cat", "cat"), ("horse", "horse")] {
            let outcome = try classify(Project.photograph(photograph), "--top", "3")
            #expect(outcome.status == 0)
            #expect(outcome.errors == "")
            #expect(outcome.lines.count == 4)
            #expect(outcome.lines[0] == Project.photograph(photograph))
            #expect(outcome.lines[1].hasSuffix("  " + label))
            let numbers = outcome.lines.dropFirst().map { Double($0.split(separator: " ")[0])! }
            #expect(numbers == numbers.sorted(by: >))
        }
    }

    @Test func `a graph classifies like its converted model, and reports its assumptions`() throws {
        let arguments = [Project.photograph("cat"), "--threads", "1"]
        let graph = try Thaw.run(["classify", Project.demo, "--labels", Project.demoLabels] + arguments)
        let model = try Thaw.run(["classify", ClassifyTests.model.path] + arguments)
        #expect(graph.status == 0)
        #expect(graph.output == model.output)
        #expect(graph.errors.contains("red: y = "))
        #expect(model.errors == "")
        let nameless = try Thaw.run(["classify", Project.demo] + arguments)
        #expect(nameless.lines[1].hasSuffix("  3"))
    }

    @Test func `folders are searched recursively, and results are in order with any thread count`() throws {
        let folder = try TemporaryFolder()
        for name in ["b/x", "a", "b"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
        }
        var files = (0..<40).map { "a/\($0 + 100).jpg" } + ["b.png", "b/x/1.jpeg", "b/z"]
        for file in files {
            try FileManager.default.copyItem(atPath: Project.photograph("cat"), toPath: folder.path(file))
        }
        _ = try folder.write("no image", to: "notes.txt")
        files.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for threads in ["1", "2", "7"] {
            let outcome = try classify(folder.url.path, "--format", "csv", "--top", "1", "--threads", threads)
            #expect(outcome.status == 0)
            #expect(outcome.lines[0] == "image,rank,label,index,probability,error")
            #expect(outcome.lines.dropFirst().map { $0.split(separator: ",")[0] } == files.map { folder.path($0)[...] })
            #expect(Set(outcome.lines.dropFirst().map { $0.drop { $0 != "," } }).count == 1)
        }
    }

    @Test func `one bad image does not stop the others`() throws {
        let bad = Project.fixture("images/refused/picture.tiff")
        let arguments = [Project.photograph("cat"), bad, "/nowhere.jpg", Project.photograph("horse")]
        let text = try Thaw.run(["classify", ClassifyTests.model.path, "--top", "1"] + arguments)
        #expect(text.status == 1)
        #expect(text.lines.count == 4)
        #expect(text.errors.contains("thaw: /nowhere.jpg: no such file\n"))
        #expect(text.errors.contains("thaw: \(bad): is a TIFF image"))

        let json = try Thaw.run(["classify", ClassifyTests.model.path, "--format", "json"] + arguments)
        #expect(json.status == 1)
        let objects = try json.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.map { $0["image"] as? String } == arguments)
        #expect(
            objects.map { Set($0.keys) } == [
                ["image", "predictions"], ["image", "error", "code"], ["image", "error", "code"],
                ["image", "predictions"],
            ])
        #expect(objects[2]["error"] as? String == "no such file")
        #expect(objects[1]["code"] as? String == "unknownFormat")
        #expect(objects[2]["code"] as? String == "noSuchFile")
        let first = try #require((objects[3]["predictions"] as? [[String: Any]])?.first)
        #expect(Set(first.keys) == ["label", "index", "probability"])
        #expect(first["label"] as? String == "horse")
        #expect(first["index"] as? Int == 7)
        #expect(try #require(first["probability"] as? Double) > 0.5)

        let csv = try Thaw.run(["classify", ClassifyTests.model.path, "--format", "csv", "--top", "2"] + arguments)
        #expect(csv.status == 1)
        #expect(csv.lines.count == 1 + 2 + 1 + 1 + 2)
        #expect(csv.lines[4] == "/nowhere.jpg,,,,,no such file")
    }

    @Test func `if every image is bad, the exit code is 2`() throws {
        let outcome = try classify("/nowhere.jpg", Project.fixture("images/refused"), "--format", "json")
        #expect(outcome.status == 2)
        #expect(outcome.lines.allSatisfy { $0.contains("\"error\": ") })
    }

    @Test func `the kind of an image is determined by its content`() throws {
        let folder = try TemporaryFolder()
        let png = Project.fixture("images/good/palette-8.png")
        try #require(FileManager.default.fileExists(atPath: png))
        try FileManager.default.copyItem(atPath: png, toPath: folder.path("x.jpg"))
        let jpg = try classify(folder.path("x.jpg"), "--format", "csv")
        #expect(jpg.status == 0)
        let original = try classify(png, "--format", "csv")
        #expect(jpg.output.replacingOccurrences(of: folder.path("x.jpg"), with: png) == original.output)
    }

    @Test func `cropping changes the result`() throws {
        let photograph = Project.photograph("coffee")
        let outcomes = try [
            [], ["--crop", "center:0.5"], ["--crop", "fit"], ["--crop", "fit", "--background", "#ffffff"],
        ]
        .map { try Thaw.run(["classify", ClassifyTests.model.path, photograph, "--format", "json"] + $0) }
        #expect(outcomes.allSatisfy { $0.status == 0 })
        #expect(Set(outcomes.map(\.output)).count == 4)
    }

    @Test func `labels that do not exclude each other are mentioned once`() throws {
        let folder = try TemporaryFolder()
        let arguments = [Project.photograph("cat"), Project.photograph("horse")]
        let graph = try folder.writeSigmoidGraph(to: "graph.pb")
        let outcome = try Thaw.run(["classify", graph, "--preprocess", "unit"] + arguments, in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors.components(separatedBy: "this is a multi-label model").count == 2)
    }

    @Test func `outputs that are not probabilities are mentioned once`() throws {
        let photos = [Project.photograph("cat"), Project.photograph("horse")]
        let outcome = try Thaw.run(["classify", Project.demo, "--output", "logits"] + photos)
        #expect(outcome.status == 0)
        let note = "the model's outputs are not probabilities: they are outside 0 to 1\n"
        #expect(outcome.errors.components(separatedBy: note).count == 2, "\(outcome.errors)")
    }

    @Test func `results that cannot be written are reported, but not a reader that stops`() throws {
        let arguments = ["classify", ClassifyTests.model.path, Project.photograph("cat")]
        let full = try Thaw.run(arguments, after: "> /dev/full")
        #expect(full.status == 2)
        #expect(full.errors == "thaw: standard output: cannot be written: No space left on device\n")
        #expect(try Thaw.run(arguments, after: "| true").errors == "")
    }

    @Test func `circular links are followed once, and an unreadable folder is reported`() throws {
        let folder = try TemporaryFolder()
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder.path("a/b"), withIntermediateDirectories: true)
        try manager.copyItem(atPath: Project.photograph("cat"), toPath: folder.path("a/b/cat.jpg"))
        try manager.createSymbolicLink(atPath: folder.path("a/b/up"), withDestinationPath: folder.path("a"))
        try manager.createSymbolicLink(
            atPath: folder.path("a/self.jpg"), withDestinationPath: folder.path("a/self.jpg"))
        let circle = try classify(folder.url.path, "--format", "csv", "--top", "1")
        #expect(circle.status == 1)
        #expect(circle.lines.count == 3)
        #expect(circle.lines.last?.contains("self.jpg,,,,,cannot be opened") == true, "\(circle.lines)")
        try manager.removeItem(atPath: folder.path("a/self.jpg"))
        // Deeper than the longest path.
        let name = String(repeating: "d", count: 250)
        let dig = Process()
        dig.executableURL = URL(fileURLWithPath: "/bin/sh")
        dig.arguments = [
            "-c", "cd \"$0\"; for i in $(seq 17); do mkdir \(name) && cd -P \(name) || exit 1; done", folder.path("a"),
        ]
        try dig.run()
        dig.waitUntilExit()
        defer {
            let fill = Process()
            fill.executableURL = URL(fileURLWithPath: "/bin/rm")
            fill.arguments = ["-rf", folder.path("a")]
            try? fill.run()
            fill.waitUntilExit()
        }
        let deep = try classify(folder.url.path, "--format", "json", "--top", "1")
        #expect(deep.status == 1)
        #expect(deep.lines.count == 2)
        #expect(deep.lines.last?.contains("\"error\": \"cannot be opened: File name too long\"") == true)
    }

    @Test func `the resize method changes the result, and --fast changes it slightly`() throws {
        let photograph = Project.photograph("coffee")
        let outcomes = try Resizes.all.map { try classify(photograph, "--resize", $0, "--format", "csv") }
        #expect(outcomes.allSatisfy { $0.status == 0 })
        #expect(Set(outcomes.map(\.output)).count == Resizes.all.count)
        let fast = try classify(photograph, "--fast", "--top", "1", "--format", "csv")
        #expect(fast.output != outcomes[0].output)
        #expect(try classify(photograph, "--resize", "nearest").errors.contains("pillow, bicubic, tensorflow"))
    }

    private enum Resizes {
        static let all = [
            "pillow", "bicubic", "tensorflow", "tensorflow:align-corners", "tensorflow:half-pixel", "area",
        ]
    }

    @Test func `a report is a single self-contained page, with any file names`() throws {
        let folder = try TemporaryFolder()
        let name = folder.path("<script>alert(1)<!-- &amp; 'x'.jpg")
        try FileManager.default.copyItem(atPath: Project.photograph("cat"), toPath: name)
        let hostile = folder.path("report.html")
        let outcome = try classify(name, "/nowhere.jpg", Project.photograph("horse"), "--report", hostile)
        #expect(outcome.status == 1)
        let page = try String(contentsOfFile: hostile, encoding: .utf8)
        #expect(page.hasPrefix("<!doctype html>") && page.hasSuffix("</html>\n"))
        #expect(!page.contains("<script>alert"))
        #expect(!page.contains("http://") || !page.contains("src=\"http"))
        // The script reads JSON with a row for each photo.
        let start = try #require(page.range(of: "id=\"rows\">"))
        let end = try #require(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
        let rows = try #require(
            try JSONSerialization.jsonObject(with: Data(page[start.upperBound..<end.lowerBound].utf8)) as? [[Any]])
        #expect(rows.map { $0[0] as? String } == [name, "/nowhere.jpg", Project.photograph("horse")])
        #expect(rows[1][4] as? String == "no such file")
        let thumbnail = try #require(Data(base64Encoded: rows[0][1] as? String ?? ""))
        #expect(thumbnail.starts(with: [0xFF, 0xD8, 0xFF]))
        #expect(thumbnail.count < 8000)
        let refused = try classify(name, "--report", folder.path("none/report.html"))
        #expect(refused.status == 2)
        #expect(refused.output == "")
    }
}
