import Foundation
import Testing

@Suite struct ApplyTests {
    /// Its placeholder has no shape; the first convolution shows that its images are gray.
    private static let network = Project.fixture("generators/super_resolution.pb")

    private func apply(_ arguments: [String], in folder: TemporaryFolder? = nil) throws -> Thaw.Outcome {
        try Thaw.run(["apply", ApplyTests.network] + arguments, in: folder)
    }

    /// The width and height in a PNG's header.
    private func size(_ png: Data) -> [Int] {
        [16, 20].map { start in png[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
    }

    @Test func `an image is written as PNG or JPEG according to its extension`() throws {
        let folder = try TemporaryFolder()
        let png = try apply([Project.photograph("cat"), "-o", folder.path("out.png")])
        #expect(png.status == 0)
        #expect(png.output == "\(Project.photograph("cat")) -> \(folder.path("out.png")), 640 × 426 pixels\n")
        #expect(try size(folder.data("out.png")) == [640, 426])
        let jpeg = try apply(
            [Project.photograph("cat"), "-o", "out.JPG", "--quality", "50", "--max-side", "64"], in: folder)
        #expect(jpeg.status == 0)
        #expect(try folder.data("out.JPG").starts(with: [0xFF, 0xD8, 0xFF]))
    }

    @Test func `a converted model returns the same image as its graph`() throws {
        let folder = try TemporaryFolder()
        let model = folder.path("model.mlmodel")
        let arguments = ["--size", "64x48", "--preprocess", "unit"]
        let converted = try Thaw.run(["convert", ApplyTests.network, "-o", model] + arguments)
        #expect(converted.status == 0)
        #expect(converted.errors.contains("the output 'enlarged' is an image\ngray: pixel = 255 · y\n"))
        #expect(!converted.errors.contains("outputs are multi-arrays"))
        _ = try Thaw.run(
            ["apply", ApplyTests.network, Project.photograph("cat"), "-o", folder.path("a.png")] + arguments)
        let applied = try Thaw.run("apply", model, Project.photograph("cat"), "-o", folder.path("b.png"))
        #expect(applied.status == 0)
        #expect(applied.errors == "")
        #expect(try folder.data("a.png") == folder.data("b.png"))
        #expect(try size(folder.data("b.png")) == [128, 96])
        let inspected = try Thaw.run("inspect", model)
        #expect(inspected.output.contains("enlarged: an image, 128×96, gray"))

        let array = try Thaw.run(["convert", ApplyTests.network, "-o", model, "--no-image-output"] + arguments)
        #expect(array.errors.contains("outputs are multi-arrays"))
        let other = try Thaw.run("apply", model, Project.photograph("cat"), "-o", folder.path("c.png"))
        #expect(other.status == 0)
        #expect(try folder.data("a.png") == folder.data("c.png"))
    }

    /// The color type in a PNG's header: 0 is gray, 2 is RGB.
    private func colorType(_ png: Data) -> UInt8 { png[25] }

    @Test func `a super-resolution network of one channel keeps a photo's colors`() throws {
        let folder = try TemporaryFolder()
        let network = Project.fixture("generators/luma_unit.pb")
        let applied = try Thaw.run("apply", network, Project.fixture("generators/cat.png"), "-o", "a.png", in: folder)
        #expect(applied.status == 0)
        #expect(
            applied.errors.contains(
                "reproduces a test image if its input is scaled to 0 to 1; --preprocess, or --scale"))
        #expect(applied.errors.contains("gray: y = 0.00392157 · x\n"))
        #expect(try size(folder.data("a.png")) == [64, 42] && colorType(folder.data("a.png")) == 2)
        // The converted model contains the result of the trial.
        let converted = try Thaw.run(
            "convert", network, "--size", "32x21", "--image-output", "-o", "m.mlmodel", in: folder)
        #expect(converted.status == 0 && converted.errors.contains("gray: y = 0.00392157 · x\n"))
        _ = try Thaw.run("apply", "m.mlmodel", Project.fixture("generators/cat.png"), "-o", "b.png", in: folder)
        #expect(try folder.data("a.png") == folder.data("b.png"))
        let gray = try Thaw.run(
            "apply", network, Project.photograph("photographer"), "--max-side", "32", "-o", "c.png", in: folder)
        #expect(gray.status == 0)
        #expect(try colorType(folder.data("c.png")) == 0)
    }

    private static let shared = Project.path("../shared/models/super_resolution_x2/graph.pb")

    @Test(.enabled(if: FileManager.default.fileExists(atPath: ApplyTests.shared), "the shared networks are not here"))
    func `the value range of a published super-resolution network is detected`() throws {
        let folder = try TemporaryFolder()
        let arguments = ["apply", Self.shared, Project.fixture("generators/coffee.png"), "-o", "a.png"]
        let found = try Thaw.run(arguments, in: folder)
        #expect(found.status == 0 && found.errors.contains("is scaled to 0 to 1;"))
        let told = try Thaw.run(arguments.dropLast() + ["b.png", "--preprocess", "unit"], in: folder)
        #expect(told.status == 0)
        #expect(try folder.data("a.png") == folder.data("b.png"))
        #expect(try colorType(folder.data("a.png")) == 2)
    }

    @Test func `a model of several sizes takes an image in its own or the nearest size`() throws {
        let folder = try TemporaryFolder()
        let style = Project.fixture("generators/style.pb")
        // The network downsamples twice by 2, and rounds up.
        for (sizes, name, size, result) in [
            ("32..800x32..800", "range.mlmodel", [320, 213], [320, 216]),
            ("32..160x32..160", "small.mlpackage", [160, 107], [160, 108]),
            ("64x64,96x64", "list.mlmodel", [96, 64], [96, 64]),
        ] {
            let converted = try Thaw.run("convert", style, "--size", sizes, "-o", name, in: folder)
            #expect(converted.status == 0, "\(converted.errors)")
            #expect(converted.errors.contains("the image may have other sizes than "))
            let arguments = [name, Project.photograph("cat"), "-o", "out.png"]
            let applied = try Thaw.run(["apply"] + arguments, in: folder)
            #expect(applied.status == 0, "\(applied.errors)")
            #expect(try self.size(folder.data("out.png")) == result)
            let graph = try Thaw.run(
                ["apply", style, "--size", "\(size[0])x\(size[1])"] + arguments.dropFirst().dropLast() + ["graph.png"],
                in: folder)
            #expect(graph.status == 0)
            if name.hasSuffix(".mlmodel") { #expect(try folder.data("out.png") == folder.data("graph.png")) }
        }
        let inspected = try Thaw.run("inspect", "range.mlmodel", in: folder)
        #expect(inspected.lines.contains("sizes           from 32×32 to 800×800"))
        let fixed = try Thaw.run("convert", Project.demo, "--size", "32x32,64x64", in: folder)
        #expect(fixed.status == 2)
        #expect(fixed.errors.contains("for images of 64×64 pixels: the size 64x64 differs from the graph's 32x32"))
    }

    @Test func `images are written to a folder under their names, with subfolders`() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path("in/below"), withIntermediateDirectories: true)
        for name in ["in/a.jpg", "in/below/a.webp", "in/b.png"] {
            try FileManager.default.copyItem(atPath: Project.photograph("cat"), toPath: folder.path(name))
        }
        let arguments = ["in", Project.photograph("horse"), "--max-side", "40", "-o", "made/out"]
        let outcome = try apply(arguments + ["--format", "csv"], in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.lines[0] == "image,output,width,height,error")
        #expect(
            outcome.lines.dropFirst().map { $0.split(separator: ",")[1] } == [
                "made/out/a.jpg", "made/out/b.png", "made/out/below/a.png", "made/out/horse.jpg",
            ])
        #expect(try size(folder.data("made/out/below/a.png"))[0] == 80)
        #expect(try apply(arguments + ["--no-clobber"], in: folder).status == 2)
    }

    @Test func `one bad image does not stop the others`() throws {
        let folder = try TemporaryFolder()
        let arguments = [Project.photograph("cat"), "/nowhere.jpg", "--max-side", "40", "-o", folder.path("out")]
        let text = try apply(arguments)
        #expect(text.status == 1)
        #expect(text.lines.count == 1)
        #expect(text.errors.contains("thaw: /nowhere.jpg: no such file\n"))
        let json = try apply(arguments + ["--format", "json"])
        #expect(json.status == 1)
        let objects = try json.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.map { Set($0.keys) } == [["image", "output", "width", "height"], ["image", "error", "code"]])
        #expect(objects[1]["error"] as? String == "no such file")
        #expect(objects[1]["code"] as? String == "noSuchFile")
        #expect(try apply(["/nowhere.jpg", "-o", folder.path("x.png")]).status == 2)
    }

    @Test func `an output replaces neither an input nor another output`() throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: Project.photograph("cat"), toPath: folder.path(name + "/x.jpg"))
        }
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: folder.path("a"))
        let original = try folder.data("a/x.jpg")
        for arguments in [
            ["a/x.jpg", "-o", "a/x.jpg"], ["a", "-o", "a"], ["a", "-o", "link"], ["a/x.jpg", "-o", "a/../a/x.jpg"],
        ] {
            let outcome = try apply(arguments, in: folder)
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("one of the input images"))
        }
        #expect(try folder.data("a/x.jpg") == original)
        let twice = try apply(["a/x.jpg", "b/x.jpg", "-o", "out"], in: folder)
        #expect(twice.status == 2)
        #expect(twice.errors.contains("'a/x.jpg' and 'b/x.jpg' would both be written here"))
    }

    @Test(arguments: [
        (["PHOTO", "-o", "x.png", "--color", "rgb"], "--color rgb does not fit an input of 1 channel"),
        (["-o", "x.png"], "an image or a folder of images is missing"),
        (["PHOTO"], "-o OUT.png or -o FOLDER is missing"),
        (["PHOTO", "PHOTO", "-o", "x.png"], "one file cannot hold 2 images; name a folder"),
        (["PHOTO", "-o", "x.gif"], "x.gif: unsupported extension for an output image"),
        (["PHOTO", "-o", "x.png", "--tile", "5"], "tiles of 5 pixels are too small"),
        (["PHOTO", "-o", "x.png", "--tile", "0"], "invalid value '0'; expected a number of pixels"),
        (["PHOTO", "-o", "x.png", "--quality", "101"], "invalid value '101'; expected an integer from 1 to 100"),
        (["PHOTO", "-o", "none/x.png"], "none/x.png: the folder does not exist; create it first"),
    ]) func `invalid options are refused`(_ arguments: [String], _ message: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try apply(arguments.map { $0 == "PHOTO" ? Project.photograph("cat") : $0 }, in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(message))
        #expect(try folder.names.isEmpty)
    }

    @Test func `networks without image output, and tiles for global networks, are refused`() throws {
        let folder = try TemporaryFolder()
        let arguments = [Project.photograph("cat"), "-o", folder.path("x.png")]
        let classifier = try Thaw.run(["apply", Project.network("squeezenet")] + arguments)
        #expect(classifier.status == 2)
        #expect(classifier.errors.contains("the model has no image output"))
        let style = try Thaw.run(["apply", Project.fixture("generators/style.pb"), "--tile", "128"] + arguments)
        #expect(style.status == 2)
        #expect(style.errors.contains("depends on the whole image"))
    }

    @Test(.enabled(if: Thaw.canBeLimited, "a sanitizer needs more than the limit"))
    func `an image too large for the memory is refused with its size and a hint`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("large.pgm")
        // 12,000 × 12,000 gray pixels.
        try (Data("P5 12000 12000 255\n".utf8) + Data(count: 144_000_000)).write(to: URL(fileURLWithPath: path))
        let arguments = ["apply", ApplyTests.network, path, "-o", folder.path("x.png"), "--threads", "1"]
        let outcome = try Thaw.run(arguments, shell: "ulimit -v 4000000;")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("\(path): the image of 12000 × 12000 pixels is too large"))
        #expect(outcome.errors.contains("hint: --tile 512"))
    }
}
