import Thaw

/// A command: its help, its arguments and options, and the function that runs it.
struct Command: Sendable {
    var name: String
    var summary: String
    /// The positional arguments, in order.
    var positionals: [Positional]
    /// The options in the usage line: those that are required or nearly always given.
    var mainOptions = ""
    var optionGroups: [(title: String, options: [any AnyOption])]
    /// Paragraphs at the end of the help.
    var notes: [String] = []
    var run: @Sendable (Arguments, Console) throws -> ExitStatus

    /// The groups of options as the help lists them, including the global ones.
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
    /// Their names, and functions that create them: only the command that runs creates its options, at each start.
    private static let makers: [(name: String, make: @Sendable () -> Command)] = [
        ("convert", { convert }), ("compress", { compress }), ("quantize", { quantize }), ("classify", { classify }),
        ("detect", { detect }), ("evaluate", { evaluate }), ("apply", { apply }), ("run", { run }),
        ("compare", { compare }), ("benchmark", { benchmark }), ("inspect", { inspect }), ("serve", { serve }),
    ]

    static let all = makers.map { $0.make() }

    static let names = makers.map(\.name)

    /// The command with this name.
    static func named(_ name: String) -> Command? { makers.first { $0.name == name }?.make() }

    /// How images are decoded and resized, and how the model runs, for `classify` and `evaluate`.
    private static let images: [any AnyOption] = [
        Options.crop, Options.resize, Options.fast, Options.background, Options.maxPixels, Options.strict,
        Options.threads, Options.precision,
    ]

    /// How output values become pixels.
    private static let imageOutputs: [any AnyOption] = [Options.outputScale, Options.outputBias, Options.outputColor]

    /// The options that a graph needs but a model does not.
    private static let graphOptions: (String, [any AnyOption]) = (
        "if the model is a graph", [Options.labels] + OptionGroups.graphInput
    )

    static let convert = Command(
        name: "convert", summary: "convert a TensorFlow graph to a Core ML model",
        positionals: [.one("SOURCE", "the graph"), .any(with: Options.verify)],
        mainOptions: "[--labels FILE] [-o OUT.mlmodel]",
        optionGroups: [
            ("graph and input", [Options.labels] + OptionGroups.graphInput),
            (
                "model",
                [
                    Options.convertedModel, Options.target, Options.noClobber, Options.weights,
                    Options.computePrecision, Options.inputType, Options.outputType, Options.minElements,
                    Options.depthwise, Options.classLabel, Options.probabilities, Options.integerLabels, Options.rename,
                ]
            ),
            (
                "metadata",
                [
                    Options.author, Options.license, Options.description, Options.modelVersion, Options.describe,
                    Options.metadata,
                ]
            ),
            (
                "image output", [Options.imageOutput, Options.noImageOutput] + imageOutputs
            ),
            ("verification", [Options.verify, Options.tolerance] + OptionGroups.images),
        ],
        notes: [
            "SOURCE is a frozen graph (.pb), the folder of a SavedModel, or a checkpoint: its folder, its .meta or "
                + ".index file, or the common prefix of their names.",
            "Without --labels the model outputs multi-arrays instead of labels.",
            "--verify reads the model back and compares it with the graph on images, as 'thaw compare' does; more "
                + "images may follow SOURCE. If the preprocessing was assumed, it also prints the network's "
                + "confidence with each candidate.",
        ],
        run: runConvert)

    static let compress = Command(
        name: "compress", summary: "quantize or palettize a Core ML model's weights",
        positionals: [.one("MODEL", "the model"), .any(with: Options.verify)],
        mainOptions: "-o OUT --weights TYPE",
        optionGroups: [
            (
                "model",
                [
                    Options.compressed, Options.shorterWeights, Options.minElements, Options.depthwise, Options.target,
                    Options.noClobber,
                ]
            ), ("verification", [Options.verify, Options.tolerance, Options.function] + OptionGroups.images),
        ],
        notes: [
            "MODEL is a .mlmodel or a .mlpackage. Only the weights change, unless OUT has the other format: a .mlpackage "
                + "made from a .mlmodel computes in float16.",
            "int8 has a scale and an offset per output channel. A palette is shared by all weights of a layer; in an "
                + "ML Program for iOS 18, groups of output channels may have their own. If the output channels of a "
                + "layer differ in scale, the layer is followed by a multiplication per channel.",
            "palette6 and palette4 store layers that feed a depthwise convolution as int8, and list them.",
            "--verify compares the compressed model with the original on images; more images may follow MODEL. It "
                + "reports the differences. The exit code is 1 if fewer than 90% of the top labels are kept, or if "
                + "differences exceed --tolerance, which always applies to float16.",
        ],
        run: runCompress)

    static let quantize = Command(
        name: "quantize", summary: "quantize a model's weights and activations to 8-bit integers",
        positionals: [.one("MODEL", "the model"), .many("IMAGE|FOLDER", "a photo or a folder of photos")],
        mainOptions: "-o OUT",
        optionGroups: [
            (
                "model",
                [
                    Options.quantized, Options.keepAccuracy, Options.statistic, Options.quantizedTarget,
                    Options.quantizedPrecision, Options.noClobber, Options.function,
                ]
            ),
            (
                "photos",
                [
                    Options.crop, Options.resize, Options.background, Options.maxPixels, Options.strict,
                    Options.threads,
                ]
            ), ("report", [Options.reportFormat]), graphOptions,
        ],
        notes: [
            "MODEL is a .mlmodel, a .mlpackage, or a TensorFlow graph, which is converted in memory. The photos should "
                + "resemble those that the model will see; 100 are enough, and they need no labels.",
            "The range of each layer's activations is measured on the photos; weights have a scale per output "
                + "channel. A .mlpackage for iOS 17 or later, the default, has operations that quantize and "
                + "dequantize. Other models have the ranges in their metadata, which only Thaw reads.",
            "Pass --precision int8 or auto to the other commands to compute with 8-bit integers; their default is "
                + "float32.",
        ],
        run: runQuantize)

    static let classify = Command(
        name: "classify", summary: "classify images",
        positionals: [.one("MODEL", "the model"), .many("IMAGE|FOLDER", "an image or a folder of images")],
        optionGroups: [
            (
                "options",
                [Options.top, Options.resultFormat, Options.function] + images
                    + [Options.resultFile, Options.resume, Options.report]
            ), graphOptions,
        ],
        notes: [
            "MODEL is a .mlmodel, a .mlpackage, or a TensorFlow graph, which is converted in memory. A Core ML model with "
                + "flexible input takes every image at its default size, and a graph with --size at the first size of "
                + "the list, or at the size of the range nearest to 224x224.",
            "Folders are searched recursively; files that are not images are skipped. A single - reads "
                + "standard input: an image, or a list of names, one per line.",
            "Each line that --resume writes identifies the model by its file name, a checksum, and the options that "
                + "affect results. A file of another model's results is refused.",
        ],
        run: withResultFile(runClassify))

    static let evaluate = Command(
        name: "evaluate", summary: "measure a model's accuracy",
        positionals: [
            .one("MODEL", "the model"), .one("FOLDER|TRUTH.tsv", "a folder or a table of photos"),
        ],
        optionGroups: [
            (
                "options",
                [
                    Options.offset, Options.baseline, Options.coco, Options.confidence, Options.iou,
                    Options.resultFormat, Options.function,
                ] + images + [Options.resultFile, Options.report]
            ), graphOptions,
        ],
        notes: [
            "FOLDER contains a folder of photos for each class. Their names are labels, class indices or, if every "
                + "class has a folder, ImageNet's WordNet IDs. TRUTH.tsv has a header line and columns separated by tabs: a "
                + "path, relative to the table, and a class index or a label.",
            "A multi-label model (it ends in a sigmoid) is also measured per label, at the threshold 0.5 and at the "
                + "one with the highest F1, in steps of 0.001; in its TRUTH.tsv a photo may appear on several lines, with a different "
                + "label on each.",
            "Intervals are 95% Wilson score intervals; models are compared by McNemar's exact test. Macro F1 is the "
                + "mean F1 of the classes (for a multi-label model, of the labels at 0.5); log loss is the mean of "
                + "-log(probability of the true class), with probabilities of at least 1e-15 (for a multi-label model, the "
                + "mean binary cross-entropy of the labels).",
            "With --coco, FOLDER contains the photos that FILE.json names, and the result is COCO's average precision "
                + "and recall, as pycocotools computes them. Categories are matched with labels by their names.",
        ],
        run: withResultFile(runEvaluate))

    static let detect = Command(
        name: "detect", summary: "find objects in images with a detector such as YOLO",
        positionals: [.one("MODEL", "the model"), .many("IMAGE|FOLDER", "an image or a folder of images")],
        mainOptions: "[-o OUT.png|OUT.jpg|FOLDER]",
        optionGroups: [
            (
                "options",
                [
                    Options.drawings, Options.confidence, Options.iou, Options.resultFormat, Options.noClobber,
                    Options.quality, Options.crop, Options.resize, Options.background, Options.maxPixels,
                    Options.strict, Options.threads, Options.precision,
                ]
            )
        ],
        notes: [
            "MODEL is a pipeline that ends in non-maximum suppression, such as the exports of Ultralytics (with "
                + "nms=True) and Create ML: a .mlmodel or a .mlpackage.",
            "A box is the x and y of its top left corner, its width and its height, in pixels of the upright "
                + "original.",
            "Folders are searched recursively; files that are not images are skipped. A single - reads standard "
                + "input: an image, or a list of names, one per line.",
        ],
        run: runDetect)

    static let apply = Command(
        name: "apply", summary: "run image-to-image models: style transfer, super-resolution",
        positionals: [.one("MODEL", "the model"), .many("IMAGE|FOLDER", "an image or a folder of images")],
        mainOptions: "-o OUT.png|OUT.jpg|FOLDER",
        optionGroups: [
            (
                "options",
                [
                    Options.outputImages, Options.noClobber, Options.quality, Options.resultFormat, Options.maxSide,
                    Options.tile, Options.function, Options.crop, Options.background, Options.maxPixels, Options.strict,
                    Options.threads,
                    Options.precision,
                ]
            ), ("if the model outputs an array", imageOutputs),
            ("if the model is a graph", OptionGroups.graphInput),
        ],
        notes: [
            "MODEL is a .mlmodel, a .mlpackage or a TensorFlow graph. A graph that leaves height and width open processes each image "
                + "at its own size, rounded to a multiple that the network can halve. So does a model with a range "
                + "of sizes, which scales images outside the range; one with a list uses the size with the closest "
                + "aspect ratio. Other models process images at the model's size, fitted according to --crop.",
            "An input image is never overwritten.",
        ],
        run: runApply)

    static let run = Command(
        name: "run", summary: "compute a model's outputs for arrays and other values",
        positionals: [.one("MODEL", "the model"), .any("[NAME=]INPUT.npy|VALUE")],
        mainOptions: "[-o OUTPUT.npy|FOLDER]",
        optionGroups: [
            (
                "options",
                [
                    Options.arrays, Options.layout, Options.function, Options.reference, Options.threads,
                    Options.precision,
                ]
            ),
            graphOptions,
        ],
        notes: [
            "Images have the axes batch, height, width, channel, or channels first if the graph does; channels are "
                + "in the model's color order. Arrays are the network's own input: the graph's arithmetic applies to "
                + "them, but no other image preprocessing.",
            "With --layout native, arrays are as in Core ML. An image is an image file of the model's size, or an "
                + "array of bytes from 0 to 255 with the axes height, width, channel (red, green, blue), or height, "
                + "width if it is grayscale; its preprocessing is applied. Other arrays have the axes in the model's "
                + "description: channel, height, width or batch, channel, height, width for most networks.",
            "If the model has several inputs, give each array with the name of its input. Inputs with a default may "
                + "be omitted. Arrays of flexible inputs may have any of their shapes.",
            "A pipeline, such as a scikit-learn or XGBoost model, takes values in JSON: a number, a string, an "
                + "array, or an object for a dictionary; null is a missing number. A value may also be an image or a "
                + ".npy file, whose first axis may be rows of data. Instead of all values, a .jsonl file can be "
                + "given, with an object of inputs on each line. For each row, the outputs are a JSON object on a "
                + "line of standard output, or of the file given with -o; a .npy file holds a single numeric output.",
        ],
        run: runRun)

    static let compare = Command(
        name: "compare", summary: "compare a model with its graph, or with another model, on images",
        positionals: [
            .one("A", "the first model"), .one("B", "the second model"),
            .many("IMAGE|FOLDER", "an image or a folder of images"),
        ],
        optionGroups: [
            (
                "options",
                [Options.comparisonTolerance, Options.reportFormat, Options.function, Options.resultFile]
                    + OptionGroups.images
            ), graphOptions,
        ],
        notes: [
            "A and B are models or TensorFlow graphs, or two pipelines or detectors that take an image. A runs on the "
                + "reference implementations of its operations, B on the engine; pipelines both run on the engine. A "
                + "graph uses the preprocessing of the other model, unless options say otherwise.",
            "The models agree if no two values differ by more than the tolerance times the range of A's values (or "
                + "times 1, if that is larger), and if the top labels are the same unless nearly tied. Otherwise the "
                + "exit code is 1.",
            "Models with int8 or palette weights often exceed the tolerance; 'thaw compress --verify' judges them by their "
                + "top labels.",
        ],
        run: withResultFile(runCompare))

    static let benchmark = Command(
        name: "benchmark", summary: "measure how fast models run",
        positionals: [.many("MODEL", "the model")],
        optionGroups: [
            (
                "options",
                [
                    Options.threadCounts, Options.batch, Options.seconds, Options.benchmarkFormat, Options.function,
                    Options.resultFile, Options.precision, Options.profile,
                ]
            ), graphOptions,
        ],
        notes: [
            "A pipeline or detector gets a random row of inputs in each run; images per second are then rows per "
                + "second.",
            "With several models or thread counts, the result is a table, or lines of JSON, with a row or line for "
                + "each combination.",
            "A tenth of --seconds is spent on warm-up runs before the measured runs. The images per second are those "
                + "of the measured time.",
            "GFLOP/s counts the operations of direct convolutions. Winograd's algorithm needs fewer, so the fraction of "
                + "peak may exceed 1.",
        ],
        run: withResultFile(runBenchmark))

    static let inspect = Command(
        name: "inspect", summary: "show what a model or graph contains",
        positionals: [.one("FILE", "the file")],
        optionGroups: [("options", [Options.graph, Options.function, Options.resultFile]), graphOptions],
        notes: [
            "FILE is a frozen graph, a SavedModel, a checkpoint, a .mlmodel or a .mlpackage.",
            "A drawing shows the network as it runs: a box for each operation with its activation, arrows labeled with "
                + "tensor shapes as height, width and channels, and details as tooltips.",
        ],
        run: withResultFile(runInspect))
}
