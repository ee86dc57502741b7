import Foundation
import Testing

@testable import Thaw

@Suite struct QuantizeTests {
    private static let photos = ["cat", "coffee", "horse", "rocket"].map(Project.photograph)
    private static let demo = [Project.demo, "--labels", Project.demoLabels]

    @Test(arguments: ["q.mlpackage", "q.mlmodel"])
    func `the number of top labels kept is printed, and the result runs`(_ name: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Thaw.run(["quantize"] + Self.demo + Self.photos + ["-o", name], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines[0] == "photos            4")
        let kept = #/same top label    [34] of 4 \((75|100)\.0%\), measured before writing/#
        #expect(outcome.lines[1].wholeMatch(of: kept) != nil, "\(outcome.lines)")
        #expect(outcome.lines[2].wholeMatch(of: #/layers in int8    (\d+) of \1/#) != nil, "\(outcome.lines)")
        let pattern =
            #/wrote q\.\w+: 0\.3 MB, [23]\d\.\d% of the size of the float32 weights, Core ML version [38], for iOS 1[27] .*/#
        #expect(
            outcome.errors.split(separator: "\n").contains { $0.wholeMatch(of: pattern) != nil }, "\(outcome.errors)")
        let classified = try Thaw.run("classify", name, Self.photos[0], in: folder)
        #expect(classified.status == 0, "\(classified.errors)")
        let again = try Thaw.run(["quantize", name, "-o", "again.mlmodel"] + Self.photos, in: folder)
        #expect(again.status == 2)
        #expect(again.errors.contains("the model is already quantized"))
        #expect(try folder.names == [name])
    }

    @Test func `a truncated photo is reported`() throws {
        let folder = try TemporaryFolder()
        try Data(contentsOf: URL(fileURLWithPath: Self.photos[0])).dropLast(2000).write(
            to: folder.url.appending(path: "cut.jpg"))
        let words = ["quantize"] + Self.demo + Self.photos + ["cut.jpg", "-o", "q.mlmodel"]
        let outcome = try Thaw.run(words, in: folder)
        #expect(outcome.status == 0 && outcome.errors.contains("thaw: warning: cut.jpg: "), "\(outcome.errors)")
    }

    @Test func `the report is available as JSON`() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("no photo", to: "bad.jpg")
        let words = ["quantize"] + Self.demo + [Self.photos[0], "bad.jpg", "-o", "q.mlmodel", "--format", "json"]
        let outcome = try Thaw.run(words, in: folder)
        #expect(outcome.status == 1, "\(outcome.errors)")
        let report = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(report["photos"] as? Int == 1 && report["labels_agreeing"] as? Int == 1)
        #expect(report["layers"] as? Int == 22 && report["floating_point_layers"] as? [String] == [])
        #expect(report["bytes"] as? Int == (try folder.data("q.mlmodel")).count && report["version"] as? Int == 3)
        #expect((report["warnings"] as? [String])?.first?.contains("photo") == true, "\(outcome.output)")
        let errors = try #require(report["errors"] as? [[String: String]])
        #expect(
            errors.map { $0["image"] } == ["bad.jpg"] && errors.map { $0["code"] } == ["unknownFormat"], "\(errors)")
    }

    @Test(arguments: [
        (["-o", "q.mlmodel", "--no-clobber"], "q.mlmodel: the file exists already"),
        (["-o", "q.mlmodel", "--compute-precision", "float16"], "q.mlmodel: "),
    ]) func `options that do not fit are refused before the work`(_ options: [String], _ words: String) throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("", to: "q.mlmodel")
        // The graph does not exist, which would be found out next.
        let outcome = try Thaw.run(["quantize", "none.pb"] + Self.photos + options, in: folder)
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("thaw: " + words), "\(outcome.errors)")
    }

    @Test(arguments: ["extremes", "percentile", "entropy", "error"])
    func `ranges of every kind keep the labels`(_ ranges: String) throws {
        let folder = try TemporaryFolder()
        let arguments = ["quantize"] + Self.demo + Self.photos + ["--ranges", ranges, "-o", "q.mlmodel"]
        let outcome = try Thaw.run(arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.lines[1].wholeMatch(of: #/same top label    [34] of 4 .*/#) != nil, "\(outcome.lines)")
    }

    @Test(arguments: ["q.mlpackage", "q.mlmodel"])
    func `the result runs in int8, and inspect shows how`(_ name: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Thaw.run(["quantize"] + Self.demo + Self.photos + ["-o", name], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")

        let inspected = try Thaw.run("inspect", name, in: folder)
        #expect(inspected.status == 0, "\(inspected.errors)")
        #expect(inspected.output.contains("of 4 photos kept their top label in int8, before writing\n"))
        let layer = #/layers +int8 +-?\d+\.\d+ to \d+\.\d+ +\S+ \(AffineQuantize\)/#
        #expect(inspected.output.contains(layer), "\(inspected.output)")

        func labels(_ precision: String, _ set: String = "") throws -> Thaw.Outcome {
            try Thaw.run(
                ["classify", name, "--format", "csv", "--precision", precision] + Self.photos, in: folder,
                environment: ["THAW_ISA": set])
        }
        let expected = try labels("int8", "baseline")
        #expect(expected.status == 0, "\(expected.errors)")
        #expect(
            expected.errors.contains(
                "this machine has no dot-product instructions for 8-bit integers (VNNI, or arm64's dotprod)"))
        #expect(try labels("auto", "baseline").output == expected.output)
        #expect(try labels("float32", "baseline").output != expected.output)
        // The softmax, which is computed in floats, may differ in the last digit.
        func top(_ outcome: Thaw.Outcome) -> [String] {
            outcome.lines.filter { $0.contains(",1,") }.map { $0.components(separatedBy: ",")[2] }
        }
        #expect(try top(labels("int8")) == top(expected))

        // The baseline is computed in float32: it needs no ranges.
        let table = try folder.write("file\tclass\n\(Self.photos[0])\tcat\n", to: "truth.tsv")
        let evaluated = try Thaw.run(
            ["evaluate", name, table, "--precision", "int8", "--baseline", Self.demo[0], "--format", "csv"], in: folder)
        #expect(evaluated.status == 0, "\(evaluated.errors)")
        let row = evaluated.lines[1].split(separator: ",", omittingEmptySubsequences: false)
        #expect(row.suffix(3).first == "cat" && row[5] != row.dropLast().last, "\(row)")

        let arguments = ["compare", Self.demo[0], name, Self.photos[0], "--precision", "int8"]
        let compared = try Thaw.run(arguments + ["--tolerance", "1"], in: folder)
        #expect(compared.status == 0, "\(compared.errors)")
        #expect(compared.output.contains("largest errors at"))
        #expect(compared.output.contains(#/precision +int8\n/#))
    }

    @Test func `a model without ranges is not run in int8`() throws {
        let outcome = try Thaw.run(["classify"] + Self.demo + [Self.photos[0], "--precision", "int8"])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("the model has no activation ranges, which int8 needs"))
    }

    @Test func `a machine without bfloat16 computes in float32`() throws {
        let arguments = ["classify"] + Self.demo + [Self.photos[0], "--format", "csv"]
        let expected = try Thaw.run(arguments, environment: ["THAW_ISA": "baseline"])
        let outcome = try Thaw.run(arguments + ["--precision", "bf16"], environment: ["THAW_ISA": "baseline"])
        #expect(outcome.status == 0 && outcome.output == expected.output)
        #expect(
            outcome.errors.contains(
                "this machine has no instructions for bf16 (AVX512_BF16, or arm64's bf16): float32 is used"))
    }

    @Test func `an existing file may be protected`() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("taken", to: "q.mlmodel")
        let arguments = ["quantize"] + Self.demo + [Self.photos[0], "-o", "q.mlmodel"]
        let outcome = try Thaw.run(arguments + ["--no-clobber"], in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("q.mlmodel: the file exists already"))
        #expect(try folder.data("q.mlmodel") == Data("taken".utf8))
    }

    @Test func `bad input is refused`() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("text", to: "notes.txt")
        let photo = Self.photos[0]
        let cases: [([String], String)] = [
            (Self.demo + ["-o", "q.mlmodel"], "photo"),
            (Self.demo + [photo], "--out"),
            (Self.demo + [".", "-o", "q.mlmodel"], "no images"),
            (Self.demo + ["missing.jpg", "-o", "q.mlmodel"], "missing.jpg"),
            (Self.demo + [photo, "-o", "q.mlmodel", "--keep-accuracy", "101"], "from 0 to 100"),
            (["missing.mlmodel", photo, "-o", "q.mlmodel"], "missing.mlmodel"),
        ]
        for (arguments, message) in cases {
            let outcome = try Thaw.run(["quantize"] + arguments, in: folder)
            #expect(outcome.status == 2, "\(arguments)")
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
        }
        #expect(try folder.names == ["notes.txt"])
    }
}
