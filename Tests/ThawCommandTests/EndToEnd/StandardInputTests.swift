import Foundation
import Testing

/// An image or a list on standard input, results in a file, quiet runs.
@Suite struct StandardInputTests {
    private let model = ClassifyTests.model
    private let cat = Project.photograph("cat")
    private let horse = Project.photograph("horse")

    private func classify(_ arguments: String..., input: String, in folder: TemporaryFolder? = nil) throws
        -> Thaw.Outcome
    {
        try Thaw.run(["classify", model.path] + arguments, in: folder, shell: "cat \(input) |")
    }

    /// The lines of an image's results, without its name.
    private func predictions(_ outcome: Thaw.Outcome) -> [String] { outcome.lines.filter { $0.hasPrefix(" ") } }

    @Test func `an image on standard input is classified`() throws {
        let expected = try Thaw.run("classify", model.path, cat)
        let outcome = try classify("-", input: "'\(cat)'")
        #expect(outcome.status == 0 && outcome.errors == "")
        #expect(outcome.lines.first == "-" && predictions(outcome) == predictions(expected))
        for format in ["gray.jpg", "rgb-8.png", "lossy-alpha.webp", "plain.gif", "24.bmp", "text.ppm", "color.pam"] {
            let path = Project.fixture("images/good/\(format)")
            let outcome = try classify("-", input: "'\(path)'")
            #expect(outcome.status == 0, "\(format): \(outcome.errors)")
            #expect(predictions(outcome) == predictions(try Thaw.run("classify", model.path, path)), "\(format)")
        }
    }

    @Test func `an image on standard input keeps its position among others`() throws {
        let outcome = try classify(horse, "-", horse, "--format", "csv", "--top", "1", input: "'\(cat)'")
        #expect(outcome.status == 0)
        #expect(outcome.lines.dropFirst().map { String($0.prefix { $0 != "," }) } == [horse, "-", horse])
    }

    @Test func `an image that arrives in small pieces is recognized`() throws {
        let script =
            "{ head -c 2 '\(cat)'; sleep 0.2; tail -c +3 '\(cat)' | head -c 5; sleep 0.2; tail -c +8 '\(cat)'; } |"
        let outcome = try Thaw.run(["classify", model.path, "-"], shell: script)
        #expect(outcome.status == 0 && outcome.lines.first == "-", "\(outcome.errors)")
    }

    @Test func `a corrupt or too large image on standard input is refused`() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: cat, toPath: folder.path("cat.jpg"))
        let cut = try Thaw.run(["classify", model.path, "-", "--strict"], in: folder, shell: "head -c 300 cat.jpg |")
        #expect(cut.status == 2 && cut.errors.hasPrefix("thaw: -: "), "\(cut.errors)")
        // The file is longer than the limit for one pixel.
        let large = try Thaw.run(
            ["classify", model.path, "-", "--max-pixels", "1"], in: folder,
            shell: "{ cat cat.jpg; head -c 300000000 /dev/zero; } |")
        #expect(large.status == 2)
        #expect(large.errors.hasPrefix("thaw: standard input: contains an image of more than "), "\(large.errors)")
    }

    @Test func `a list whose first name looks like the start of an image is a list`() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: cat, toPath: folder.path("GIF89a"))
        let list = try folder.write("GIF89a\n\(horse)\n", to: "list.txt")
        let outcome = try classify("-", "--format", "csv", "--top", "1", input: list, in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.lines.dropFirst().map { String($0.prefix { $0 != "," }) } == ["GIF89a", horse])
    }

    @Test func `each image on standard input is a new one`() throws {
        let folder = try TemporaryFolder()
        for image in [cat, horse] {
            let outcome = try classify("-", "--resume", "out.jsonl", input: "'\(image)'", in: folder)
            #expect(outcome.status == 0)
        }
        #expect(try folder.data("out.jsonl").split(separator: UInt8(ascii: "\n")).count == 2)
    }

    // MARK: A folder that changes, results in a file, quiet runs

    /// Standard input blocks the program until the folder has changed.
    @Test func `a folder that changes during a run is reported`() throws {
        let folder = try TemporaryFolder()
        let script = """
            mkdir photos; cp "$1" photos/a.jpg; mkfifo fifo; touch out
            "$0" classify "$2" photos - --format json < fifo > out 2> err & pid=$!
            exec 3> fifo
            while [ "$(wc -l < out)" -lt 1 ]; do sleep 0.05; done
            cp "$1" photos/b.jpg; echo "$1" >&3; exec 3>&-; wait $pid; echo "status $?" > status
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", script, Thaw.binary.path, cat, model.path]
        process.currentDirectoryURL = folder.url
        try process.run()
        process.waitUntilExit()
        #expect(String(decoding: try folder.data("status"), as: UTF8.self) == "status 0\n")
        #expect(
            String(decoding: try folder.data("err"), as: UTF8.self)
                == "thaw: warning: photos: the folder changed during the run; images and folders in it: 1 before, 2 now\n"
        )
    }

    @Test func `results are written to a file atomically`() throws {
        let folder = try TemporaryFolder()
        let arguments = ["classify", model.path, cat, horse, "--format", "csv"]
        let expected = try Thaw.run(arguments)
        let outcome = try Thaw.run(arguments + ["-o", "out.csv"], in: folder)
        #expect(outcome.status == 0 && outcome.output == "" && outcome.errors == "")
        #expect(try folder.data("out.csv") == Data(expected.output.utf8))
        #expect(try Thaw.run(["classify", "none.mlmodel", cat, "-o", "none.csv"], in: folder).status == 2)
        #expect(try folder.names == ["out.csv"])
        for (arguments, message) in [
            (["--resume", "r.jsonl", "-o", "x"], "--resume and --out cannot be combined"),
            (["--report", "x.html", "-o", "x.html"], "--out and --report name the same file"),
            (["-o", cat], "the results would replace an input"),
        ] {
            let refused = try Thaw.run(["classify", model.path, cat] + arguments, in: folder)
            #expect(refused.status == 2 && refused.errors.contains(message), "\(refused.errors)")
        }
    }

    @Test func `a quiet run prints only results and errors`() throws {
        let arguments = ["classify", Project.demo, cat, "/nowhere.jpg"]
        let loud = try Thaw.run(arguments)
        let quiet = try Thaw.run(arguments + ["--quiet"])
        #expect(quiet.status == 1 && quiet.output == loud.output)
        #expect(quiet.errors == "thaw: /nowhere.jpg: no such file\n")
        #expect(loud.errors.hasSuffix(quiet.errors) && loud.errors.count > quiet.errors.count)
    }
}
