import Foundation
import Testing

@Suite struct EvaluateTests {
    /// The demo's photos with their classes; one has a wrong class.
    private static let folder: TemporaryFolder = {
        let folder = TemporaryFolder.shared
        for (name, label) in [("cat", "cat"), ("horse", "horse"), ("horse", "deer")] {
            try! FileManager.default.createDirectory(
                atPath: folder.path("classes/\(label)"), withIntermediateDirectories: true)
            try! FileManager.default.copyItem(
                atPath: Project.photograph(name), toPath: folder.path("classes/\(label)/\(name).jpg"))
        }
        return folder
    }()

    private let demo = ["evaluate", Project.demo, "--labels", Project.demoLabels]

    @Test func `folders of classes give the accuracy`() throws {
        let outcome = try Thaw.run(demo + [EvaluateTests.folder.path("classes")])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("photos       3 in 3 classes\n"))
        #expect(outcome.output.contains("top 1        66.67% correct (20.77% to 93.85%)\n"))
        #expect(outcome.output.contains("horse, not deer: \(EvaluateTests.folder.path("classes/deer/horse.jpg"))\n"))
        #expect(outcome.errors.contains("7 of the model's 10 classes have no photo"))
        #expect(outcome.lines.allSatisfy { $0.last != " " })
    }

    @Test func `a table of indices or labels gives the same, as JSON`() throws {
        let folder = EvaluateTests.folder
        let paths = ["classes/cat/cat.jpg", "classes/horse/horse.jpg", "classes/deer/horse.jpg"]
        let tables = try [["cat", "horse", "deer"], ["3", "7", "4"], ["2", "6", "3"]].enumerated().map {
            number, classes in
            let rows = zip(paths, classes).map { "\($0)\t\($1)\n" }.joined()
            return try folder.write("file\tclass\n" + rows, to: "truth\(number).tsv")
        }
        let objects = try zip(tables, ["0", "0", "1"]).map { table, offset in
            let outcome = try Thaw.run(demo + [table, "--format", "json", "--offset", offset])
            #expect(outcome.status == 0)
            return try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8), options: .mutableContainers)
                    as? NSMutableDictionary)
        }
        for object in objects { object.removeObject(forKey: "truth") }
        #expect(objects[0] == objects[1] && objects[1] == objects[2])
        let top = try #require(objects[0]["top1"] as? [String: Double])
        #expect(top["right"] == 2)
        #expect((objects[0]["confusion"] as? [[Int]])?.count == 3)
        #expect((objects[0]["worst"] as? [[String: Any]])?.first?["truth"] as? String == "deer")
        #expect((objects[0]["classes"] as? [[String: Any]])?.count == 10)
    }

    @Test func `class indices that are off by one are noticed`() throws {
        let folder = try TemporaryFolder()
        let photos = (0..<4).flatMap { number in
            [("cat", 3), ("horse", 7), ("coffee", 1)].map { (name: $0, index: $1, copy: "\($0)\(number).jpg") }
        }
        for photo in photos {
            try FileManager.default.copyItem(atPath: Project.photograph(photo.name), toPath: folder.path(photo.copy))
        }
        for (shift, offset) in [(-1, 1), (1, -1)] {
            let rows = photos.map { "\($0.copy)\t\($0.index + shift)\n" }.joined()
            let table = try folder.write("file\tclass\n" + rows, to: "truth.tsv")
            let shifted = try Thaw.run(demo + [table])
            #expect(shifted.status == 0)
            #expect(
                shifted.errors.contains(
                    "the class indices seem to be shifted: with --offset \(offset), 12 instead of 0 of 12 photos"
                ), "\(shifted.errors)")
            let right = try Thaw.run(demo + [table, "--offset", "\(offset)"])
            #expect(right.status == 0 && !right.errors.contains("shifted"), "\(right.errors)")
        }
    }

    @Test func `CSV has a row for each photo`() throws {
        let folder = try TemporaryFolder()
        let (cat, horse) = (Project.photograph("cat"), Project.photograph("horse"))
        let table = try folder.write("f\tc\n\(cat)\tcat\n/nowhere, gone.jpg\tdog\n\(horse)\tdeer\n", to: "truth.tsv")
        let outcome = try Thaw.run(demo + [table, "--format", "csv"])
        #expect(outcome.status == 1)
        #expect(
            outcome.lines[0]
                == "image,truth,truth_index,prediction,prediction_index,probability,probability_of_truth,rank,right,error"
        )
        #expect(outcome.lines.count == 4)
        let rows = outcome.lines.map { $0.components(separatedBy: ",") }
        #expect(rows.allSatisfy { $0.count == (($0[0].contains("nowhere") ? 1 : 0) + 10) })
        #expect(rows[1][0] == cat && rows[1][1...4] == ["cat", "3", "cat", "3"] && rows[1][5] == rows[1][6])
        #expect(rows[1][7...] == ["1", "true", ""])
        #expect(rows[2][0] == horse && rows[2][1...4] == ["deer", "4", "horse", "7"] && rows[2][8] == "false")
        #expect(outcome.lines[3] == "\"/nowhere, gone.jpg\",dog,5,,,,,,,no such file")
        let compared = try Thaw.run(demo + [table, "--format", "csv", "--baseline", Project.demo])
        #expect(compared.lines[0].hasSuffix(",error,baseline_prediction,baseline_probability,baseline_right"))
        #expect(compared.lines[1].hasSuffix(",,cat,\(rows[1][5]),true"))
    }

    @Test func `the totals come last, with macro F1 and log loss`() throws {
        let outcome = try Thaw.run(demo + [EvaluateTests.folder.path("classes")])
        let start = try #require(outcome.lines.firstIndex { $0.hasPrefix("photos") })
        #expect(
            outcome.lines[start...].map { String($0.prefix(11)) } == [
                "photos     ", "top 1      ", "top 5      ", "macro F1   ", "log loss   ", "calibration",
            ])
        // One cat and one horse are right, and the deer is predicted as a horse: (1 + 2/3 + 0) / 3.
        #expect(outcome.lines.contains("macro F1     0.5556"))
    }

    @Test func `a page states where it comes from`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("my page.html")
        let classes = EvaluateTests.folder.path("classes")
        let arguments = demo + [classes, "--report", path, "--crop", "center"]
        let environment = ["SOURCE_DATE_EPOCH": "1767323045"]
        #expect(try Thaw.run(arguments, environment: environment).status == 0)
        let page = try #require(try json("page", inPage: path) as? [String: Any])
        let facts = try #require(page["provenance"] as? [[String]])
        #expect(
            facts.map { $0[0] } == [
                "Model", "Input", "Ground truth", "Options", "Version", "Date", "Command line",
            ])
        let values = Dictionary(uniqueKeysWithValues: facts.map { ($0[0], $0[1]) })
        let bytes = try Data(contentsOf: URL(fileURLWithPath: Project.demo))
        let model = try #require(values["Model"])
        #expect(model.hasPrefix("cifar10.pb, "))
        #expect(model.filter(\.isNumber).contains("\(bytes.count)"))
        let sum = try Thaw.run(["--version"], shell: "sha256sum '\(Project.demo)' | cut -c1-64;").output.prefix(64)
        #expect(model.hasSuffix(", SHA-256 \(sum)"))
        #expect(values["Ground truth"] == "\(classes): 3 photos")
        #expect(values["Options"] == "--labels \(Project.demoLabels) --crop center")
        #expect(values["Version"]?.hasPrefix("thaw ") == true)
        #expect(values["Date"] == "2026-01-02 03:04:05 UTC")
        #expect(
            values["Command line"]
                == "thaw evaluate \(Project.demo) --labels \(Project.demoLabels) \(classes) --report '\(path)' --crop center"
        )
    }

    @Test func `a SavedModel has the checksum of its folder, also if its file is in the current folder`() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: Project.fixture("live/saved"), toPath: folder.path("model"))
        let table = try folder.write("file\tclass\n\(Project.photograph("cat"))\t0\n", to: "truth.tsv")
        let sums = try [("saved_model.pb", "cd model;"), ("model", "")].map { model, start in
            let page = folder.path("page.html")
            let arguments = ["evaluate", model, table, "--report", page]
            #expect(try Thaw.run(arguments, in: folder, shell: start).status == 0)
            let facts = try #require((try json("page", inPage: page) as? [String: Any])?["provenance"] as? [[String]])
            return facts[0][1].suffix(64)
        }
        #expect(sums[0] == sums[1])
    }

    @Test func `a baseline is compared on the same photos, even with other bytes`() throws {
        let folder = try TemporaryFolder()
        let model = folder.path("model.mlmodel")
        #expect(try Thaw.run("convert", Project.demo, "--labels", Project.demoLabels, "-o", model).status == 0)
        let outcome = try Thaw.run(demo + [EvaluateTests.folder.path("classes"), "--baseline", Project.demo])
        #expect(outcome.status == 0)
        #expect(
            outcome.output.contains("only the model is right: 0, only the baseline: 0; different predictions on 0\n"))
        #expect(!outcome.output.contains("by chance alone"))
        let other = try Thaw.run([
            "evaluate", model, EvaluateTests.folder.path("classes"), "--baseline",
            Project.fixture("coreml/rgb.mlmodel"),
        ])
        #expect(other.status == 2)
        #expect(other.errors.contains("rgb.mlmodel: the baseline "))
    }

    @Test func `a photo in the header line is reported`() throws {
        let folder = try TemporaryFolder()
        let rows = ["cat", "horse"].map { "\(Project.photograph($0))\t\($0)\n" }.joined()
        let outcome = try Thaw.run(demo + [folder.write(rows, to: "truth.tsv")])
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("the first line is skipped as the header, although a file '/"))
    }

    @Test func `unreadable photos are reported and do not count`() throws {
        let folder = try TemporaryFolder()
        let table = try folder.write("f\tc\n\(Project.photograph("cat"))\tcat\n/nowhere.jpg\tdog\n", to: "truth.tsv")
        let outcome = try Thaw.run(demo + [table])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("thaw: /nowhere.jpg: no such file\n"))
        #expect(outcome.output.contains("photos       1 in 1 class; 1 could not be read\n"))
        let none = try Thaw.run(demo + [folder.write("f\tc\n/nowhere.jpg\tdog\n", to: "none.tsv")])
        #expect(none.status == 2)
    }

    @Test(
        arguments: [
            ("cat.jpg\tunicorn\n", "'unicorn' in line 2 is not a label of the model"),
            ("cat.jpg\tcat\ncat.jpg\tdog\n", "line 3: 'cat.jpg' is already in line 2; list each photo once"),
            ("cat.jpg\tcat\nhorse.jpg\n", "line 3: has only one column; expected a path and a class"),
            ("cat.jpg\t10\n", "line 2: there is no class 10; the model has 10 classes, counted from 0"),
        ])
    func `an invalid table is refused with its line`(_ rows: String, _ expected: String) throws {
        let folder = try TemporaryFolder()
        for name in ["cat", "horse"] {
            try FileManager.default.copyItem(
                atPath: Project.photograph(name), toPath: folder.path(name + ".jpg"))
        }
        let table = try folder.write("f\tc\n" + rows, to: "truth.tsv")
        let outcome = try Thaw.run(demo + [table])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(expected), "\(outcome.errors)")
    }

    @Test func `a class without photos has no figures`() throws {
        let folder = try TemporaryFolder()
        let table = try folder.write("f\tc\n\(Project.photograph("cat"))\tcat\n", to: "truth.tsv")
        let outcome = try Thaw.run(demo + [table, "--format", "json"])
        #expect(outcome.status == 0)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(object["images"] as? Int == 1)
    }

    @Test(
        arguments: [
            ([], "a folder or a table of photos is missing"), (["a", "b"], "unexpected argument 'b'"),
            (["/nowhere"], "/nowhere: no such file"), (["a.tsv", "--offset", "one"], "expected an integer"),
        ])
    func `invalid arguments are refused`(_ arguments: [String], _ expected: String) throws {
        let outcome = try Thaw.run(demo + arguments)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(expected))
    }

    @Test func `a baseline's predictions for changed photos are reported`() throws {
        let folder = try TemporaryFolder()
        let classes = EvaluateTests.folder.path("classes")
        let arguments = demo + [classes, "--baseline", Project.network("mobilenet_v1_folded")]
        let text = try Thaw.run(arguments)
        #expect(text.status == 0)
        let listed = "\nright now, wrong with the baseline: 2\n  0.9991  horse (baseline: 0.5152 airplane): "
        #expect(text.output.contains(listed))
        // Two photos of two: twice a quarter.
        let verdict = "may be chance: a split this uneven has a probability of 0.5000 by chance alone\n"
        #expect(text.output.contains(verdict))
        #expect(!text.output.contains("wrong now"))

        let path = folder.path("report.html")
        let outcome = try Thaw.run(arguments + ["--format", "json", "--report", path])
        let printed = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        let summary = try #require((try json("page", inPage: path) as? [String: Any])?["summary"] as? [String: Any])
        for object in [printed, summary] {
            let baseline = try #require(object["baseline"] as? [String: Any])
            let changed = try #require(baseline["changed"] as? [[String: Any]])
            #expect(changed.count == 3)
            let cat = try #require(changed.first { $0["truth"] as? String == "cat" })
            #expect(cat["image"] as? String == classes + "/cat/cat.jpg")
            #expect(cat["prediction"] as? String == "cat" && cat["right"] as? Bool == true)
            #expect(cat["baseline_prediction"] as? String == "truck" && cat["baseline_right"] as? Bool == false)
            #expect(try #require(cat["probability"] as? Double) > 0.9)
            #expect(try #require(cat["baseline_probability"] as? Double) < 0.9)
        }
    }

    @Test func `a baseline with other class indices is mapped to the model's labels or refused`() throws {
        let folder = try TemporaryFolder()
        let labels = try String(contentsOfFile: Project.demoLabels, encoding: .utf8).split(separator: "\n")
        let reversed = try folder.write(labels.reversed().joined(separator: "\n") + "\n", to: "reversed.txt")
        let models = ["model", "baseline"].map { folder.path($0 + ".mlmodel") }
        for (model, labels) in zip(models, [Project.demoLabels, reversed]) {
            #expect(try Thaw.run("convert", Project.demo, "--labels", labels, "-o", model).status == 0)
        }
        // The baseline predicts a frog for the cat and a bird for the horse, a class without photos.
        let rows = [("cat", "cat"), ("horse", "horse"), ("coffee", "frog")]
            .map { "\(Project.photograph($0))\t\($1)\n" }.joined()
        let table = try folder.write("file\tclass\n" + rows, to: "truth.tsv")
        let outcome = try Thaw.run("evaluate", models[0], table, "--baseline", models[1], "--format", "json")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        let changed = try #require((object["baseline"] as? [String: Any])?["changed"] as? [[String: Any]])
        #expect(changed[0]["baseline_prediction"] as? String == "frog")
        #expect(changed[1]["baseline_prediction"] as? String == "bird")
    }

    @Test func `the report contains the summary and every photo with its class`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("report.html")
        #expect(try Thaw.run(demo + [EvaluateTests.folder.path("classes"), "--report", path]).status == 0)
        let rows = try #require(try json("rows", inPage: path) as? [[Any]])
        #expect(rows.map { $0[3] as? Int } == [3, 4, 7])
        let summary = (try json("page", inPage: path) as? [String: Any])?["summary"] as? [String: Any]
        #expect(summary?["images"] as? Int == 3)
    }

    /// The data of a report's script: the JSON in the element with this name.
    private func json(_ id: String, inPage path: String) throws -> Any {
        let page = try String(contentsOfFile: path, encoding: .utf8)
        let start = try #require(page.range(of: "id=\"\(id)\">"))
        let end = try #require(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
        return try JSONSerialization.jsonObject(with: Data(page[start.upperBound..<end.lowerBound].utf8))
    }
}
