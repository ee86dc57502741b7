import Thaw

/// All options. Commands.swift lists the options of each command.
enum Options {
    // MARK: Graphs and their input

    /// Options that name input files.
    static let inputFiles = [labels, baseline, coco]

    static let labels = Option(
        "labels", "FILE", "a text file of class labels, one per line, in the order of the output")
    static let input = Option("input", "NAME", "the node that the image replaces, if the graph has several inputs")
    static let output = Option(
        "output", "NAME", "the node to compute, if the graph has several outputs; may be repeated",
        default: String?.none, isRepeatable: true
    ) { try readNodeName($0) }
    static let size = Option(
        "size", "[NAME=]WxH|WxH,...|A..BxC..D",
        "the image's width and height in pixels, if the graph leaves them open; a list of sizes, or a range of widths "
            + "and a range of heights, makes a model with flexible input, whose default is the first size (of a "
            + "range, the one nearest to 224x224); NAME selects one of several inputs, as in the options below",
        default: Named<SizeChoice>?.none, isRepeatable: true
    ) { try Named($0) { try SizeChoice($0) } }
    static let color = Option(
        "color", "[NAME=]rgb|bgr|gray", "the order of the image's channels", default: Named<ColorLayout>?.none,
        "rgb; gray if the graph takes one channel", isRepeatable: true, choices: ColorLayout.allCases.map(\.rawValue)
    ) { try Named($0) { try readChoice($0, of: ColorLayout.self) } }
    static let channels = Option(
        "channels", "first|last",
        "the layout of the graph's own input: channels before height and width (NCHW), or after them (NHWC)",
        default: ChannelPosition?.none, "inferred from the graph"
    ) { try readChoice($0, of: ChannelPosition.self) }
    static let preprocess = Option(
        "preprocess", "FAMILY",
        "the preprocessing that the network was trained with: auto infers it; inception is x/127.5 - 1; caffe is x - "
            + "(103.939, 116.779, 123.68) in bgr order; torch is (x/255 - mean)/deviation of ImageNet; unit is x/255; "
            + "none is x",
        default: PreprocessingChoice.auto, "auto", choices: PreprocessingChoice.allCases.map(\.rawValue)
    ) { try readChoice($0, of: PreprocessingChoice.self) }
    static let set = Option(
        "set", "NAME=VALUE",
        "the value of another placeholder of the graph: true, false, a number, or several numbers separated by "
            + "commas; may be repeated",
        default: PlaceholderValue?.none, isRepeatable: true
    ) { try readPlaceholderValue($0) }
    static let batchNorm = Option(
        "batch-norm", "graph|inference",
        "how to convert batch normalization that was exported in training mode: graph keeps it, inference uses the "
            + "moving averages stored in the file",
        default: BatchNormMode.graph, "graph"
    ) { try readChoice($0, of: BatchNormMode.self) }
    static let movingAverages = Flag(
        "moving-averages",
        "use the moving averages of variables (tf.train.ExponentialMovingAverage) that training stored in a checkpoint")
    static let tag = Option("tag", "TAGS", "the tags of the graph to read from a SavedModel (default: serve)")
    static let signature = Option(
        "signature", "NAME", "the signature to read from a SavedModel (default: serving_default, or the only one)")
    static let function = Option(
        "function", "NAME", "the function of a Core ML model that has several (default: the model's default)")
    static let scale = Option(
        "scale", "[NAME=]S|S,S,S", "y = scale x + bias for pixels x from 0 to 255: one scale, or one per channel",
        default: Named<[Double]>?.none, isRepeatable: true
    ) { try Named($0, read: readNumbers) }
    static let bias = Option(
        "bias", "[NAME=]B|B,B,B", "one bias, or one per channel, in the order of --color",
        default: Named<[Double]>?.none, isRepeatable: true
    ) { try Named($0, read: readNumbers) }

    // MARK: The converted model

    static let imageOutput = Flag(
        "image-output", "output an image instead of a multi-array; automatic if the value range is known")
    static let noImageOutput = Flag(
        "no-image-output", "output a multi-array even if the value range is that of an image")
    static let outputScale = Option(
        "output-scale", "S|S,S,S", "pixel = scale y + bias for the network's values y, clamped to 0 to 255",
        default: [Double]?.none, "maps their range to 0 to 255", read: readNumbers)
    static let outputBias = Option(
        "output-bias", "B|B,B,B", "one bias, or one per channel", default: [Double]?.none, read: readNumbers)
    static let outputColor = Option(
        "output-color", "rgb|bgr|gray", "the order of the output image's channels", default: ColorLayout?.none,
        "that of the input image"
    ) { try readChoice($0, of: ColorLayout.self) }

    static let convertedModel = Option(
        "out", letter: "o", "FILE",
        "the model to write: .mlmodel is a neural network, .mlpackage an ML Program (iOS 15 and later)",
        default: String?.none, "NAME.mlmodel in the current folder; NAME.mlpackage with --target iOS15 or later"
    ) { try readModelPath($0) }
    static let target = Option(
        "target", "iOS11|...|iOS18|iOS26",
        "the oldest system that must load the model; macOS10.13 to macOS26, watchOS4 to watchOS26 and tvOS11 to tvOS26 "
            + "are accepted too",
        default: CoreMLVersion?.none, "the oldest that allows the fewest layers",
        choices: CoreMLVersion.allCases.flatMap(\.targets)
    ) { try readTarget($0) }
    static let noClobber = Flag("no-clobber", "do not replace an existing file")
    static let weights = Option(
        "weights", "float32|float16|int8|palette8|palette6|palette4",
        "how weights are stored; float16 also makes an ML Program compute in float16; int8 is affine quantization per "
            + "output channel; a palette is a lookup table of 256, 64 or 16 values",
        default: WeightType?.none, "float32 in .mlmodel, float16 in .mlpackage"
    ) { try readChoice($0, of: WeightType.self) }
    static let computePrecision = Option(
        "compute-precision", "float16|float32",
        "the precision that an ML Program computes in, however its weights are stored",
        default: ComputePrecision?.none,
        "float16; float32 with --weights float32"
    ) { try readChoice($0, of: ComputePrecision.self) }
    static let inputType = Option(
        "input-type", "float16|float32",
        "the type of an ML Program's inputs: float16 is for multi-arrays and gray images, iOS 16 and later",
        default: ComputePrecision.float32,
        "float32"
    ) { try readChoice($0, of: ComputePrecision.self) }
    static let outputType = Option(
        "output-type", "float16|float32",
        "the type of an ML Program's outputs: float16 is for multi-arrays and gray images, iOS 16 and later",
        default: ComputePrecision.float32, "float32"
    ) { try readChoice($0, of: ComputePrecision.self) }
    static let compressed = Option(
        "out", letter: "o", "FILE",
        "the model to write: .mlmodel is a neural network, .mlpackage an ML Program; it may be the input file",
        default: String?.none
    ) { try readModelPath($0) }
    static let shorterWeights = Option(
        "weights", "int8|palette8|palette6|palette4|float16",
        "how weights are stored: int8 is affine quantization per output channel; a palette is a lookup table of 256, "
            + "64 or 16 values; float16 also makes an ML Program compute in float16",
        default: WeightType?.none
    ) { try readShorterType($0) }
    static let quantizedTarget = Option(
        "target", target.placeholder!, target.help, default: CoreMLVersion?.none,
        "iOS17 for .mlpackage; the oldest that allows the fewest layers for .mlmodel", choices: target.choices
    ) { try readTarget($0) }
    static let quantizedPrecision = Option(
        "compute-precision", computePrecision.placeholder!, computePrecision.help, default: ComputePrecision?.none,
        "float16"
    ) { try readChoice($0, of: ComputePrecision.self) }
    static let quantized = Option(
        "out", letter: "o", "FILE",
        "the model to write: .mlpackage is an ML Program, .mlmodel a neural network",
        default: String?.none
    ) { try readModelPath($0) }
    static let keepAccuracy = Option(
        "keep-accuracy", "P",
        "keep the most sensitive layers in floating point, until at most P% of the photos get a different top label",
        default: Double?.none, read: readPercentage)
    static let statistic = Option(
        "ranges", "extremes|percentile|entropy|error",
        "how ranges are chosen: extremes are all values, percentile leaves out 0.01% at each end, entropy minimizes the "
            + "divergence of the distribution, error the mean squared error",
        default: RangeStatistic.error, "error"
    ) { try readChoice($0, of: RangeStatistic.self) }
    static let minElements = Option(
        "min-elements", "N", "compress only weight tensors of at least this many elements", default: 2048, "2048",
        read: readCount)
    static let depthwise = Flag("depthwise", "compress the filters of depthwise convolutions too")
    static let classLabel = Option(
        "class-label", "NAME", "the name of the output with the top label", default: "classLabel", "classLabel"
    ) { $0 }
    static let probabilities = Option(
        "probabilities", "NAME", "the name of the output with the probability of each label")
    static let integerLabels = Flag(
        "integer-labels", "treat the labels as integers; the model outputs an integer label")
    static let rename = Option(
        "rename", "OLD=NEW", "rename an input or output; may be repeated",
        default: Pair?.none, isRepeatable: true
    ) { try readPair($0, "the old and the new name, as in input=image") }
    static let describe = Option(
        "describe", "NAME=TEXT", "the description of an input or output; may be repeated",
        default: Pair?.none, isRepeatable: true
    ) { try readPair($0, "the name of an input or output and its description, as in image=A leaf") }
    static let metadata = Option(
        "metadata", "KEY=VALUE", "additional metadata of the model; may be repeated",
        default: Pair?.none, isRepeatable: true
    ) { try readMetadata($0) }
    static let author = Option("author", "TEXT", "the model's author")
    static let license = Option("license", "TEXT", "the model's license")
    static let description = Option("description", "TEXT", "a short description of the model")
    static let modelVersion = Option("version", "TEXT", "the model's version")

    // MARK: Verification

    static let verify = Option(
        "verify", "IMAGE",
        "an image, or a folder of images, on which to compare the written model with its source; may be repeated",
        isRepeatable: true)
    static let tolerance = Option(
        "tolerance", "T",
        "the largest difference allowed between values, relative to their range or to 1, whichever is larger",
        default: Double?.none,
        "1e-4; 2e-2 if weights are stored in 16 bits or less; with --weights int8 or a palette, nine in ten top labels must be "
            + "the same instead",
        read: readTolerance)

    static let comparisonTolerance = Option(
        "tolerance", "T", tolerance.help, default: Double?.none,
        "1e-4; 2e-2 if weights are stored in 16 bits or less, or with a lower --precision", read: readTolerance)

    // MARK: Running

    static let top = Option("top", "N", "the number of labels to print per image", default: 5, "5", read: readCount)
    static let threads = Option(
        "threads", "N", "the number of threads to use", default: Int?.none, "the number of cores"
    ) { try readSmallCount($0) }
    static let threadCounts = Option(
        "threads", "N,N,...", "the number of threads to use; with several numbers, models are measured with each",
        default: [Int]?.none, "the number of cores"
    ) { try readSmallCounts($0) }
    static let crop = Option(
        "crop", "HOW",
        "fill stretches the image; center crops the central square, center:F one whose side is F times the shorter "
            + "side; fit letterboxes the image onto a background",
        default: "fill", "fill", choices: ["fill", "center", "fit"]
    ) { text in
        _ = try Crop(parsing: text)
        return text
    }
    static let background = Option(
        "background", "'#RRGGBB'",
        "the color of the letterbox, and behind transparent pixels",
        default: RGBColor?.none, "a black letterbox; alpha is ignored"
    ) { try RGBColor(parsing: $0) }
    static let maxPixels = Option(
        "max-pixels", "N", "refuse images of more pixels than this, before allocating memory",
        default: DecodingOptions.defaultMaximumPixels, "\(DecodingOptions.defaultMaximumPixels)", read: readCount)
    static let strict = Flag("strict", "refuse truncated images and images with wrong checksums instead of warning")
    static let resize = Option(
        "resize", "HOW",
        "how images are resized to the network's size: pillow is Pillow's antialiased BILINEAR; bicubic is Pillow's "
            + "BICUBIC; tensorflow is resize_bilinear without antialiasing; its variants are "
            + "tensorflow:align-corners and tensorflow:half-pixel; area is resize_area",
        default: ResizeMethod.pillow, "pillow", choices: ResizeMethod.allCases.map(\.rawValue)
    ) { try readChoice($0, of: ResizeMethod.self) }
    static let fast = Flag(
        "fast", "decode JPEGs at reduced scale if they are at least twice as large as needed; slightly less accurate"
    )
    static let resume = Option(
        "resume", "OUT.jsonl",
        "append results to this file as JSON lines, and skip images that it already has results for")
    static let report = Option("report", "FILE.html", "write an HTML report with the photos and their results")
    static let offset = Option(
        "offset", "N", "add this to class indices: 1 if class 0 of the network is the background",
        default: 0, "0", read: readOffset)
    static let coco = Option(
        "coco", "FILE.json",
        "measure a detector on the photos in FOLDER; FILE.json has their annotations in COCO's format")
    static let confidence = Option(
        "confidence", "C", "drop boxes with a lower confidence", default: Double?.none, "the model's own"
    ) { try readConfidence($0) }
    static let iou = Option(
        "iou", "T", "drop boxes whose intersection over union with a more confident one is higher than T, from 0 to 1",
        default: Double?.none, "the model's own"
    ) { try readOverlap($0) }
    static let baseline = Option(
        "baseline", "MODEL", "compare with this model, computed in float32, on the same photos")
    static let precision = Option(
        "precision", "float32|bf16|int8|auto",
        "the precision to compute in: bf16 is used only if it is faster on this machine; int8 is for models with "
            + "ranges of activations, such as those from 'thaw quantize'; auto is int8 for models from 'thaw quantize', "
            + "and float32 for all others",
        default: Precision.float32, "float32"
    ) { try readChoice($0, of: Precision.self) }
    static let resultFormat = Option(
        "format", "text|json|csv", "the format of the results", default: ResultFormat.text, "text"
    ) { try readChoice($0, of: ResultFormat.self) }
    static let reportFormat = Option(
        "format", "text|json", "the format of the report", default: ReportFormat.text, "text"
    ) { try readChoice($0, of: ReportFormat.self) }
    static let benchmarkFormat = Option(
        "format", "text|json|csv|markdown", "the format of the results", default: BenchmarkFormat.text, "text"
    ) { try readChoice($0, of: BenchmarkFormat.self) }
    static let resultFile = Option(
        "out", letter: "o", "FILE", "write the results to this file instead of standard output")
    static let quiet = Flag("quiet", "print no notes, warnings or progress, only results and errors")
    static let arrays = Option(
        "out", letter: "o", "PATH",
        "a .npy file for a single output, or a folder that gets a NAME.npy for each output; required for a network. For a "
            + "pipeline, a .npy, .png or .jpg file, or a file of JSON lines; without it, JSON lines are printed")
    static let outputImages = Option(
        "out", letter: "o", "PATH",
        "a .png or .jpg file for one image, or a folder, in which results keep the names of the images")
    static let drawings = Option(
        "out", letter: "o", "PATH",
        "draw the boxes on copies of the images: a .png or .jpg file for one image, or a folder, in which they keep "
            + "their names")
    static let quality = Option(
        "quality", "N", "JPEG quality, from 1 to 100; chroma is not subsampled at 90 or above", default: 90, "90"
    ) { try readQuality($0) }
    static let maxSide = Option(
        "max-side", "N", "shrink larger images until no side is longer than this, if the network takes any size",
        default: Int?.none
    ) { try readSide($0) }
    static let tile = Option(
        "tile", "N",
        "process larger images in overlapping tiles of N x N pixels, without seams, if the network's receptive field "
            + "is limited",
        default: Int?.none
    ) { try readSide($0) }
    static let layout = Option(
        "layout", "graph|native",
        "the layout of arrays: the network's own, or that of the Core ML model's inputs and outputs",
        default: ArrayLayout.graph, "graph"
    ) { try readChoice($0, of: ArrayLayout.self) }
    static let reference = Flag("reference", "compute with the slow reference implementation of each operation")
    static let graph = Option(
        "graph", "FILE.svg|FILE.dot",
        "draw the network: .svg is an image, and needs Graphviz; .dot is the text that Graphviz reads",
        default: DrawingFile?.none
    ) { try DrawingFile($0) }
    static let profile = FileFlag(
        "profile", suffix: ".svg", "also time each step; FILE.svg is a chart of the times")
    static let batch = Option("batch", "N", "the number of images per run", default: 1, "1", read: readSmallCount)
    static let seconds = Option(
        "seconds", "S", "how long to measure, in seconds", default: 3.0, "3", read: readSeconds)
}

/// `auto`, or a named family.
enum PreprocessingChoice: RawRepresentable, CaseIterable, Sendable, Equatable {
    case auto
    case family(Preprocessing)

    static var allCases: [Self] { [.auto] + Preprocessing.allCases.map { .family($0) } }

    var rawValue: String {
        switch self {
        case .auto: "auto"
        case .family(let family): family.rawValue
        }
    }

    init?(rawValue: String) {
        guard let choice = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = choice
    }

    /// The family, or nil if it is to be inferred.
    var family: Preprocessing? {
        if case .family(let family) = self { family } else { nil }
    }
}

/// The order of the axes of an image: channels first or channels last.
enum ChannelPosition: String, CaseIterable, Sendable {
    case first, last

    var order: Graph.ChannelOrder { self == .first ? .channelsFirst : .channelsLast }
}

enum ResultFormat: String, CaseIterable, Sendable { case text, json, csv }

enum BenchmarkFormat: String, CaseIterable, Sendable { case text, json, csv, markdown }

enum ArrayLayout: String, CaseIterable, Sendable { case graph, native }

enum ReportFormat: String, CaseIterable, Sendable { case text, json }
