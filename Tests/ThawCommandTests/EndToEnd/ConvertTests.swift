import Foundation
import Testing

@Suite struct ConvertTests {
    @Test(
        arguments: [
            ("none/m.mlmodel", "iOS13", "none/m.mlmodel: the folder does not exist; create it first\n"),
            ("none/m.mlpackage/", "iOS15", "none/m.mlpackage/: the folder does not exist; create it first\n"),
            ("m.mlpackage", "iOS12", "m.mlpackage: a .mlpackage needs iOS 15 and macOS 12; "),
        ])
    func `an output that cannot be written is refused before the conversion`(
        _ output: String, _ target: String, _ message: String
    ) throws {
        let folder = try TemporaryFolder()
        // This graph cannot be converted either.
        let graph = Project.fixture("refuse/unsupported_twice.pb")
        let outcome = try Thaw.run("convert", graph, "-o", output, "--target", target, in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("thaw: " + message), "\(outcome.errors)")
    }

    @Test func `a graph and its labels become a model in the current folder`() throws {
        let folder = try TemporaryFolder()
        let outcome = try Thaw.run(
            "convert", Project.network("mobilenet_v1_folded"), "--labels", Project.labels("mobilenet_v1_folded"),
            in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.output == "")
        #expect(try folder.names == ["graph.mlmodel"])
        let size = try folder.data("graph.mlmodel").count
        #expect(
            outcome.errors == """
                preprocessing assumed from the name 'MobilenetV1' in the graph; --preprocess, or --scale and --bias, override this
                red: y = 0.00784314 · x − 1
                green: y = 0.00784314 · x − 1
                blue: y = 0.00784314 · x − 1
                wrote graph.mlmodel: \(Double((size + 50) / 100) / 10) KB, Core ML version 4, for iOS 13 and macOS 10.15 and later

                """)
    }

    @Test func `without labels it reports that the model is not a classifier`() throws {
        let folder = try TemporaryFolder()
        let outcome = try Thaw.run(
            "convert", Project.network("squeezenet"), "--preprocess", "torch", "-o", "s.mlmodel", in: folder)
        #expect(outcome.status == 0)
        #expect(
            outcome.errors.contains("without --labels the model is not a classifier: its outputs are multi-arrays\n"))
        #expect(outcome.errors.contains("red: y = 0.0171248 · x − 2.11790\n") || outcome.errors.contains("− 2.1179\n"))
        #expect(outcome.errors.contains(", Core ML version 1, for iOS 11 and macOS 10.13 and later\n"))
        #expect(!outcome.errors.contains("warning"))
    }

    @Test func `unknown preprocessing causes a warning`() throws {
        let folder = try TemporaryFolder()
        let outcome = try Thaw.run("convert", Project.network("squeezenet"), in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("thaw: warning: the network's preprocessing is unknown"))
    }

    @Test func `duplicate labels are made unique, with a warning`() throws {
        let folder = try TemporaryFolder()
        let labels = try folder.write("a\nb\na\nd\ne\nf\ng\nh\ni\nj\n", to: "labels.txt")
        let outcome = try Thaw.run("convert", Project.demo, "--labels", labels, in: folder)
        #expect(outcome.status == 0)
        #expect(
            outcome.errors.contains(
                "thaw: warning: the label 'a' appears 2 times; Core ML needs unique labels, so these are written: 'a (0)', 'a (2)'\n"
            ))
    }

    @Test(arguments: ["mobilenet_v1_8bit", "preprocess_per_channel_sub_div", "resnet_nchw", "inception"])
    func `two processes write the same bytes`(_ network: String) throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b"] {
            let outcome = try Thaw.run(
                "convert", Project.network(network), "--labels", Project.labels(network), "-o", name + ".mlmodel",
                "--author", "A. Person", "--license", "CC0", "--description", "Tells things", "--version", "2.1",
                in: folder)
            #expect(outcome.status == 0)
        }
        let bytes = try folder.data("a.mlmodel")
        #expect(try bytes == folder.data("b.mlmodel"))
        for text in ["A. Person", "CC0", "Tells things", "2.1"] { #expect(bytes.range(of: Data(text.utf8)) != nil) }
    }

    @Test(arguments: [["--weights", "float32"], [], ["--weights", "palette4", "--min-elements", "16"]])
    func `two processes write the same package`(_ options: [String]) throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b"] {
            let outcome = try Thaw.run(
                ["convert", Project.network("inception"), "--preprocess", "unit", "-o", name + ".mlpackage"] + options,
                in: folder)
            #expect(outcome.status == 0)
        }
        for file in [
            "Manifest.json", "Data/com.apple.CoreML/model.mlmodel", "Data/com.apple.CoreML/weights/weight.bin",
        ] {
            #expect(try folder.data("a.mlpackage/" + file) == folder.data("b.mlpackage/" + file))
        }
    }

    @Test func `an existing file is replaced, unless that is forbidden`() throws {
        let folder = try TemporaryFolder()
        let model = try folder.write("old", to: "m.mlmodel")
        let arguments = ["convert", Project.network("resnet"), "--preprocess", "unit", "-o", model]
        let refused = try Thaw.run(arguments + ["--no-clobber"])
        #expect(refused.status == 2)
        #expect(refused.errors.hasSuffix("thaw: \(model): exists already\n") || refused.errors.contains("m.mlmodel: "))
        #expect(try folder.data("m.mlmodel") == Data("old".utf8))
        #expect(try Thaw.run(arguments).status == 0)
        #expect(try folder.data("m.mlmodel").count > 1000)
        #expect(try folder.names == ["m.mlmodel"])
    }
}

/// If a model cannot be written, nothing remains, and an older file stays unchanged.
@Suite struct UnwritableTests {
    private func convert(to target: String, shell: String? = nil) throws -> Thaw.Outcome {
        try Thaw.run(["convert", Project.demo, "--labels", Project.demoLabels, "-o", target], shell: shell)
    }

    @Test func `a missing output folder is reported`() throws {
        let folder = try TemporaryFolder()
        let outcome = try convert(to: folder.path("none/m.mlmodel"))
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("thaw: \(folder.path("none/m.mlmodel")): "))
        #expect(outcome.errors.contains("folder"))
    }

    @Test func `an unwritable output folder is reported`() throws {
        // Even root cannot create files there.
        let outcome = try convert(to: "/proc/m.mlmodel")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("thaw: /proc/m.mlmodel: "))
    }

    @Test func `an output path that is a folder is refused`() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path("m.mlmodel"), withIntermediateDirectories: false)
        let outcome = try convert(to: folder.path("m.mlmodel"))
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("m.mlmodel: is a folder"))
    }

    @Test func `a full disk is reported`() throws {
        let folder = try TemporaryFolder()
        let link = folder.path("m.mlmodel")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/full")
        let outcome = try convert(to: link)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("thaw: \(link): cannot be written: No space left on device"))
    }

    @Test(.enabled(if: Thaw.canBeLimited, "a sanitizer needs more than the limit"))
    func `a file size limit leaves the old file unchanged`() throws {
        let folder = try TemporaryFolder()
        let model = try folder.write("old", to: "m.mlmodel")
        let outcome = try convert(to: model, shell: "ulimit -f 100;")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("thaw: \(model): cannot be written: File too large"))
        #expect(try folder.data("m.mlmodel") == Data("old".utf8))
        #expect(try folder.names == ["m.mlmodel"])
    }
}
