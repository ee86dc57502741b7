import Testing
import Thaw

@testable import ThawCommand

@Suite struct ArgumentsTests {
    private func convert(_ words: String...) throws -> Arguments {
        try Arguments(words, options: Commands.convert.options)
    }

    private func message(_ command: Command, _ words: [String]) -> String? {
        let failure = #expect(throws: Failure.self) { try Arguments(words, options: command.options) }
        return failure?.description
    }

    @Test func `options may be anywhere, followed by a space or an equals sign and their values`() throws {
        let arguments = try convert(
            "--size", "224x192", "graph.pb", "--labels=a=b.txt", "-o", "out.mlmodel", "--no-clobber")
        #expect(arguments.positional == ["graph.pb"])
        #expect(arguments[Options.size]?.value.defaultSize == ImageSize(width: 224, height: 192))
        #expect(arguments[Options.labels] == "a=b.txt")
        #expect(arguments[Options.convertedModel] == "out.mlmodel")
        #expect(arguments[Options.noClobber])
        #expect(try convert("-oout.mlmodel")[Options.convertedModel] == "out.mlmodel")
        #expect(try convert("--out", "x.mlmodel")[Options.convertedModel] == "x.mlmodel")
    }

    @Test func `a value may begin with a minus sign`() throws {
        #expect(try convert("--bias", "-1,-1,-1")[Options.bias]?.value == [-1, -1, -1])
        #expect(try convert("--bias=-103.9,0,1e-3")[Options.bias]?.value == [-103.9, 0, 0.001])
        #expect(try convert("--scale", "-1")[Options.scale]?.value == [-1])
    }

    @Test func `there are no options after two dashes, and a single dash is not an option`() throws {
        #expect(try convert("-", "--", "--labels", "-x", "--").positional == ["-", "--labels", "-x", "--"])
    }

    @Test func `options that are not given have their defaults`() throws {
        let arguments = try Arguments([], options: Commands.classify.options)
        #expect(arguments[Options.top] == 5)
        #expect(arguments[Options.threads] == nil)
        #expect(arguments[Options.crop] == "fill")
        #expect(arguments[Options.preprocess] == .auto)
        #expect(arguments[Options.labels] == nil)
        #expect(!arguments.isGiven(Options.background))
    }

    @Test func `a repeatable option keeps all its values`() throws {
        #expect(try convert("--output", "a", "--output=b:1").all(Options.output) == ["a", "b:1"])
    }

    @Test func `options of the same name are not confused`() throws {
        let weights = ["--weights", "int8", "-o", "m.mlmodel"]
        let compress = try Arguments(weights, options: Commands.compress.options)
        #expect(compress[Options.shorterWeights] == .int8 && compress[Options.compressed] == "m.mlmodel")
        #expect(compress[Options.weights] == nil && compress[Options.convertedModel] == nil)
        #expect(!compress.isGiven(Options.weights) && compress.commandLine(of: [Options.weights]) == [])
        #expect(compress.commandLine(of: [Options.shorterWeights]) == ["--weights", "int8"])
        let run = try Arguments(["-o", "m.npy"], options: Commands.run.options)
        #expect(run[Options.arrays] == "m.npy" && run[Options.outputImages] == nil)
    }

    @Test(
        arguments: [
            (["--lables", "x"], "there is no option --lables; did you mean --labels?"),
            (["--colour=rgb"], "there is no option --colour; did you mean --color?"),
            (["-x"], "there is no option -x"),
            (["-labels", "x"], "there is no option -labels; did you mean --labels?"),
            (["-size=1x1"], "there is no option -size; did you mean --size?"),
            (["-a.jpg"], "there is no option -a.jpg; to name a file, write ./-a.jpg"),
            (["--frobnicate"], "there is no option --frobnicate"),
            (["--labels"], "--labels needs a value; write --labels FILE"),
            (["--labels", "--size", "1x1"], "--labels needs a value; write --labels FILE"),
            (["--no-clobber=yes"], "--no-clobber takes no value; remove 'yes'"),
            (["--author", "a", "--author", "b"], "--author is given twice"),
            (
                ["--weights", "float8"],
                "--weights: invalid value 'float8'; expected float32, float16, int8, palette8, palette6 or palette4"
            ),
            (
                ["--target", "iOS10"],
                "--target: invalid value 'iOS10'; expected a system such as iOS11 to iOS26, macOS10.13 to macOS26, watchOS4 to watchOS26 or tvOS11 to tvOS26"
            ),
            (
                ["--output", "x.mlmodel"],
                "--output: invalid value 'x.mlmodel'; expected the name of a node; to name the file to write, use -o"
            ),
            (["-o", "x.onnx"], "--out: invalid value 'x.onnx'; expected a name that ends in .mlmodel or .mlpackage"),
            (
                ["--size", "224"],
                "--size: invalid value '224'; expected a width and a height in pixels, as in 224x224, 224x224,320x320 or 128..1024x128..1024"
            ),
            (["--color", "cmyk"], "--color: invalid value 'cmyk'; expected rgb, bgr or gray"),
            (
                ["--preprocess", "vgg"],
                "--preprocess: invalid value 'vgg'; expected auto, inception, caffe, torch, unit or none"
            ),
            (
                ["--bias", "1,,2"],
                "--bias: invalid value '1,,2'; expected a number, or one per channel, separated by commas"
            ),
            // Models contain floats.
            (
                ["--scale", "1e39"],
                "--scale: invalid value '1e39'; expected a number, or one per channel, separated by commas"
            ),
        ])
    func `invalid values are refused with what is expected`(_ words: [String], _ expected: String) {
        #expect(message(Commands.convert, words) == expected)
    }

    @Test(
        arguments: [
            ("convert", [], "the graph is missing"), ("convert", ["a", "b"], "unexpected argument 'b'"),
            ("compress", [], "the model is missing"), ("compress", ["a", "b"], "unexpected argument 'b'"),
            ("classify", ["a"], "an image or a folder of images is missing"),
            ("detect", ["a"], "an image or a folder of images is missing"),
            ("evaluate", ["a"], "a folder or a table of photos is missing"),
            ("evaluate", ["a", "b", "c"], "unexpected argument 'c'"),
            ("apply", ["a"], "an image or a folder of images is missing"), ("run", [], "the model is missing"),
            ("compare", ["a"], "the second model is missing"),
            ("compare", ["a", "b"], "an image or a folder of images is missing"),
            ("benchmark", [], "the model is missing"), ("inspect", [], "the file is missing"),
            ("inspect", ["a", "b"], "unexpected argument 'b'"),
        ] as [(String, [String], String)]) func `too few and too many arguments are refused`(
            _ name: String, _ words: [String], _ expected: String
        ) throws
    {
        let command = try #require(Commands.all.first { $0.name == name })
        let failure = #expect(throws: Failure.self) { try command.arguments(words) }
        #expect(failure?.description == expected)
    }

    @Test func `images may follow the model only with --verify`() throws {
        let words = ["graph.pb", "a.jpg", "b.jpg"]
        #expect(throws: Failure.self) { try Commands.convert.arguments(words) }
        #expect(try Commands.convert.arguments(words + ["--verify", "c.jpg"]).positional == words)
        #expect(Commands.convert.usage == "SOURCE [--labels FILE] [-o OUT.mlmodel]")
        #expect(Commands.run.usage == "MODEL [NAME=]INPUT.npy|VALUE... [-o OUTPUT.npy|FOLDER]")
    }

    @Test func `options of other commands are refused too`() {
        #expect(
            message(Commands.classify, ["--precision=bfloat16"])
                == "--precision: invalid value 'bfloat16'; expected float32, bf16, int8 or auto")
        #expect(
            message(Commands.classify, ["--background"])
                == "--background needs a value; write --background '#RRGGBB'\nhint: put the color in quotes: '#RRGGBB'")
    }
}

@Suite struct ValuesTests {
    @Test(
        arguments: [
            ("fill", .fill), ("fit", .fit(on: .white)), ("center", .center(1)), ("center:1", .center(1)),
            ("center:0.875", .center(0.875)), ("center:.5", .center(0.5)),
        ] as [(String, Crop)])
    func `crops are read`(_ text: String, _ crop: Crop) throws {
        #expect(try Crop(parsing: text, background: .white) == crop)
    }

    @Test(
        arguments: [
            "", "fill:1", "fit:", "center:", "center:0", "center:1.1", "center:-1", "center:nan", "Center", "middle",
        ])
    func `invalid crops are refused`(_ text: String) {
        #expect(throws: Failure.self) { try Crop(parsing: text) }
    }

    @Test func `colors are read with and without a hash sign`() throws {
        let color = try RGBColor(parsing: "#10a0FF")
        #expect((color.red, color.green, color.blue) == (0x10, 0xA0, 0xFF))
        #expect(try RGBColor(parsing: "10a0ff") == color)
        for text in ["", "#", "#fff", "#10a0f", "#10a0ff0", "red", "+10a0f", "#10a0fg"] {
            #expect(throws: Failure.self, "\(text)") { try RGBColor(parsing: text) }
        }
    }

    @Test func `several sizes are a list or a range`() throws {
        func sizes(_ text: String) throws -> ImageSizes { try SizeChoice(text).sizes }
        #expect(
            try sizes("224x224,320x240")
                == .enumerated([ImageSize(width: 224, height: 224), ImageSize(width: 320, height: 240)]))
        #expect(try sizes("128..1024x64..512") == .range(width: 128...1024, height: 64...512))
        #expect(try sizes("224x64..512") == .range(width: 224...224, height: 64...512))
        #expect(try sizes("224..224x64..64") == .fixed)
        let many = (1...129).map { "\($0)x8" }.joined(separator: ",")
        for (text, problem) in [
            ("224x224,", "as in 224x224"), (",224x224", "as in 224x224"), ("128..x8", "as in 224x224"),
            ("..128x8", "as in 224x224"), ("1...3x8", "as in 224x224"), ("1..2..3x8", "as in 224x224"),
            ("0..3x8", "as in 224x224"), ("1..99999x8", "as in 224x224"), ("128..64x8", "as in 64..128"),
            ("8x8,1..2x8", "or one range"), ("8x8,9x9,8x8", "not 8x8 twice"), (many, "a list of at most 128"),
        ] {
            let failure = #expect(throws: Failure.self, "\(text)") { try SizeChoice(text) }
            #expect(failure?.description.contains(problem) == true, "\(text): \(failure?.description ?? "")")
        }
    }

    @Test func `sizes and counts are positive integers within limits`() throws {
        let size = try SizeChoice("320x240")
        #expect(size.defaultSize == ImageSize(width: 320, height: 240) && size.sizes == .fixed)
        for text in ["", "x", "1x", "x1", "0x1", "-1x1", "1x1x1", "1.5x2", "1 x1", "99999x1", "99999999999999999999x1"]
        {
            #expect(throws: Failure.self, "\(text)") { try SizeChoice(text) }
        }
        #expect(try readCount("12") == 12)
        for text in ["", "0", "-1", "+1", "1.0", "1e3", "99999999999999999999"] {
            #expect(throws: Failure.self, "\(text)") { try readCount(text) }
        }
        #expect(try readSeconds("0.5") == 0.5)
        for text in ["0", "-1", "inf", "nan", "soon"] {
            #expect(throws: Failure.self, "\(text)") { try readSeconds(text) }
        }
        for text in ["", "inf", "nan", "1;2", "1, 2"] {
            #expect(throws: Failure.self, "\(text)") { try readNumbers(text) }
        }
    }
}
