import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sources and destinations of `classify`: lists, pipes, resumed files, pages.
@Suite struct StreamTests {
    private let model = ClassifyTests.model

    private func classify(_ arguments: String...) throws -> Thaw.Outcome {
        try Thaw.run(["classify", model.path] + arguments)
    }

    @Test func `a dash means a list on standard input, and missing files are reported in order`() throws {
        let folder = try TemporaryFolder()
        let (cat, horse) = (Project.photograph("cat"), Project.photograph("horse"))
        let list = try folder.write("\(cat)\r\n\n/nowhere.jpg\n\(horse)", to: "list.txt")
        let outcome = try Thaw.run(
            ["classify", model.path, cat, "-", horse, "--format", "csv", "--top", "1"], after: "< \(list)"
        )
        #expect(outcome.status == 1)
        let images = outcome.lines.dropFirst().map { String($0.prefix { $0 != "," }) }
        #expect(images == [cat, cat, "/nowhere.jpg", horse, horse])
        let none = try Thaw.run(["classify", model.path, "-"])
        #expect(none.status == 2)
        #expect(none.errors.contains("thaw: -: there are no images"))
    }

    @Test func `a run whose results are no longer read ends with its own exit code`() throws {
        let folder = try TemporaryFolder()
        let words = ["classify", model.path] + Array(repeating: Project.photograph("cat"), count: 3)
        let outcome = try Thaw.run(
            words, in: folder, shell: "{ (", after: "); echo $? > status; } | true")
        #expect(outcome.errors == "")
        #expect(try folder.data("status") == Data("141\n".utf8))
    }

    @Test func `an interrupted run can be resumed`() throws {
        let folder = try TemporaryFolder()
        let out = folder.path("out.jsonl")
        let (cat, horse) = (Project.photograph("cat"), Project.photograph("horse"))
        let odd = folder.path("a \"quoted\" name.jpg")
        try FileManager.default.copyItem(atPath: cat, toPath: odd)
        let first = try classify(cat, odd, "/nowhere.jpg", "--resume", out)
        #expect(first.status == 1)
        #expect(first.output == "")
        // As if the machine had crashed in the middle of a line.
        let whole = try String(contentsOfFile: out, encoding: .utf8)
        try (whole + "{\"image\": \"/tm").write(toFile: out, atomically: true, encoding: .utf8)
        let before = whole.split(separator: "\n")
        #expect(before.count == 3 && before[2].contains("\"error\""))
        let second = try classify(cat, odd, horse, "/nowhere.jpg", "--resume", out)
        // Images that could not be read are retried.
        #expect(second.status == 1)
        #expect(second.errors == "existing results: 2; added: 1; could not be read: 1\n")
        let lines = try String(contentsOfFile: out, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.prefix(2) == before.prefix(2))
        #expect(lines[2].contains("horse.jpg"))
        #expect(lines[3] == before[2])
        #expect(try classify(cat, odd, "--resume", out).status == 0)
        #expect(try String(contentsOfFile: out, encoding: .utf8).split(separator: "\n") == lines.dropLast())
        let wrong = try classify(cat, "--resume", folder.write("hello\n", to: "text.txt"))
        #expect(wrong.status == 2)
        #expect(wrong.errors.contains("line 1: is not a result of thaw classify"))
        #expect(try folder.data("text.txt") == Data("hello\n".utf8))
        // A last line without a newline, written by another program, is not cut off.
        for text in ["{\"name\": \"mine\"}", "{\"image\": \"a.jpg\", \"error\": \"\"}\nmy notes"] {
            #expect(try classify(cat, "--resume", folder.write(text, to: "other.json")).status == 2)
            #expect(try folder.data("other.json") == Data(text.utf8))
        }
        #expect(try classify(cat, "/nowhere.jpg", "--resume", out).status == 1)
        #expect(try classify(cat, "--resume", out, "--format", "csv").status == 2)
    }

    @Test func `resuming with a different number of labels causes a warning`() throws {
        let folder = try TemporaryFolder()
        let out = folder.path("out.jsonl")
        let (cat, horse) = (Project.photograph("cat"), Project.photograph("horse"))
        #expect(try classify(cat, "--resume", out, "--top", "3").status == 0)
        let other = try classify(cat, horse, "--resume", out)
        #expect(other.status == 0)
        let warning = "thaw: warning: \(out) has results of 3 labels; the added results have 5, as set by --top\n"
        #expect(other.errors.hasPrefix(warning))
        // More labels than classes make no difference.
        let all = folder.path("all.jsonl")
        #expect(try classify(cat, "--resume", all, "--top", "10").errors == "")
        let more = try classify(cat, horse, "--resume", all, "--top", "99")
        #expect(more.errors == "existing results: 1; added: 1\n")
    }

    @Test func `results of one model are not mixed with another's`() throws {
        let folder = try TemporaryFolder()
        let (cat, horse) = (Project.photograph("cat"), Project.photograph("horse"))
        func resume(_ arguments: String..., to file: String = "out.jsonl") throws -> Thaw.Outcome {
            try Thaw.run(["classify"] + arguments + ["--resume", file], in: folder)
        }
        #expect(try resume(model.path, cat).status == 0)
        let before = try folder.data("out.jsonl")
        let line = try #require(try JSONSerialization.jsonObject(with: before) as? [String: Any])
        let origin = try #require(line["model"] as? String)
        #expect(Set(line.keys) == ["image", "predictions", "model"] && origin.hasPrefix("cifar10.mlmodel ("))
        let other = ["compress", model.path, "-o", folder.path("other.mlmodel"), "--weights", "int8"]
        #expect(try Thaw.run(other).status == 0)
        for (arguments, own) in [
            (["other.mlmodel"], "other.mlmodel ("),
            ([model.path, "--crop", "fit"], "cifar10.mlmodel --crop fit ("),
            ([Project.demo, "--labels", Project.demoLabels], "cifar10.pb ("),
        ] {
            let outcome = try Thaw.run(["classify"] + arguments + [cat, horse, "--resume", "out.jsonl"], in: folder)
            #expect(outcome.status == 2)
            let message = "thaw: out.jsonl: line 1: is a result of \(origin); this run uses \(own)"
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
            #expect(try folder.data("out.jsonl") == before)
        }
        // The same model under another name, and options that make no difference.
        try FileManager.default.copyItem(atPath: model.path, toPath: folder.path("copy.mlmodel"))
        #expect(try resume("copy.mlmodel", cat, horse, "--threads", "1", "--top", "1").status == 0)
        #expect(try folder.data("out.jsonl").split(separator: UInt8(ascii: "\n")).count == 2)
        // Lines without a model, as --format json writes them.
        let plain = try classify(cat, "--format", "json").output
        _ = try folder.write(plain, to: "plain.jsonl")
        #expect(try resume("other.mlmodel", horse, to: "plain.jsonl").status == 0)
        #expect(try folder.data("plain.jsonl").starts(with: plain.utf8))
    }

    @Test func `a page is kept if nothing was added`() throws {
        let folder = try TemporaryFolder()
        func run(_ images: String...) throws -> (errors: String, page: Data) {
            let options = ["--resume", "out.jsonl", "--report", "page.html"]
            let outcome = try Thaw.run(["classify", model.path] + images + options, in: folder)
            return (outcome.errors, try folder.data("page.html"))
        }
        let first = try run(Project.photograph("cat"))
        let second = try run(Project.photograph("cat"), "/nowhere.jpg")
        #expect(second.errors.hasPrefix("nothing was added, and page.html was not written\n"))
        #expect(second.page == first.page)
        let third = try run(Project.photograph("cat"), Project.photograph("horse"))
        #expect(third.errors.hasPrefix("page.html shows only the added results; without --resume it shows all\n"))
        #expect(third.page != first.page)
    }

    /// An endless list keeps the program waiting until the signal arrives.
    @Test(arguments: [("INT", 130), ("TERM", 143), ("HUP", 129)])
    func `a signal leaves complete lines, and determines the exit code`(
        _ signal: String, _ code: Int
    ) throws {
        let folder = try TemporaryFolder()
        let status = try interrupt(
            in: folder, "kill -\(signal) $pid; wait $pid; echo \"status $?\" > status")
        #expect(status == "status \(code)\n")
        let output = try String(contentsOfFile: folder.path("out"), encoding: .utf8)
        #expect(output.split(separator: "\n").count == 40 && output.hasSuffix("}\n"))
        #expect(
            try String(contentsOfFile: folder.path("err"), encoding: .utf8).contains("interrupted after 40 images")
        )
    }

    @Test func `closing the terminal does not end a run under nohup`() throws {
        let folder = try TemporaryFolder()
        let status = try interrupt(
            in: folder, before: "trap '' HUP",
            "kill -HUP $pid; kill -KILL -- -$feeder; wait $pid; echo \"status $?\" > status")
        #expect(status == "status 0\n")
        let errors = try folder.data("err")
        #expect(errors.isEmpty)
    }

    /// Runs the program on an endless list of 40 photos and, when all of them are done, these commands, which know
    /// it as `$pid` and the writer of the list as `$feeder`.
    private func interrupt(in folder: TemporaryFolder, before: String = "", _ commands: String) throws -> String {
        let script = """
            set -m; touch out; mkfifo fifo; (for i in $(seq 40); do echo "$1"; done; sleep 600) > fifo & feeder=$!
            \(before)
            "$0" classify "$2" - --format json < fifo > out 2> err & pid=$!
            while [ "$(wc -l < out)" -lt 40 ]; do sleep 0.05; done
            \(commands); kill -KILL -- -$feeder
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", script, Thaw.binary.path, Project.photograph("cat"), model.path]
        process.currentDirectoryURL = folder.url
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return String(decoding: try folder.data("status"), as: UTF8.self)
    }

    @Test func `names in a list may be separated by NUL`() throws {
        let photographs = ["cat", "horse"].map(Project.photograph)
        let outcome = try Thaw.run(
            ["classify", model.path, "-", "--format", "csv", "--top", "1"],
            shell: "printf '%s\\0' \(photographs.map { "'\($0)'" }.joined(separator: " ")) |")
        #expect(outcome.status == 0)
        #expect(outcome.lines.dropFirst().map { String($0.prefix { $0 != "," }) } == photographs)
    }

    @Test func `if the reader of the results stops, the work stops, even with an endless list`() throws {
        let outcome = try Thaw.run(
            ["classify", model.path, "-", "--format", "json"],
            shell: "yes '\(Project.photograph("cat"))' |", after: "| head -n 2 | wc -l")
        #expect(outcome.output.trimmingCharacters(in: .whitespaces) == "2\n")
        #expect(outcome.errors == "")
    }

    @Test func `a NUL-separated name may contain a newline, and a byte-order mark is skipped`() throws {
        let folder = try TemporaryFolder()
        for name in ["new\nline.jpg", "cat.jpg"] {
            try FileManager.default.copyItem(atPath: Project.photograph("cat"), toPath: folder.path(name))
        }
        let arguments = ["classify", model.path, "-", "--format", "json", "--top", "1"]
        let found = try Thaw.run(arguments, in: folder, shell: "find . -name '*.jpg' -print0 | sort -z |")
        #expect(found.status == 0)
        #expect(found.lines.count == 2 && found.lines[1].contains("new\\nline.jpg"))
        #expect(try Thaw.run(arguments, in: folder, shell: "printf '\\357\\273\\277cat.jpg\\n' |").status == 0)
    }

    @Test func `two runs cannot append to one file, nor can results and page`() throws {
        let folder = try TemporaryFolder()
        let arguments = ["classify", model.path, Project.photograph("cat"), "--resume", "out.jsonl"]
        #expect(try Thaw.run(arguments, in: folder).status == 0)
        let before = try folder.data("out.jsonl")
        let other = open(folder.path("out.jsonl"), O_RDWR)
        defer { close(other) }
        #expect(flock(other, LOCK_EX) == 0)
        let outcome = try Thaw.run(arguments + [Project.photograph("horse")], in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("out.jsonl: cannot resume from this file: another run is adding to it"))
        #expect(try folder.data("out.jsonl") == before)
    }

    @Test(arguments: ["a", "./a", "b/../a", "b/l"])
    func `results and a page cannot be written to one file`(_ spelling: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Thaw.run(
            ["classify", model.path, Project.photograph("cat"), "--resume", "a", "--report", spelling], in: folder,
            shell: spelling == "b/l" ? "mkdir b; touch a; ln -s ../a b/l;" : "mkdir b;")
        #expect(outcome.status == 2 && outcome.errors.contains("--resume and --report name the same file"))
        #expect(try folder.names == (spelling == "b/l" ? ["a", "b"] : ["b"]))
    }

    @Test func `a list that cannot be read is not an empty one`() throws {
        let folder = try TemporaryFolder()
        let arguments = ["classify", model.path, "-"]
        let outcome = try Thaw.run(arguments, in: folder, after: "< .")
        #expect(outcome.status == 2 && outcome.errors == "thaw: standard input: cannot be read: Is a directory\n")
        let others = try Thaw.run(arguments + [Project.photograph("cat")], in: folder, after: "< .")
        #expect(others.status == 1 && others.lines.count == 6)
    }

    @Test func `a page is written although nobody reads the results`() throws {
        let folder = try TemporaryFolder()
        let photographs = ["cat", "horse"].map(Project.photograph)
        _ = try Thaw.run(
            ["classify", model.path] + photographs + ["--report", "gone.html"], in: folder,
            after: "| head -c 1 > /dev/null")
        #expect(try folder.data("gone.html").suffix(8) == Data("</html>\n".utf8))
        let empty = try Thaw.run(["classify", model.path] + photographs + ["--report="], in: folder)
        #expect(empty.status == 2 && empty.output == "")
    }

    /// Sparse files of a terabyte.
    @Test func `a file that is not an image, or too large, is not read completely`() throws {
        let folder = try TemporaryFolder()
        for (name, start) in [("a.jpg", ""), ("b.jpg", "P6 60000 60000 255\n")] {
            let file = FileHandle(forWritingAtPath: try folder.write(start, to: name))!
            try file.truncate(atOffset: 1 << 40)
            try file.close()
        }
        try FileManager.default.copyItem(atPath: Project.photograph("cat"), toPath: folder.path("c.jpg"))
        let outcome = try Thaw.run("classify", model.path, ".", "--format", "csv", "--top", "1", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.lines.count == 4)
        #expect(outcome.lines[1].contains("is not an image"))
        #expect(
            outcome.lines[2].contains("the file has 1099511627776 bytes; no image within the limit of 200000000 pixels")
        )
        #expect(outcome.lines[3].contains("cat"))
    }
}
