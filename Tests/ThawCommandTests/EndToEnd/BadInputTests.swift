import Foundation
import Testing

/// Bad input is refused with exit code 2 and a message that names the file and the remedy.
@Suite struct BadInputTests {
    /// The last lines of a failed run's standard error, starting with "thaw: ".
    private func message(_ words: [String], status: Int32 = 2) throws -> String {
        let folder = try TemporaryFolder()
        let outcome = try Thaw.run(words, in: folder)
        #expect(outcome.status == status, "\(words): \(outcome.errors)")
        #expect(outcome.output == "")
        #expect(try folder.names == [])
        return outcome.errors
    }

    @Test func `files that are not graphs, and graphs that cannot be converted, are refused`() throws {
        for row in Project.table("refuse/refuse.tsv") {
            let path = Project.fixture("refuse/" + row[0])
            let message = try message(["convert", path, "-o", "m.mlmodel"])
            #expect(message.hasPrefix("thaw: \(path): "), "\(row[0]): \(message)")
            for word in row[1].split(separator: " ") where word != "-" {
                let problem = message.dropFirst("thaw: ".count + path.count)
                #expect(problem.localizedCaseInsensitiveContains(word), "\(row[0]): \(message)")
            }
        }
    }

    @Test(
        arguments: [
            ("none.pb", "no such file"),
            ("../labels", "is a folder; expected a TensorFlow graph (.pb, SavedModel, checkpoint)"),
            ("empty.pb", "the file is empty"), ("model.tflite", "is a TensorFlow Lite model; "),
            ("model.onnx", "is an ONNX model; "), ("model.h5", "is an HDF5 file, as Keras saves models and weights; "),
            ("model.zip", "is a ZIP archive; "), ("model.mlmodel", "is a Core ML model; "),
            ("graph.pbtxt", "is a graph in text format (.pbtxt); "),
        ])
    func `a file of another kind is refused with its kind`(_ file: String, _ words: String) throws {
        let path = Project.fixture("refuse/" + file)
        #expect(try message(["convert", path]).hasPrefix("thaw: \(path): \(words)"))
    }

    @Test func `a pipe or a device is refused at once`() throws {
        let folder = try TemporaryFolder()
        try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
        for path in [folder.path("pipe"), "/dev/zero"] {
            #expect(
                try message(["convert", path]) == "thaw: \(path): is a pipe or a device; expected a regular file\n")
            #expect(try message(["convert", Project.demo, "--labels", path]).contains(": is a pipe or a device; "))
        }
    }

    @Test func `labels that do not match are refused, naming the file`() throws {
        let graph = Project.network("squeezenet")
        for row in Project.table("labels/labels.tsv") {
            // The networks have ten classes: valid files have too few labels.
            let path = Project.fixture("labels/" + row[0])
            let message = try message(["convert", graph, "--labels", path, "-o", "m.mlmodel"])
            #expect(message.contains("thaw: \(path): "), "\(row[0]): \(message)")
            if !row[1].hasPrefix("refused") {
                #expect(message.contains("5 labels for 10 classes; expected one label per class"))
            }
        }
        #expect(try message(["convert", graph, "--labels", "none.txt"]).contains("thaw: none.txt: no such file\n"))
    }

    @Test(arguments: [
        (Project.demo, "is a frozen TensorFlow graph"), (Project.photograph("cat"), "is an image"),
        (Project.fixture("refuse/model.mlmodel"), "is a Core ML model"),
        (Project.fixture("live/saved/saved_model.pb"), "is the saved_model.pb of a SavedModel"),
    ]) func `a label file of another kind is refused with its kind`(_ path: String, _ kind: String) throws {
        let message = try message(["convert", Project.demo, "--labels", path])
        #expect(
            message.contains("thaw: \(path): \(kind); expected a text file of labels, one per line"), "\(message)")
    }

    @Test func `one label too few or too many may be the background class`() throws {
        let folder = try TemporaryFolder()
        func labels(_ count: Int) throws -> String {
            try folder.write((0..<count).map { "label \($0)\n" }.joined(), to: "\(count).txt")
        }
        let nine = try message(["convert", Project.demo, "--labels", labels(9)])
        #expect(nine.contains("9 labels for 10 classes"))
        #expect(nine.contains("hint: networks with a background class (1001 for ImageNet)"))
        let eleven = try message(["convert", Project.demo, "--labels", labels(11)])
        #expect(eleven.contains("11 labels for 10 classes"))
        #expect(eleven.contains("hint: the labels may have a background class that the network lacks"))
        #expect(!(try message(["convert", Project.demo, "--labels", labels(12)]).contains("hint:")))
    }

    @Test(
        arguments: [
            (
                "resnet", ["--scale", "1,2"],
                "--scale has 2 values for 3 channels; give one, or 3 in channel order"
            ),
            (
                "resnet", ["--scale", "0"],
                "--scale multiplies red by 0; the network would get no information from that channel"
            ),
            ("resnet", ["--scale", "1,1e-60,1"], "--scale multiplies green by 0; "),
            ("digits_gray", ["--bias", "1,2,3"], "--bias has 3 values for 1 channel; give one"),
            (
                "resnet", ["--output", "resnet/softmix"],
                "--output: there is no node 'resnet/softmix'\nhint: did you mean 'resnet/softmax'?"
            ),
            ("resnet", ["--input", "inputt"], "--input: there is no node 'inputt'\nhint: did you mean 'input'?"),
            ("resnet", ["--size", "64x32"], "the size 64x32 differs from the graph's 32x32; omit --size"),
            ("unknown_size", [], "the size of the input is unknown; set it with --size WxH"),
            ("digits_gray", ["--color", "rgb"], "--color rgb does not fit an input of 1 channel"),
            (
                "resnet", ["--preprocess", "caffe", "--color", "rgb"],
                "the preprocessing 'caffe' is for bgr images; --color rgb does not fit"
            ),
            ("resnet", ["--preprocess", "unit", "--scale", "2"], "--preprocess and --scale cannot be combined"),
            ("resnet", ["--set", "keep=1"], "--set: there is no placeholder 'keep'; the placeholders are 'input'"),
            (
                "dropout_learning_phase", ["--set", "keras_learning_phase=2"],
                "--set keras_learning_phase: invalid value '2'; the placeholder takes true or false"
            ),
            (
                "dropout_default_keep", ["--set", "keep_prob=1", "--set", "keep_prob=2"],
                "--set: 'keep_prob' is given twice"
            ),
            (
                "dropout_default_keep", ["--set", "keep_prob=1,2"],
                "--set keep_prob: 2 values for a tensor of shape []"
            ),
            (
                "resnet", ["--set", "keep"],
                "--set: invalid value 'keep'; expected a placeholder's name and its value, as in is_training=false"
            ),
            ("resnet", ["--no-such"], "there is no option --no-such"),
            ("resnet", ["-o", "m.mlpackage", "--target", "iOS14"], "a .mlpackage needs iOS 15 and macOS 12; "),
            ("keras_convnext", ["-o", "m.mlmodel", "--target", "iOS12"], "needs iOS 13 and macOS 10.15; "),
            ("resnet", ["more.pb"], "unexpected argument 'more.pb'"),
        ] as [(String, [String], String)])
    func `options that do not fit the graph are refused`(
        _ network: String, _ words: [String], _ expected: String
    ) throws {
        let message = try message(["convert", Project.network(network)] + words)
        #expect(message.contains(expected), "\(message)")
    }

    @Test(
        arguments: [
            ("none.jpg", "no such file"),
            ("labels/plain.txt", "is not an image; expected a JPEG, PNG, WebP, GIF, BMP, PNM or PAM file"),
            ("refuse/empty.pb", "the file is empty"),
            ("images/refused/picture.avif", "is an AVIF image, which is not supported"),
        ])
    func `an image that cannot be read is refused with the reason`(_ file: String, _ expected: String) throws {
        let path = Project.fixture(file)
        #expect(try message(["classify", Project.demo, path]).contains("thaw: \(path): \(expected)"))
    }

    /// A tiny PNG file that declares 60,000 × 60,000 pixels, which would need 10.8 GB.
    @Test(.enabled(if: Thaw.canBeLimited, "a sanitizer needs more than the limit"))
    func `an image that declares more pixels than memory is refused before allocation`() throws {
        let folder = try TemporaryFolder()
        var png = try Data(contentsOf: URL(fileURLWithPath: Project.fixture("images/good/one-pixel.png")))
        png.replaceSubrange(16..<24, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
        try png.write(to: folder.url.appending(path: "huge.png"))
        #if os(Linux)
            let limit = "ulimit -v 4000000;"
        #else
            let limit = ""
        #endif
        let outcome = try Thaw.run(["classify", Project.demo, folder.path("huge.png")], shell: limit)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("the image claims 60000 × 60000 pixels; the limit is 200000000 pixels"))
        #expect(outcome.errors.contains("hint: --max-pixels raises the limit"))
    }

    @Test(
        arguments: [
            (["--report", "/nowhere/report.html"], "/nowhere/report.html: the folder does not exist"),
            (["--resume", "/nowhere/done.jsonl"], "/nowhere/done.jsonl: cannot resume from this file: No such file"),
            (["--resume", "/dev/zero"], "/dev/zero: cannot resume from this file: it is a pipe or a device"),
            (
                ["--report", Project.demoLabels],
                Project.demoLabels + ": the file exists and is not a report"
            ),
        ])
    func `if results cannot be written, the file is named`(_ words: [String], _ expected: String) throws {
        let outcome = try Thaw.run(["classify", Project.demo, Project.photograph("cat")] + words)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("thaw: " + expected), "\(outcome.errors)")
    }

    @Test func `an empty image is refused, a truncated one with --strict, a single pixel never`() throws {
        let folder = try TemporaryFolder()
        let jpeg = try Data(contentsOf: URL(fileURLWithPath: Project.photograph("cat")))
        try jpeg.prefix(jpeg.count / 2).write(to: folder.url.appending(path: "half.jpg"))
        var png = try Data(contentsOf: URL(fileURLWithPath: Project.fixture("images/good/one-pixel.png")))
        png.replaceSubrange(16..<20, with: [0, 0, 0, 0])
        try png.write(to: folder.url.appending(path: "zero.png"))
        let half = folder.path("half.jpg")
        #expect(
            try message(["classify", Project.demo, half, "--strict"]).contains("thaw: \(half): the JPEG file ends too"))
        let shown = try Thaw.run("classify", Project.demo, half)
        #expect(shown.status == 0)
        #expect(shown.errors.contains("thaw: warning: \(half): the JPEG file ends too early\n"))
        #expect(
            try message(["classify", Project.demo, Project.photograph("cat"), "--max-pixels", "100"])
                .contains("the limit is 100 pixels\nhint: --max-pixels raises the limit\n"))
        let three = ["cat", "horse", "rocket"].map(Project.photograph)
        for command in [
            ["classify", Project.demo],
            ["apply", Project.fixture("generators/super_resolution.pb"), "-o", folder.path("out")],
        ] {
            let outcome = try Thaw.run(command + three + ["--max-pixels", "100"])
            #expect(outcome.errors.components(separatedBy: "hint:").count == 2, "\(outcome.errors)")
        }
        #expect(try message(["classify", Project.demo, folder.path("zero.png")]).contains("zero.png: the PNG file "))
        for image in ["one-pixel.png", "one-pixel.jpg", "one-column.png", "one-row.jpg"] {
            let path = Project.fixture("images/good/" + image)
            #expect(try Thaw.run("classify", Project.demo, path).status == 0)
        }
    }

    @Test(
        arguments: [
            (["convert"], "thaw: the graph is missing\nhint: see thaw convert --help\n"),
            (["classify"], "thaw: the model is missing\nhint: see thaw classify --help\n"),
            (
                ["classify", "m"],
                "thaw: an image or a folder of images is missing\nhint: see thaw classify --help\n"
            ),
            (["benchmark"], "thaw: the model is missing\nhint: see thaw benchmark --help\n"),
            (["inspect"], "thaw: the file is missing\nhint: see thaw inspect --help\n"),
            (["inspect", "none"], "thaw: none: no such file\n"), (["inspect", ""], "thaw: '': no such file\n"),
            (
                ["benchmark", "none", "--seconds", "0"],
                "thaw: --seconds: invalid value '0'; expected a number of seconds greater than 0\nhint: see thaw benchmark --help\n"
            ),
            (
                ["serve", "none", "--queue", "1000001"],
                "thaw: --queue: invalid value '1000001'; expected an integer from 1 to 1000000\nhint: see thaw serve --help\n"
            ),
            (["freeze"], "thaw: 'freeze' is not a command\nhint: thaw --help lists the commands\n"),
            (["compare"], "thaw: the first model is missing\nhint: see thaw compare --help\n"),
            (["compare", "m"], "thaw: the second model is missing\nhint: see thaw compare --help\n"),
            (
                ["compare", "m", "n"],
                "thaw: an image or a folder of images is missing\nhint: see thaw compare --help\n"
            ),
        ] as [([String], String)])
    func `a missing argument is named`(_ words: [String], _ expected: String) throws {
        #expect(try message(words) == expected)
    }

    @Test func `a folder without images, and too many threads, are refused`() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("no image", to: "notes.txt")
        #expect(
            try message(["classify", Project.fixture("coreml/rgb.mlmodel"), folder.url.path])
                == "thaw: \(folder.url.path): there are no images in the folder\n")
        for (command, option) in [("classify", "--threads"), ("benchmark", "--threads"), ("benchmark", "--batch")] {
            #expect(
                try message([command, Project.demo, option, "1025"]).hasPrefix(
                    "thaw: \(option): invalid value '1025'; expected an integer from 1 to 1024\n"))
        }
    }

    @Test func `a model without image input, and labels for a model that has labels, are refused`() throws {
        let array = Project.fixture("coreml/array.mlmodel")
        #expect(
            try message(["classify", array, Project.photograph("cat")])
                == "thaw: \(array): the model takes no image; use 'thaw run' with arrays\n")
        let rgb = Project.fixture("coreml/rgb.mlmodel")
        #expect(
            try message(["classify", rgb, Project.photograph("cat"), "--labels", Project.demoLabels])
                == "thaw: \(rgb): --labels is for graphs; this is a Core ML model, which already contains this information\n"
        )
    }

    @Test func `an unknown instruction set is refused, naming the variable`() throws {
        let words = ["classify", Project.fixture("coreml/rgb.mlmodel"), Project.photograph("cat")]
        let outcome = try Thaw.run(words, environment: ["THAW_ISA": "sse9"])
        #expect(outcome.status == 2)
        #expect(
            outcome.errors
                == "thaw: THAW_ISA: unknown instruction set sse9; expected one of baseline, avx2, avx2vnni, avx512, avx512vnni, amx, dotprod, i8mm\n"
        )
    }
}
