import Foundation
import Testing

@testable import Thaw

@Suite struct EvaluationTests {
    /// Values of R: `binom::binom.confint(x, n, methods = "wilson")`.
    @Test(
        arguments: [
            (0, 10, 0.0, 0.277533), (5, 10, 0.236593, 0.763407), (10, 10, 0.722467, 1.0), (1, 1, 0.206549, 1.0),
            (8823, 10000, 0.875837, 0.888470),
        ])
    func `Wilson's interval matches known values`(_ part: Int, _ count: Int, _ low: Double, _ high: Double) {
        let interval = Proportion(part, of: count).interval
        #expect(abs(interval.lowerBound - low) < 1e-6)
        #expect(abs(interval.upperBound - high) < 1e-6)
    }

    @Test func `an empty evaluation has no values`() {
        #expect(Proportion(0, of: 0).interval == 0...1)
        #expect(Proportion(0, of: 0).value.isNaN)
    }

    /// Two-sided binomial tests at 1/2, computed by R's `binom.test`.
    @Test(arguments: [(0, 0, 1.0), (5, 5, 1.0), (1, 9, 0.021484375), (10, 20, 0.09873715), (0, 30, 1.862645e-9)])
    func `McNemar's exact test matches R`(_ first: Int, _ second: Int, _ expected: Double) {
        for (a, b) in [(first, second), (second, first)] {
            let chance = PairedComparison(onlyFirstIsRight: a, onlySecondIsRight: b).probabilityOfChance
            #expect(abs(chance - expected) <= 1e-6 * expected)
        }
        let many = PairedComparison(onlyFirstIsRight: 50_000, onlySecondIsRight: 51_000).probabilityOfChance
        #expect(many > 0.001 && many < 0.002)
    }

    private func evaluation(_ rows: [([Float], Int)]) -> Evaluation {
        var evaluation = Evaluation(classCount: rows[0].0.count)
        for (probabilities, truth) in rows {
            evaluation.add(Classification(probabilities: probabilities, labels: nil), truth: truth)
        }
        return evaluation
    }

    @Test(
        arguments: [
            (1, 0, 1), (-1, 0, -1), (0, 0, nil), (2, 0, nil),
            // Too many are right, or most photos are not shifted.
            (1, 2, nil), (1, 9, nil),
        ] as [(Int, Int, Int?)])
    func `an offset of class indices is noticed`(_ offset: Int, _ right: Int, _ expected: Int?) {
        let rows = (0..<12).map { row -> ([Float], Int) in
            let truth = 2 + row % 4
            let prediction = row < right ? truth : truth + offset
            return ((0..<8).map { $0 == prediction ? 1 : 0 }, truth)
        }
        let likely = evaluation(rows).likelyOffset
        #expect(likely?.offset == expected)
        #expect(likely == nil || likely?.count == 12)
        // Two classes that are mistaken for the next ones are mistakes of the network.
        #expect(evaluation(rows.filter { $0.1 < 4 } + rows.filter { $0.1 < 4 }).likelyOffset == nil)
    }

    /// scikit-learn 1.5: `f1_score(average="macro")` and `log_loss`.
    @Test func `macro F1 and log loss match scikit-learn`() {
        let evaluation = evaluation([
            ([0.7, 0.2, 0.1, 0], 0), ([0.6, 0.3, 0.1, 0], 1), ([0.1, 0.8, 0.1, 0], 1), ([0.9, 0.06, 0.04, 0], 2),
        ])
        #expect(abs(evaluation.macroF1 - (0.5 + 2.0 / 3 + 0) / 3) < 1e-12)
        let expected = -(log(0.7) + log(0.3) + log(0.8) + log(0.04)) / 4
        #expect(abs(evaluation.logLoss! - expected) < 1e-7)
        let impossible = self.evaluation([([1, 0], 1)])
        #expect(abs(impossible.logLoss! - 34.538776) < 1e-5)
        #expect(self.evaluation([([3, 1], 1)]).logLoss == nil)
    }

    /// Label 0 is recognized at 0.3, label 1 only by chance, and label 2 is on no photo.
    @Test func `labels that do not exclude each other have separate thresholds`() throws {
        var evaluation = Evaluation(classCount: 3, labelsAreIndependent: true)
        let rows: [([Float], Int, [Int])] = [
            ([0.4, 0.9, 0.1], 0, []), ([0.35, 0.6, 0], 0, [1]), ([0.7, 0.2, 0], 0, []), ([0.2, 0.55, 0.05], 1, []),
            ([0.1, 0.3, 0.7], 1, []),
        ]
        for (probabilities, truth, others) in rows {
            evaluation.add(Classification(probabilities: probabilities, labels: nil), truth: truth, others: others)
        }
        let labels = try #require(evaluation.labels)
        #expect(labels.map(\.images) == [3, 3, 0])
        #expect(labels[0].atHalf.precision == Proportion(1, of: 1) && labels[0].atHalf.recall == Proportion(1, of: 3))
        // All thresholds above 0.2 and up to 0.35 are equally good; the middle one is reported.
        #expect(labels[0].best.f1 == 1 && abs(labels[0].best.value - 0.275) < 0.0015)
        #expect(labels[1].atHalf.precision == Proportion(2, of: 3) && labels[1].atHalf.value == 0.5)
        #expect(labels[1].best.recall == Proportion(3, of: 3) && labels[1].best.precision == Proportion(3, of: 4))
        #expect(labels[2].atHalf.predicted == 1 && labels[2].atHalf.f1 == 0)
        // Of two true labels, the more probable one counts.
        #expect(evaluation.outcomes[1].truth == 1 && evaluation.outcomes[1].isRight)
        var loss = 0.0
        for (probabilities, truth, others) in rows {
            for (label, probability) in probabilities.enumerated() {
                let isShown = label == truth || others.contains(label)
                loss -= log(isShown ? Double(probability) : 1 - Double(probability)) / 15
            }
        }
        #expect(abs(evaluation.logLoss! - loss) < 1e-6)
        #expect(self.evaluation([([0.5, 0.5], 0)]).labels == nil)
    }

    @Test func `ranks, classes, confusions and mistakes are counted`() {
        let evaluation = evaluation([
            ([0.7, 0.2, 0.1], 0), ([0.6, 0.3, 0.1], 1), ([0.1, 0.8, 0.1], 1), ([0.9, 0.06, 0.04], 2),
            ([0.4, 0.4, 0.2], 1),
        ])
        #expect(evaluation.topAccuracy(1) == Proportion(2, of: 5))
        #expect(evaluation.topAccuracy(2) == Proportion(4, of: 5))
        #expect(evaluation.topAccuracy(3) == Proportion(5, of: 5))
        let classes = evaluation.classes
        #expect(classes.map(\.images) == [1, 3, 1])
        #expect(classes[0].precision == Proportion(1, of: 4))
        #expect(classes[1].recall == Proportion(1, of: 3))
        #expect(classes[1].f1 == 0.5)
        #expect(classes[2].precision.count == 0)
        let cell = { Evaluation.Cell(truth: $0, prediction: $1, count: $2) }
        #expect(evaluation.confusion == [cell(0, 0, 1), cell(1, 0, 2), cell(1, 1, 1), cell(2, 0, 1)])
        #expect(evaluation.worstConfusions(1) == [cell(1, 0, 2)])
        #expect(evaluation.worstMistakes(2) == [3, 1])
    }

    @Test func `NaN counts as the least probable`() {
        let evaluation = evaluation([([.nan, 0.2, 0.1], 0), ([.nan, .nan, .nan], 2), ([.nan, .nan, .nan], 0)])
        #expect(evaluation.topAccuracy(2).part == 0)
        // More than there are classes.
        #expect(evaluation.topAccuracy(5).part == 0)
        #expect(evaluation.outcomes.map(\.rank) == [3, 3, 3])
        #expect(evaluation.calibration == nil)
    }

    @Test func `calibration weights the distance of confidence and accuracy`() throws {
        let evaluation = evaluation([([0.9, 0.1], 0), ([0.9, 0.1], 1), ([0.55, 0.45], 0), ([1, 0], 0)])
        let calibration = try #require(evaluation.calibration)
        #expect(calibration.bins.count == 15)
        #expect(calibration.bins.reduce(0) { $0 + $1.images } == 4)
        #expect(calibration.bins[14].images == 1)
        #expect(calibration.bins[13].images == 2)
        #expect(calibration.bins[13].right == Proportion(1, of: 2))
        #expect(abs(calibration.error - (0.8 + 0.45 + 0) / 4) < 1e-6)
    }

    @Test func `outputs that are not probabilities are not calibrated`() {
        #expect(evaluation([([3.5, 0.1], 0), ([0.9, 0.1], 1)]).calibration == nil)
        #expect(evaluation([([-1, -2], 0)]).calibration == nil)
    }

    @Test(
        arguments: [
            ([0.7, 0.3], nil), ([0.69, 0.3], nil), ([3, -2], "they are outside 0 to 1"),
            ([0.7, -2], "they are outside 0 to 1"), ([0.7, 0.7], "they do not add up to 1"), ([.nan, 3], nil),
        ] as [([Float], String?)])
    func `answers that are not probabilities are noticed`(_ answers: [Float], _ reason: String?) {
        #expect(Evaluation.whyNotProbabilities(answers, areIndependent: false) == reason)
        let isSum = reason == "they do not add up to 1"
        #expect(Evaluation.whyNotProbabilities(answers, areIndependent: true) == (isSum ? nil : reason))
    }

    @Test func `two models are compared photo by photo`() {
        let first = evaluation([([1, 0], 0), ([1, 0], 1), ([1, 0], 0), ([0, 1], 0)])
        let second = evaluation([([1, 0], 0), ([0, 1], 1), ([0, 1], 0), ([0, 1], 0)])
        let comparison = PairedComparison(first, second)
        #expect(comparison.bothAreRight == 1 && comparison.neitherIsRight == 1)
        #expect(comparison.onlyFirstIsRight == 1 && comparison.onlySecondIsRight == 1)
        #expect(comparison.changed == [1, 2])
    }
}

@Suite struct TruthTests {
    private let model: Model = {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 3]))
        builder.output("output", try! builder.add(Unary(.relu), [input], name: "output")[0])
        var model = Model(graph: builder.graph)
        model.classifier = ClassifierConfiguration(
            labels: ["cat", "big dog", "tench, Tinca tinca"], probabilities: "output")
        return model
    }()

    private func truth(_ table: String, offset: Int = 0) throws -> GroundTruth {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "truth.tsv").path
        try table.write(toFile: path, atomically: true, encoding: .utf8)
        return try GroundTruth(contentsOfFile: path, for: model, offset: offset)
    }

    @Test func `a table names classes by label or by index, after a header line`() throws {
        let truth = try truth("file\tclass\tmore\r\na.jpg\tcat\t1\r\nb.jpg\t1\n/c.jpg\tBig_Dog\n\nd e.jpg\ttench")
        #expect(truth.images.map(\.classIndex) == [0, 1, 1, 2])
        #expect(truth.images.map { $0.path.split(separator: "/").last! } == ["a.jpg", "b.jpg", "c.jpg", "d e.jpg"])
        #expect(truth.images[2].path == "/c.jpg")
        #expect(truth.notes.isEmpty)
        let moved = try self.truth("file\tclass\na.jpg\t0\n", offset: 1)
        #expect(moved.images[0].classIndex == 1)
        #expect(moved.notes.texts == ["2 of the model's 3 classes have no photo"])
    }

    @Test func `photos are identified as the file system does it`() throws {
        let folder = try TemporaryFolder()
        let manager = FileManager.default
        try manager.createDirectory(at: folder.url.appending(path: "far/away"), withIntermediateDirectories: true)
        try manager.createSymbolicLink(
            at: folder.url.appending(path: "link"), withDestinationURL: folder.url.appending(path: "far/away"))
        func read(_ names: [String]) throws -> [String] {
            let path = folder.url.appending(path: "truth.tsv").path
            let rows = names.map { $0 + "\tcat\n" }.joined()
            try ("file\tclass\n" + rows).write(toFile: path, atomically: true, encoding: .utf8)
            return try GroundTruth(contentsOfFile: path, for: model).images.map(\.path)
        }
        // Two spellings of one text, and the parent folder of a link's target.
        let apart = ["caf\u{E9}.jpg", "cafe\u{301}.jpg", "a.jpg", "link/../a.jpg"]
        #expect(try read(apart).count == 4)
        for same in ["link/../../a.jpg", "far/../a.jpg", folder.url.path + "/a.jpg"] {
            #expect(throws: Failure.self) { try read(["a.jpg", same]) }
        }
    }

    @Test(
        arguments: [
            ("1 2 3 2", 0, [0, 1, 2, 1], "labels, not as indices"),
            ("0 1 2 1", 0, [0, 1, 2, 1], "indices, not as labels"),
            ("1 2 3", -1, [0, 1, 2], "indices, not as labels"), ("0 0", 0, [0, 0], nil),
        ] as [(String, Int, [Int], String?)])
    func `all numbers in a table are labels, or all are indices`(
        _ column: String, _ offset: Int, _ classes: [Int], _ note: String?
    ) throws {
        var numbered = model
        numbered.classifier?.labels = ["1", "2", "3"]
        let rows = column.split(separator: " ").enumerated().map { "\($0).jpg\t\($1)\n" }
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "truth.tsv").path
        try ("file\tclass\n" + rows.joined()).write(toFile: path, atomically: true, encoding: .utf8)
        let truth = try GroundTruth(contentsOfFile: path, for: numbered, offset: offset)
        #expect(truth.images.map(\.classIndex) == classes)
        let said = truth.notes.first { $0.contains("numbers") }
        #expect(said?.description == note.map { "the numbers in the table are read as class " + $0 })
    }

    @Test(
        arguments: [
            (
                "file\tclass\na.jpg\tcatt\nb.jpg\tcow\n",
                "'catt' in line 2 (did you mean 'cat'?), 'cow' in line 3 are not labels"
            ),
            ("file\tclass\na.jpg\tcat\na.jpg\tcat\n", "line 3: 'a.jpg' is already in line 2"),
            ("file\tclass\na.jpg\tcat\n.//a.jpg\tcat\n", "line 3: './/a.jpg' is already in line 2"),
            ("file\tclass\na.jpg\tcat\nb/../a.jpg\tcat\n", "line 3: 'b/../a.jpg' is already in line 2"),
            ("file\tclass\n\tcat\n", "line 2: has no path in its first column"),
            (
                "file\tclass\na.jpg\t3\n",
                "line 2: there is no class 3; the model has 3 classes, counted from 0\nhint: offset"
            ),
            ("file\tclass\na.jpg\t-1\n", "line 2: there is no class -1"),
            ("file\tclass\na.jpg\n", "line 2: has only one column"),
            ("file\tclass\n", "has no line after the header"),
            ("file\tclass\na.jpg\0b.jpg\tcat\n", "line 2: the path contains a NUL character"),
        ])
    func `an invalid table is refused with the line`(_ table: String, _ expected: String) {
        let failure = #expect(throws: Failure.self) { try truth(table) }
        #expect(failure?.description.contains(expected) == true, "\(failure?.description ?? "")")
    }

    @Test func `a photo may be in several lines if labels do not exclude each other`() throws {
        var builder = GraphBuilder()
        let input = builder.input("input", TensorType([1, 3]))
        builder.output("output", try builder.add(Unary(.sigmoid), [input], name: "output")[0])
        var independent = Model(graph: builder.graph)
        independent.classifier = model.classifier
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "truth.tsv").path
        let rows = "a.jpg\tbig dog\nb.jpg\tcat\na.jpg\tcat\n./a.jpg\tbig dog\na.jpg\ttench\n"
        try ("file\tclass\n" + rows).write(toFile: path, atomically: true, encoding: .utf8)
        let truth = try GroundTruth(contentsOfFile: path, for: independent)
        #expect(truth.images.map(\.classIndex) == [1, 0])
        #expect(truth.images.map(\.others) == [[0, 2], []])
        #expect(truth.notes == [])
        #expect(throws: Failure.self) { try GroundTruth(contentsOfFile: path, for: model) }
        try ("file\tclass\na.jpg\twolf\na.jpg\tcat\n").write(toFile: path, atomically: true, encoding: .utf8)
        #expect(throws: Failure.self) { try GroundTruth(contentsOfFile: path, for: independent) }
    }

    @Test func `a name that matches several labels is ambiguous`() throws {
        var twice = model
        twice.classifier?.labels = ["crane, bird", "crane, machine", "Cat"]
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "truth.tsv").path
        func truth(_ label: String) throws -> GroundTruth {
            try "file\tclass\na.jpg\t\(label)\n".write(toFile: path, atomically: true, encoding: .utf8)
            return try GroundTruth(contentsOfFile: path, for: twice)
        }
        let failure = #expect(throws: Failure.self) { try truth("crane") }
        #expect(
            failure?.problem.description
                == "'crane' in line 2 (did you mean 'crane, bird' or 'crane, machine'?) is not a label of the model")
        #expect(try truth("crane, machine").images[0].classIndex == 1)
        #expect(try truth("cat").images[0].classIndex == 2)
        // As duplicate labels are written.
        twice.classifier?.labels = ["crane (0)", "crane (1)", "crate"]
        let other = #expect(throws: Failure.self) { try truth("crane") }
        #expect(other?.problem.contains("(did you mean 'crane (0)' or 'crane (1)'?)") == true)
    }

    @Test func `an offset is mentioned if it leads to an invalid class`() throws {
        let failure = #expect(throws: Failure.self) { try truth("file\tclass\na.jpg\t2\n", offset: 1) }
        #expect(failure?.problem.description == "there is no class 3 (2 plus the offset 1)")
        #expect(failure?.hint == nil)
        let largest = #expect(throws: Failure.self) { try truth("file\tclass\na.jpg\t\(Int.max)\n", offset: 1) }
        #expect(largest?.problem.description == "there is no class \(Int.max) plus the offset 1")
        let needless = "the table has no class indices, so the offset has no effect"
        for (name, offset, isTold) in [("cat", 1, true), ("cat", 0, false), ("1", 1, false), ("0", 1, false)] {
            let notes = try truth("file\tclass\na.jpg\t\(name)\n", offset: offset).notes
            #expect(notes.texts.contains(needless) == isTold, "\(name) \(offset)")
        }
    }

    @Test func `a photo in the header line is reported, also after a byte-order mark`() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: folder.url.appending(path: "a.jpg"))
        for mark in ["", "\u{FEFF}"] {
            let path = folder.url.appending(path: "truth.tsv").path
            try (mark + "a.jpg\tcat\nb.jpg\tcat\n").write(toFile: path, atomically: true, encoding: .utf8)
            let truth = try GroundTruth(contentsOfFile: path, for: model)
            #expect(truth.images.count == 1)
            #expect(
                truth.notes.first?.description
                    == "the first line is skipped as the header, although a file 'a.jpg' exists")
        }
    }

    @Test func `names and labels may begin with a combining character`() throws {
        var marked = model
        marked.classifier?.labels = ["\u{301}cat", "dog", "tench"]
        let folder = try TemporaryFolder()
        let classes = folder.url.appending(path: "classes").path
        try FileManager.default.createDirectory(atPath: classes + "/cat", withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: ImageFixtures.path("good/one-pixel.png"), toPath: classes + "/cat/a.png")
        #expect(rename(classes + "/cat/a.png", classes + "/cat/\u{302}a.png") == 0)
        #expect(rename(classes + "/cat", classes + "/\u{301}cat") == 0)
        let listed = try GroundTruth(contentsOfFile: classes, for: marked)
        #expect(listed.images.map(\.path) == [classes + "/\u{301}cat/\u{302}a.png"])
        #expect(listed.images.map(\.classIndex) == [0])
        let path = folder.url.appending(path: "truth.tsv").path
        try "file\tclass\n\u{301}a.jpg\t\u{301}cat\n".write(toFile: path, atomically: true, encoding: .utf8)
        let truth = try GroundTruth(contentsOfFile: path, for: marked)
        #expect(truth.images.map(\.path) == [folder.url.path + "/\u{301}a.jpg"])
        #expect(truth.images.map(\.classIndex) == [0])
        #expect(canonicalPath(of: classes + "/\u{301}new") == classes + "/\u{301}new")
    }

    @Test func `of many unknown labels only the first are listed`() throws {
        let rows = (0..<7).map { "\($0).jpg\tcatt\n" }.joined()
        let failure = #expect(throws: Failure.self) { try truth("file\tclass\n" + rows) }
        let end = "'catt' in line 6 (did you mean 'cat'?) and 2 more are not labels of the model"
        #expect(failure?.problem.description.hasSuffix(end) == true)
    }

    @Test func `a folder has a folder for each class`() throws {
        let folder = try TemporaryFolder()
        let png = try Data(contentsOf: URL(filePath: ImageFixtures.path("good/one-pixel.png")))
        for name in ["cat/1.png", "cat/deep/2.png", "tench/x.png", "stray.png"] {
            let file = folder.url.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try png.write(to: file)
        }
        let truth = try GroundTruth(contentsOfFile: folder.url.path, for: model)
        #expect(truth.images.map(\.classIndex) == [0, 0, 2])
        #expect(truth.notes.count == 2)
        try FileManager.default.moveItem(
            at: folder.url.appending(path: "cat"), to: folder.url.appending(path: "cut"))
        let failure = #expect(throws: Failure.self) { try GroundTruth(contentsOfFile: folder.url.path, for: model) }
        #expect(failure?.problem.description == "'cut' (did you mean 'cat'?) is not a label of the model")
    }
}
