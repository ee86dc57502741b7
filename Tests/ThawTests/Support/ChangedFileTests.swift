import Foundation
import Testing

@testable import Thaw

/// Files that change while they are being read, and after.
@Suite struct ChangedFileTests {
    /// A small classifier. In a package, all of its weights are in their file.
    private static func write(to path: String) throws {
        try NetworkCase.all[0].conversion().model.write(
            toFile: path, weights: WeightStorage(.float32, minimumCount: 16))
    }

    @Test(arguments: [("truncated", 10), ("emptied", 0), ("extended", 5000)])
    func `a file that changes while it is being read is refused`(_ change: String, _ size: Int) throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "file")
        try Data(count: 1000).write(to: url)
        #expect(try MappedFile(path: url.path, isMapped: false).bytes.count == 1000)
        let failure = #expect(throws: Failure.self) {
            // The check runs after the file was opened.
            try MappedFile(path: url.path, isMapped: false) { _, _ in
                try Data(count: size).write(to: url, options: [])
            }
        }
        #expect(failure?.code == .notReadable && failure?.problem == "changed while it was being read")
        #expect(failure?.file == url.path)
    }

    @Test func `a file that is replaced while it is being read keeps its content`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "file")
        try Data(repeating: 1, count: 1000).write(to: url)
        let file = try MappedFile(path: url.path, isMapped: false) { _, _ in
            try Data(repeating: 2, count: 10).write(to: url, options: .atomic)
        }
        #expect(file.bytes.count == 1000 && file.bytes.allSatisfy { $0 == 1 })
    }

    @Test func `weights of another package than the model's are refused`() throws {
        let folder = try TemporaryFolder()
        let paths = ["a", "b"].map { folder.url.appending(path: $0 + ".mlpackage").path }
        for path in paths { try Self.write(to: path) }
        let package = try ModelPackage(path: paths[0])
        _ = try package.weights("@model_path/weights/weight.bin")
        try FileManager.default.removeItem(atPath: paths[0])
        try FileManager.default.moveItem(atPath: paths[1], toPath: paths[0])
        let failure = #expect(throws: Failure.self) { try package.weights("@model_path/weights/weight.bin") }
        #expect(failure?.problem == "changed while it was being read")
    }

    @Test(arguments: ["Net.mlmodel", "Net.mlpackage"])
    func `a document outlives its file`(_ name: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: name).path
        try Self.write(to: path)
        let document = try ModelDocument(contentsOfFile: path)
        let expected = try document.bytes()
        try FileManager.default.removeItem(atPath: path)
        let actual = try document.bytes()
        #expect(actual.model == expected.model && actual.weights == expected.weights)
    }

    @Test(arguments: ["Net.mlmodel", "Net.mlpackage", "graph.pb", "saved_v2"])
    func `a model that was read is independent of its files`(_ name: String) throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: name)
        switch name {
        case "graph.pb":
            try FileManager.default.copyItem(
                at: Fixtures.folder.appending(path: "../../Models/cifar10.pb"), to: url)
        case "saved_v2": try FileManager.default.copyItem(atPath: Fixtures.path("live/saved_v2"), toPath: url.path)
        default: try Self.write(to: url.path)
        }
        var options = Converter.Options()
        let mapped = try Model.load(contentsOfFile: url.path, options: options).model
        // Encoding it reads all constants.
        let expected = try ModelDocument(Conversion(model: mapped, notes: [], warnings: [])).bytes(as: .coreML).model
        options.mapsFiles = false
        let model = try Model.load(contentsOfFile: url.path, options: options).model
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
            let path = folder.url.appending(path: file)
            // The system would end a process that accesses the rest of a mapped file.
            if fileExists(path.path) { try FileHandle(forWritingTo: path).truncate(atOffset: 0) }
        }
        let actual = try ModelDocument(Conversion(model: model, notes: [], warnings: [])).bytes(as: .coreML).model
        #expect(actual == expected)
    }
}
