import Foundation
import Testing

@testable import Thaw

@Suite struct QuantizeTests {
    private static let photos = ["cat", "coffee", "horse", "rocket"].map(Project.photograph)
    private static let demo = [Project.demo, "--labels", Project.demoLabels]

    @Test(arguments: ["q.mlpackage", "q.mlmodel"])
    func `it prints what is left of the top labels, and the result runs`(_ name: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Thaw.run(["quantize"] + Self.demo + Self.photos + ["-o", name], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines[0] == "photos            4")
        #expect(
            outcome.lines[1].wholeMatch(of: #/same top label    [34] of 4 \((75|100)\.0 %\)/#) != nil,
            "\(outcome.lines)")
        #expect(outcome.lines[2].wholeMatch(of: #/layers in int8    (\d+) of \1/#) != nil, "\(outcome.lines)")
        let pattern =
            #/wrote q\.\w+: 0\.3 MB, [23]\d\.\d % of the weights in float32, Core ML version [38], for iOS 1[27] .*/#
        #expect(
            outcome.errors.split(separator: "\n").contains { $0.wholeMatch(of: pattern) != nil }, "\(outcome.errors)")
        let classified = try Thaw.run("classify", name, Self.photos[0], in: folder)
        #expect(classified.status == 0, "\(classified.errors)")
        let again = try Thaw.run(["quantize", name, "-o", "again.mlmodel"] + Self.photos, in: folder)
        #expect(again.status == 2)
        #expect(again.errors.contains("the model is already quantized"))
        #expect(try folder.names == [name])
    }

    @Test func `an existing file may be protected`() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("taken", to: "q.mlmodel")
        let words = ["quantize"] + Self.demo + [Self.photos[0], "-o", "q.mlmodel"]
        let outcome = try Thaw.run(words + ["--no-clobber"], in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("q.mlmodel: the file exists already"))
        #expect(try folder.data("q.mlmodel") == Data("taken".utf8))
    }

    @Test func `bad input is refused`() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("text", to: "notes.txt")
        let photo = Self.photos[0]
        for (words, message) in [
            (Self.demo + ["-o", "q.mlmodel"], "photo"),
            (Self.demo + [photo], "--out"),
            (Self.demo + [".", "-o", "q.mlmodel"], "no images"),
            (Self.demo + ["missing.jpg", "-o", "q.mlmodel"], "missing.jpg"),
            (Self.demo + [photo, "-o", "q.mlmodel", "--keep-accuracy", "101"], "from 0 to 100"),
            (["missing.mlmodel", photo, "-o", "q.mlmodel"], "missing.mlmodel"),
        ] {
            let outcome = try Thaw.run(["quantize"] + words, in: folder)
            #expect(outcome.status == 2, "\(words)")
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
        }
        #expect(try folder.names == ["notes.txt"])
    }
}
