import Foundation
import Testing
import Thaw
import ThawFoundation

/// Each form for URLs and data does the same as that for paths.
@Suite struct URLTests {
    private static let fixtures = Repository.root.appending(path: "Tests/Fixtures")
    private static let graph = Repository.root.appending(path: "Models/cifar10.pb")
    private static let model = fixtures.appending(path: "coreml/rgb.mlmodel")
    private static let photo = fixtures.appending(path: "photographs/cat.jpg")

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ThawFoundationTests-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test func `images are read from URLs and data`() async throws {
        let pixels = try Pixels(contentsOfFile: Self.photo.path)
        let data = try Data(contentsOf: Self.photo)
        #expect(try Pixels(contentsOf: Self.photo) == pixels)
        #expect(try Pixels(decoding: data) == pixels)
        #expect(try DecodedImage(contentsOf: Self.photo).pixels == pixels)
        #expect(try DecodedImage(decoding: data).pixels == pixels)
        #expect(try ImageFiles([Self.photo]).paths() == [Self.photo.path])

        let classifier = try Classifier(contentsOf: Self.model)
        let expected = classifier.classify(pixels).probabilities
        #expect(try classifier.classify(imageAt: Self.photo).probabilities == expected)
        #expect(try await classifier.classification(ofImageAt: Self.photo).probabilities == expected)
    }

    @Test func `models are read from URLs and data, and written to URLs`() throws {
        let document = try ModelDocument(contentsOf: Self.model)
        let bytes = try document.bytes().model
        #expect(try ModelDocument(decoding: Data(contentsOf: Self.model)).bytes().model == bytes)
        let model = try Model.load(contentsOf: Self.graph).model
        try withFolder { folder in
            let (file, package) = (folder.appending(path: "a.mlmodel"), folder.appending(path: "b.mlpackage"))
            try document.write(to: file)
            #expect(try Data(contentsOf: file) == Data(bytes))
            // The URL of a folder ends in a slash.
            try model.write(to: URL(filePath: package.path, directoryHint: .isDirectory))
            let message = try Data(contentsOf: package.appending(path: "Data/com.apple.CoreML/model.mlmodel"))
            let weights = try Data(contentsOf: package.appending(path: "Data/com.apple.CoreML/weights/weight.bin"))
            let program = try ModelDocument(decoding: message, weights: weights)
            #expect(program.model.graph.inputs.map(\.name) == model.graph.inputs.map(\.name))
            #expect(throws: Failure.self) { try ModelDocument(decoding: message, weights: Data()) }

            let image = folder.appending(path: "c.png")
            let pixels = Pixels(width: 2, height: 1, channels: 3, bytes: [1, 2, 3, 4, 5, 6])
            try pixels.write(to: image)
            #expect(try Pixels(contentsOf: image) == pixels)
        }
    }

    @Test func `graphs and labels are read from URLs and data`() throws {
        try withFolder { folder in
            let file = folder.appending(path: "labels.txt")
            try Data("cat\ndog\n".utf8).write(to: file)
            #expect(try Labels(contentsOf: file).names == ["cat", "dog"])
        }
        let graph = try Converter().convert(contentsOfFile: Self.graph.path).model.graph.description
        #expect(try Converter().convert(contentsOf: Self.graph).model.graph.description == graph)
        #expect(try Converter().convert(decoding: Data(contentsOf: Self.graph)).model.graph.description == graph)
    }

    @Test func `a URL that is not of a file is refused`() throws {
        let url = try #require(URL(string: "https://example.com/model.mlmodel"))
        let failure = #expect(throws: Failure.self) { try Model.load(contentsOf: url) }
        #expect(failure?.code == .noSuchFile && failure?.file == "https://example.com/model.mlmodel")
        #expect(throws: Failure.self) { try Pixels(contentsOf: url) }
    }
}
