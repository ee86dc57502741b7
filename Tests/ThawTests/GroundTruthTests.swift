import Foundation
import Testing

@testable import Thaw

@Suite struct GroundTruthTests {
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
        #expect(said?.description == note.map { "numbers are read as class " + $0 })
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
        let needless = "there are no class indices, so the offset has no effect"
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

    private struct FolderCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let folders: [String]
        var offset = 0
        var labels = ["cat", "big dog", "tench"]
        /// The class of each folder; nil if they are refused.
        let classes: [Int]?
        /// The note, or the description of the failure.
        var text = ""
    }

    @Test(arguments: [
        FolderCase(testDescription: "labels", folders: ["tench", "big_dog"], classes: [2, 1]),
        FolderCase(testDescription: "indices", folders: ["2", "0"], classes: [2, 0]),
        FolderCase(testDescription: "indices and an offset", folders: ["0", "1"], offset: 1, classes: [1, 2]),
        FolderCase(
            testDescription: "numbers that are labels", folders: ["2", "1"], labels: ["1", "2", "3"], classes: [1, 0]),
        FolderCase(
            testDescription: "numbers not all of which are labels", folders: ["0", "1"], labels: ["1", "2", "3"],
            classes: [0, 1], text: "numbers are read as class indices, not as labels"),
        FolderCase(
            testDescription: "WordNet IDs", folders: ["n02123045", "n01440764", "n02124075"], classes: [1, 0, 2],
            text: "the folders are named by WordNet IDs, whose order is that of the classes 0 to 2"),
        FolderCase(
            testDescription: "WordNet IDs and a background class", folders: ["n02123045", "n01440764"], offset: 1,
            classes: [2, 1],
            text: "the folders are named by WordNet IDs, whose order is that of the classes 1 to 2"),
        FolderCase(
            testDescription: "a WordNet ID too few", folders: ["n02123045", "n01440764"], classes: nil,
            text: "only if there is a folder for each of the 3 classes; "
                + "name the folders by the labels or the indices of their classes\nhint: offset 1"
        ),
        FolderCase(
            testDescription: "WordNet IDs and a label", folders: ["n02123045", "n01440764", "cat"], classes: nil,
            text: "'n01440764', 'n02123045' are not labels of the model"),
        FolderCase(
            testDescription: "an index that no class has", folders: ["0", "3"], classes: nil,
            text: "3: there is no class 3; the model has 3 classes, counted from 0"),
        FolderCase(testDescription: "an unknown label", folders: ["cat", "cow"], classes: nil, text: "'cow'"),
    ]) private func `folders are named by labels, indices or WordNet IDs`(_ folderCase: FolderCase) throws {
        let folder = try TemporaryFolder()
        let png = try Data(contentsOf: URL(filePath: ImageFixtures.path("good/one-pixel.png")))
        for name in folderCase.folders {
            let url = folder.url.appending(path: name)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            try png.write(to: url.appending(path: "a.png"))
        }
        var model = model
        model.classifier?.labels = folderCase.labels
        guard let classes = folderCase.classes else {
            let failure = #expect(throws: Failure.self) {
                try GroundTruth(contentsOfFile: folder.url.path, for: model, offset: folderCase.offset)
            }
            #expect(failure?.description.contains(folderCase.text) == true, "\(failure?.description ?? "")")
            return
        }
        let truth = try GroundTruth(contentsOfFile: folder.url.path, for: model, offset: folderCase.offset)
        let indices = truth.images.map { ($0.path.split(separator: "/").dropLast().last!, $0.classIndex) }
        let byFolder = Dictionary(uniqueKeysWithValues: indices)
        #expect(folderCase.folders.map { byFolder[Substring($0)] } == classes)
        let notes = truth.notes.filter { $0.code != .classesWithoutPhotos }
        #expect(notes.texts == [folderCase.text].filter { !$0.isEmpty })
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
