import Thaw

/// A command: its help, its arguments and options, and the function that runs it.
struct Command: Sendable {
    var name: String
    var summary: String
    /// What it takes besides options, in order.
    var positionals: [Positional]
    /// The options that the usage line names: those that are needed or nearly always given.
    var mainOptions = ""
    var optionGroups: [(title: String, options: [any AnyOption])]
    /// Paragraphs at the end of the help.
    var notes: [String] = []
    var run: @Sendable (Arguments, Console) throws -> ExitStatus

    /// The groups of options as the help lists them, with those that every command takes.
    var allOptionGroups: [(title: String, options: [any AnyOption])] {
        optionGroups + [("with every command", [Options.quiet])]
    }

    var options: [any AnyOption] { allOptionGroups.flatMap(\.options) }

    /// The usage line after the command's name, without `[options]`.
    var usage: String { (positionals.map(\.usage) + [mainOptions]).filter { !$0.isEmpty }.joined(separator: " ") }

    /// Parses the words after the command's name.
    /// - Throws: `Failure` if an option is wrong, or if there are too few or too many arguments.
    func arguments(_ words: some Collection<String>) throws -> Arguments {
        let arguments = try Arguments(words, options: options)
        var rest = arguments.positional[...]
        for positional in positionals { try positional.take(from: &rest, arguments) }
        if let word = rest.first { throw Failure.excessArgument(word) }
        return arguments
    }
}

/// The commands, in the order in which the help lists them.
enum Commands {
    static let all = [convert, compress, classify, evaluate, apply, run, compare, benchmark, inspect]

    static let whatGoesIn: [any AnyOption] = [
        Options.input, Options.output, Options.set, Options.batchNorm, Options.tag, Options.signature, Options.size,
        Options.color, Options.channels, Options.preprocess, Options.scale, Options.bias,
    ]

    /// What makes a difference to the answers for the same model and the same image.
    static let whatAnswersDependOn: [any AnyOption] =
        [Options.crop, Options.resize, Options.fast, Options.background] + whatGoesIn

    /// How images are read and come to a network's size, and on how many threads.
    static let whatImagesAre: [any AnyOption] = [
        Options.crop, Options.background, Options.maxPixels, Options.strict, Options.threads,
    ]

    /// The same for what is classified.
    private static let images: [any AnyOption] = [
        Options.crop, Options.resize, Options.fast, Options.background, Options.maxPixels, Options.strict,
        Options.threads, Options.precision,
    ]

    /// How numbers become pixels.
    private static let imageOutputs: [any AnyOption] = [Options.outputScale, Options.outputBias, Options.outputColor]

    /// What a graph needs where a model is expected.
    private static let graphOptions: (String, [any AnyOption]) = (
        "where the model is a graph", [Options.labels] + whatGoesIn
    )

    static let convert = Command(
        name: "convert", summary: "turn a TensorFlow graph into a Core ML model",
        positionals: [.one("SOURCE", "the graph"), .any(with: Options.verify)],
        mainOptions: "--labels FILE [-o OUT.mlmodel]",
        optionGroups: [
            ("what goes in", [Options.labels] + whatGoesIn),
            (
                "what comes out",
                [
                    Options.result, Options.target, Options.noClobber, Options.weights, Options.computePrecision,
                    Options.inputType, Options.outputType,
                    Options.minElements,
                    Options.depthwise, Options.classLabel, Options.probabilities, Options.integerLabels, Options.rename,
                ]
            ),
            (
                "what the model says of itself",
                [
                    Options.author, Options.license, Options.description, Options.modelVersion, Options.describe,
                    Options.metadata,
                ]
            ),
            (
                "where a picture comes out", [Options.imageOutput, Options.noImageOutput] + imageOutputs
            ),
            ("whether it came out right", [Options.verify, Options.tolerance] + whatImagesAre),
        ],
        notes: [
            "SOURCE is a frozen graph (.pb), the folder of a SavedModel, or a checkpoint: its folder, its .meta or .index "
                + "file, or what their names begin with.",
            "Without --labels the model gives arrays instead of labels.",
            "--verify reads the model back and compares it with the graph on images, as 'thaw compare' does; more images "
                + "may follow the graph. Where the preprocessing was assumed, it tells how sure the network is under each.",
        ],
        run: runConvert)

    static let compress = Command(
        name: "compress", summary: "store a Core ML model's weights in less",
        positionals: [.one("MODEL", "the model"), .any(with: Options.verify)],
        mainOptions: "-o OUT --weights TYPE",
        optionGroups: [
            (
                "what comes out",
                [
                    Options.compressed, Options.shorterWeights, Options.minElements, Options.depthwise, Options.target,
                    Options.noClobber,
                ]
            ), ("whether it is still right", [Options.verify, Options.tolerance] + whatImagesAre),
        ],
        notes: [
            "MODEL is a .mlmodel or a .mlpackage. All else of it stays as it is, unless it goes into the other dialect.",
            "Each output channel has a scale and an offset of its own in int8. A palette is one for all weights of a layer, "
                + "and in an ML Program for iOS 18 one for each output channel where that pays. If the output channels of a "
                + "layer differ in scale, the layer is followed by a multiplication of its channels.",
            "palette6 and palette4 leave layers at int8 that a depthwise convolution reads, and say which.",
            "--verify compares the model with the one before on images; more images may follow the model. It says how "
                + "far they lie apart. The exit code is 1 if fewer than 90 % of the first labels are kept, or if the "
                + "difference is larger than --tolerance, which float16 has in any case.",
        ],
        run: runCompress)

    static let classify = Command(
        name: "classify", summary: "say what images show",
        positionals: [.one("MODEL", "the model"), .many("IMAGE|FOLDER", "an image or a folder of images")],
        optionGroups: [
            (
                "options",
                [Options.top, Options.resultFormat] + images + [Options.results, Options.resume, Options.report]
            ), graphOptions,
        ],
        notes: [
            "MODEL is a .mlmodel, a .mlpackage, or a frozen graph, which is converted on the way. One of several sizes takes "
                + "every image in the first of a list, or in the size of a range that is nearest to 224x224.",
            "Folders are searched to the bottom; files in them that are no images are passed over. A single - stands for "
                + "standard input: an image, or a list of names, one a line.",
            "Each line that --resume writes names the model by its file's name and digits that stand for its content, with "
                + "the options that make a difference. A file of another model's results is refused.",
        ],
        run: withResultFile(runClassify))

    static let evaluate = Command(
        name: "evaluate", summary: "measure how often a model is right",
        positionals: [
            .one("MODEL", "the model"), .one("FOLDER|TRUTH.tsv", "a folder or a table of photographs"),
        ],
        optionGroups: [
            (
                "options",
                [Options.offset, Options.baseline, Options.report, Options.resultFormat] + images
            ), graphOptions,
        ],
        notes: [
            "FOLDER holds a folder of photographs for each class, named like its label. TRUTH.tsv has a header line and "
                + "columns divided by tabs: a path, relative to the table, and a class index or a label.",
            "A model whose labels do not exclude each other (it ends in a sigmoid) is also measured label by label, at 0.5 and "
                + "at the threshold of the highest F1; in its TRUTH.tsv a photograph may stand in several lines, with another "
                + "label in each.",
            "Intervals are Wilson's, of 95 % confidence; models are compared by McNemar's exact test. Macro F1 is the mean of "
                + "the classes' F1; log loss that of -log(probability of the true class), none of them less than 1e-15.",
        ],
        run: runEvaluate)

    static let apply = Command(
        name: "apply", summary: "make pictures of pictures: style transfer, super-resolution",
        positionals: [.one("MODEL", "the model"), .many("IMAGE|FOLDER", "a picture or a folder of pictures")],
        mainOptions: "-o OUT.png|OUT.jpg|FOLDER",
        optionGroups: [
            (
                "options",
                [
                    Options.pictures, Options.noClobber, Options.quality, Options.resultFormat, Options.maxSide,
                    Options.tile, Options.crop, Options.background, Options.maxPixels, Options.strict, Options.threads,
                    Options.precision,
                ]
            ), ("where the model gives an array", imageOutputs),
            ("where the model is a graph", whatGoesIn),
        ],
        notes: [
            "MODEL is a .mlmodel or a frozen graph. A graph that leaves height and width open takes each picture in its "
                + "own size, rounded to what the network halves; a model of a range of sizes in its own, made smaller or "
                + "larger as a whole where that lies outside; one of a list in the size of the nearest proportions. Other "
                + "models take pictures in their size, as --crop says.",
            "A picture never takes the place of one that goes in.",
        ],
        run: runApply)

    static let run = Command(
        name: "run", summary: "compute a model's outputs for NumPy arrays",
        positionals: [.one("MODEL", "the model"), .any("[NAME=]INPUT.npy")],
        mainOptions: "-o OUTPUT.npy|FOLDER",
        optionGroups: [
            ("options", [Options.arrays, Options.reference, Options.threads, Options.precision]), graphOptions,
        ],
        notes: [
            "Images stand as batch, height, width, channel, or with the channels before height and width where the graph "
                + "takes them so; the channels in the order of the model's colours. Arrays are the network's own input: "
                + "only arithmetic of the graph itself is done to them, no other scaling of images.",
            "Where the model has several inputs, each array is given with the name of its input.",
        ],
        run: runRun)

    static let compare = Command(
        name: "compare", summary: "hold a model to another, or to its graph, on images",
        positionals: [
            .one("A", "the first model"), .one("B", "the second model"),
            .many("IMAGE|FOLDER", "an image or a folder of images"),
        ],
        optionGroups: [
            ("options", [Options.tolerance, Options.reportFormat, Options.results] + whatImagesAre), graphOptions,
        ],
        notes: [
            "A and B are models or frozen graphs. A is computed by the plain reference of each operation, B by the engine. "
                + "A graph is fed as the model beside it declares its image, unless options say otherwise.",
            "The models agree where no two numbers lie further apart than the tolerance times the larger of 1 and the "
                + "range of A's, and the first labels are the same as far as that tells them apart. Exit code 1 where not.",
        ],
        run: withResultFile(runCompare))

    static let benchmark = Command(
        name: "benchmark", summary: "measure how fast models run",
        positionals: [.many("MODEL", "the model")],
        optionGroups: [
            (
                "options",
                [
                    Options.threadCounts, Options.batch, Options.seconds, Options.benchmarkFormat, Options.results,
                    Options.precision, Options.profile,
                ]
            ), graphOptions,
        ],
        notes: [
            "Several models or numbers of threads make a table with a row for each combination, or a line of JSON.",
            "A tenth of --seconds goes to runs that warm up, before the runs that are measured. Images a second are those "
                + "that were processed in the measured time.",
        ],
        run: withResultFile(runBenchmark))

    static let inspect = Command(
        name: "inspect", summary: "tell what a model or graph holds",
        positionals: [.one("FILE", "the file")],
        optionGroups: [("options", [Options.graph, Options.results]), graphOptions],
        notes: [
            "FILE is a frozen graph, a SavedModel, a checkpoint, a .mlmodel or a .mlpackage.",
            "A drawing shows the network as it is run: a box for each operation with its activation, the shapes of the "
                + "arrays at the arrows as height, width and channels, and more of a box where the pointer rests on it.",
        ],
        run: withResultFile(runInspect))
}
