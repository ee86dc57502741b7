import Foundation
import Testing

/// The behavior of `evaluate` apart from its figures: independent labels, results files, folders that change.
@Suite struct EvaluationRunTests {
    private let demo = ["evaluate", Project.demo, "--labels", Project.demoLabels]

    /// A folder with a folder of photos for each of two classes.
    private func classes(photos: Int = 1) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in ["cat", "horse"] {
            try FileManager.default.createDirectory(
                atPath: folder.path("photos/\(name)"), withIntermediateDirectories: true)
            for number in 0..<photos {
                try FileManager.default.copyItem(
                    atPath: Project.photograph(name), toPath: folder.path("photos/\(name)/\(number).jpg"))
            }
        }
        return folder
    }

    @Test func `labels that do not exclude each other have precision, recall and a threshold each`() throws {
        let folder = try TemporaryFolder()
        let graph = try folder.writeSigmoidGraph(to: "graph.pb")
        let labels = try folder.write("red\ngreen\nblue\n", to: "labels.txt")
        // The network predicts the colors of a one-pixel photo; the third is labeled red, but is green.
        for (name, pixel) in [("a", [255, 255, 0]), ("b", [0, 0, 255]), ("c", [0, 255, 0])] as [(String, [UInt8])] {
            try (Data("P6 1 1 255\n".utf8) + Data(pixel)).write(to: folder.url.appending(path: name + ".ppm"))
        }
        let table = try folder.write("f\tc\na.ppm\tred\na.ppm\tgreen\nb.ppm\tblue\nc.ppm\tred\n", to: "truth.tsv")
        let arguments = ["evaluate", graph, table, "--labels", labels, "--preprocess", "inception"]
        let outcome = try Thaw.run(arguments + ["--format", "json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(object["images"] as? Int == 3)
        let all = try #require(object["labels"] as? [[String: Any]])
        #expect(all.map { $0["label"] as? String } == ["red", "green", "blue"])
        #expect(all.map { $0["images"] as? Int } == [2, 1, 1])
        func numbers(_ threshold: String, _ key: String) -> [Double?] {
            all.map { ($0[threshold] as? [String: Any])?[key] as? Double }
        }
        #expect(numbers("at_half", "threshold") == [0.5, 0.5, 0.5])
        #expect(numbers("at_half", "precision") == [1, 0.5, 1])
        #expect(numbers("at_half", "recall") == [0.5, 1, 1])
        // Both photos of red are found only if the green ones are mistaken for red as well.
        #expect(numbers("best", "predicted") == [3, 2, 1])
        #expect(numbers("best", "recall") == [1, 1, 1])
        #expect(try #require(numbers("best", "threshold")[0]) < 0.27)
        let text = try Thaw.run(arguments)
        let head = "label  photos  precision  recall at 0.5  threshold  precision  recall"
        #expect(text.lines.contains(head), "\(text.output)")
        #expect(text.lines.contains { $0.hasPrefix("red         2      1.000          0.500") }, "\(text.output)")
        let rows = try Thaw.run(arguments + ["--format", "csv"]).lines
        #expect(rows.count == 4 && rows[0].hasPrefix("image,truth,"))
    }

    @Test func `results go to a file, whole or not at all`() throws {
        let folder = try classes()
        for format in ["text", "json", "csv"] {
            let arguments = demo + ["photos", "--format", format, "--quiet"]
            let expected = try Thaw.run(arguments, in: folder)
            let outcome = try Thaw.run(arguments + ["-o", "result"], in: folder)
            #expect(outcome.status == 0 && outcome.output == "" && outcome.errors == "")
            #expect(try folder.data("result") == Data(expected.output.utf8))
        }
        for (arguments, message) in [
            (["--report", "x.html", "-o", "x.html"], "--out and --report name the same file"),
            (["-o", "photos"], "the results would replace an input"),
            (["-o", Project.demoLabels], "the results would replace an input"),
            (["--baseline", Project.demo, "-o", Project.demo], "the results would replace an input"),
            (["-o", "photos/cat/0.jpg"], "the results would replace a file that is an image"),
            (["-o", "-"], "-o - is not supported"),
        ] {
            let refused = try Thaw.run(demo + ["photos"] + arguments, in: folder)
            #expect(refused.status == 2 && refused.errors.contains(message), "\(refused.errors)")
        }
        #expect(try folder.names == ["photos", "result"])
    }

    @Test func `a run without results leaves an older file as it is`() throws {
        let folder = try classes()
        try folder.write("old", to: "result")
        try folder.write("no image", to: "junk.jpg")
        let arguments = ["compare", Project.demo, Project.demo, "junk.jpg", "-o", "result"]
        #expect(try Thaw.run(arguments, in: folder).status == 2)
        #expect(try folder.data("result") == Data("old".utf8))
    }

    @Test(arguments: [
        (["benchmark", Project.demo, "--profile=x.svg", "-o", "x.svg"], "--out and --profile name the same file"),
        (["inspect", Project.demo, "--graph", "x.dot", "-o", "x.dot"], "--out and --graph name the same file"),
    ]) func `results and a chart need two files`(_ arguments: [String], _ message: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Thaw.run(arguments, in: folder)
        #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome.errors)")
        #expect(try folder.names == [])
    }

    @Test func `a pipeline is compared with a baseline that is one`() throws {
        let pipeline = Project.fixture("pipelines/image_colors.mlmodel")
        let folder = try TemporaryFolder()
        for color in ["blue", "red"] {
            let path = folder.path("photos/\(color)")
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let pixel: [UInt8] = color == "red" ? [255, 0, 0] : [0, 0, 255]
            let pixels = (0..<64).flatMap { _ in pixel }
            try Data("P6\n8 8\n255\n".utf8 + pixels).write(to: URL(fileURLWithPath: path + "/photo.ppm"))
        }
        let outcome = try Thaw.run("evaluate", pipeline, "photos", "--baseline", pipeline, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("different predictions on 0"), "\(outcome.output)")
    }

    /// The page's file is there as soon as the folder has been listed; the program then waits until the folder has
    /// changed.
    @Test(arguments: ["evaluate", "apply"]) func `a folder that changes during a run is mentioned`(_ command: String)
        throws
    {
        let folder = try classes(photos: 40)
        let arguments =
            command == "evaluate"
            ? demo + ["photos", "--report", "out/page.html", "--threads", "1"]
            : ["apply", Project.fixture("generators/super_resolution.pb"), "photos", "-o", "out", "--max-side", "16"]
        let script = """
            mkdir out; "$@" > results 2> err & pid=$!
            while [ -z "$(ls -A out)" ]; do sleep 0.01; done
            kill -STOP $pid; mv photos/cat/9.jpg photos/horse/new.jpg; kill -CONT $pid; wait $pid
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", script, "bash", Thaw.binary.path] + arguments
        process.currentDirectoryURL = folder.url
        try process.run()
        process.waitUntilExit()
        let errors = String(decoding: try folder.data("err"), as: UTF8.self)
        for (name, now) in [("cat", 39), ("horse", 41)] {
            let change = "the folder changed during the run; images and folders in it: 40 before, \(now) now\n"
            #expect(errors.contains("thaw: warning: photos/\(name): \(change)"), "\(errors)")
        }
    }

    @Test func `writing results to the input folder does not count as a change`() throws {
        let folder = try classes()
        let network = Project.fixture("generators/super_resolution.pb")
        let outcome = try Thaw.run("apply", network, "photos", "-o", "photos/out", "--max-side", "16", in: folder)
        #expect(outcome.status == 0)
        #expect(!outcome.errors.contains("changed"), "\(outcome.errors)")
    }
}
