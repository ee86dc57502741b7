import Foundation
import Testing

/// Output to a terminal.
@Suite struct TerminalTests {
    @Test(
        arguments: [
            (["classify", ClassifyTests.model.path], [:]), (["classify", ClassifyTests.model.path], ["NO_COLOR": "1"]),
            (["classify", ClassifyTests.model.path], ["TERM": "dumb"]),
            (["apply", Project.fixture("generators/super_resolution.pb"), "--max-side", "32", "-o", "out"], [:]),
        ] as [([String], [String: String])])
    func `a file's name cannot control the terminal, with or without color`(
        _ arguments: [String], _ environment: [String: String]
    ) throws {
        let folder = try TemporaryFolder()
        let name = "a\u{1B}]0;title\u{7}.jpg"
        try FileManager.default.copyItem(atPath: Project.photograph("cat"), toPath: folder.path(name))
        let shown = try output(of: arguments + [name], in: folder, environment)
        #expect(shown.contains("a?]0;title?.jpg"))
        #expect(!shown.contains("\u{1B}]") && !shown.contains("\u{7}"))
    }

    /// An escape sequence that sets the title, one of a single character, and a change of the writing direction.
    private static let hostile = "cat\u{1B}]0;title\u{7}\u{9B}31m\u{202E}gpj"

    /// Control characters, except line breaks and our own colors.
    private func controls(in text: String) -> [Unicode.Scalar] {
        var text = text
        for own in ["\u{1B}[1;32m", "\u{1B}[0m", "\r\n", "\n"] { text = text.replacingOccurrences(of: own, with: "") }
        return text.unicodeScalars.filter { $0.properties.generalCategory == .control || $0 == "\u{202E}" }
    }

    @Test(arguments: [
        ["inspect", "a.mlmodel"], ["classify", "a.mlmodel", "cat.jpg"],
        ["classify", "a.mlmodel", "cat.jpg", "--format", "csv"],
        ["classify", "a.mlmodel", "cat.jpg", "--format", "json"], ["evaluate", "a.mlmodel", "truth.tsv"],
    ]) func `a model's labels and names cannot control the terminal`(_ arguments: [String]) throws {
        let folder = try TemporaryFolder()
        let labels = try String(contentsOfFile: Project.demoLabels, encoding: .utf8)
            .replacingOccurrences(of: "cat\n", with: Self.hostile + "\n")
        _ = try folder.write(labels, to: "labels.txt")
        _ = try folder.write("file\tclass\ncat.jpg\t\(Self.hostile)\n", to: "truth.tsv")
        try FileManager.default.copyItem(atPath: Project.photograph("cat"), toPath: folder.path("cat.jpg"))
        let conversion = try Thaw.run(
            "convert", Project.demo, "--labels", "labels.txt", "--description", Self.hostile, "-o", "a.mlmodel",
            in: folder)
        #expect(conversion.status == 0, "\(conversion.errors)")
        let shown = try output(of: arguments, in: folder, [:])
        #expect(shown.contains("title") && controls(in: shown).isEmpty, "\(shown.debugDescription)")
    }

    @Test func `a message in a log has no control characters, and a name cannot look like another message`() throws {
        let folder = try TemporaryFolder()
        let name = "a\nthaw: all is well\(Self.hostile).pb"
        _ = try folder.write("no graph", to: name)
        for name in [name, name + ".missing"] {
            let outcome = try Thaw.run("inspect", name, in: folder)
            #expect(outcome.status == 2)
            #expect(outcome.errors.hasPrefix("thaw: a?thaw: all is wellcat?]0;title"))
            #expect(controls(in: outcome.errors).isEmpty, "\(outcome.errors.debugDescription)")
        }
    }

    @Test(arguments: [false, true]) func `a batch ends with a summary line, unless it is quiet`(
        _ isQuiet: Bool
    ) throws {
        let images = ["cat", "horse"].map(Project.photograph)
        let arguments = ["classify", ClassifyTests.model.path] + images + (isQuiet ? ["--quiet"] : [])
        let shown = try output(of: arguments, in: TemporaryFolder(), [:], errors: true)
        #expect(isQuiet ? shown.isEmpty : shown.contains("2 images in ") && shown.contains("/s\r\n"), "\(shown)")
    }

    @Test func `evaluate and apply end a batch with a summary line, too`() throws {
        let folder = try TemporaryFolder()
        let rows = ["cat", "horse"].map { "\(Project.photograph($0))\t\($0)\n" }.joined()
        let table = try folder.write("file\tclass\n" + rows, to: "truth.tsv")
        let images = ["cat", "horse"].map(Project.photograph)
        let network = Project.fixture("generators/super_resolution.pb")
        for arguments in [
            ["evaluate", ClassifyTests.model.path, table],
            ["apply", network, "--max-side", "16", "-o", "out"] + images,
        ] {
            let shown = try output(of: arguments, in: folder, [:], errors: true)
            #expect(shown.contains("2 images in ") && shown.hasSuffix("/s\r\n"), "\(shown)")
        }
    }

    /// The program's output in a terminal: its results, or everything else.
    private func output(
        of arguments: [String], in folder: TemporaryFolder, _ environment: [String: String], errors: Bool = false
    ) throws -> String {
        var (screen, terminal): (Int32, Int32) = (-1, -1)
        try #require(openpty(&screen, &terminal, nil, nil, nil) == 0)
        let process = Process()
        process.executableURL = Thaw.binary
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.environment = ["TERM": "xterm"].merging(environment) { $1 }
        let handle = FileHandle(fileDescriptor: terminal, closeOnDealloc: true)
        process.standardOutput = errors ? FileHandle.nullDevice : handle
        process.standardError = errors ? handle : FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        // The few lines stay in the terminal's buffer. Once nobody can write to it, reading ends after the last.
        try handle.close()
        var shown: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(screen, &bytes, bytes.count)
            if count <= 0 { break }
            shown += bytes.prefix(count)
        }
        close(screen)
        return String(decoding: shown, as: UTF8.self)
    }
}
