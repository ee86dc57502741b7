import Thaw

/// Every option there is, once. Which commands take which is said in Commands.swift.
enum Options {
    // MARK: What goes in

    static let labels = Option("labels", "FILE", "the names of the classes, one a line, in the order of the output")
    static let input = Option("input", "NAME", "the node whose place the image takes, where the graph has several")
    static let output = Option(
        "output", "NAME", "the node to compute, where the graph has several; may be given more than once",
        isRepeatable: true)
    static let size = Option(
        "size", "[NAME=]WxH|WxH,...|A..BxC..D",
        "the image's width and height in pixels, where the graph leaves them open; several sizes with commas, or a range "
            + "of widths and one of heights, make a model that takes any of them, the first one unless asked (of a range "
            + "the one nearest to 224x224); NAME says it of one input of several, as it does for the options below",
        standard: Named<SizeChoice>?.none, isRepeatable: true
    ) { try Named($0) { try SizeChoice($0) } }
    static let color = Option(
        "color", "[NAME=]rgb|bgr|gray", "the order of the image's channels", standard: Named<ColorLayout>?.none,
        "rgb; gray where the graph takes one channel", isRepeatable: true, choices: ColorLayout.allCases.map(\.rawValue)
    ) { try Named($0) { try readChoice($0, of: ColorLayout.self) } }
    static let channels = Option(
        "channels", "first|last",
        "where the channels stand in the graph's own input: before the image's height and width, or behind them",
        standard: ChannelPlace?.none, "what the graph shows"
    ) { try readChoice($0, of: ChannelPlace.self) }
    static let preprocess = Option(
        "preprocess", "FAMILY",
        "how the network was fed while it was trained: auto finds it out; inception is x/127.5 - 1; caffe is x less "
            + "103.939, 116.779, 123.68 in the order bgr; torch is (x/255 - mean)/deviation of ImageNet; unit is x/255; "
            + "none is x",
        standard: PreprocessingChoice.auto, "auto", choices: PreprocessingChoice.allCases.map(\.rawValue)
    ) { try readChoice($0, of: PreprocessingChoice.self) }
    static let set = Option(
        "set", "NAME=VALUE",
        "what another placeholder of the graph is: true or false, a number, or several with commas between them; may be "
            + "given more than once",
        standard: Setting?.none, isRepeatable: true
    ) { try readSetting($0) }
    static let batchNorm = Option(
        "batch-norm", "graph|inference",
        "what to do with batch normalization that was exported in training mode: graph keeps it, inference uses the moving "
            + "averages that the file still has",
        standard: BatchNormMode.graph, "graph"
    ) { try readChoice($0, of: BatchNormMode.self) }
    static let tag = Option("tag", "TAGS", "which graph of a SavedModel is meant, by its tags: serve unless said")
    static let signature = Option(
        "signature", "NAME", "which use of a SavedModel is meant: serving_default, or its only one, unless said")
    static let scale = Option(
        "scale", "[NAME=]S|S,S,S", "y = scale x + bias for pixels x from 0 to 255: one scale, or one for each channel",
        standard: Named<[Double]>?.none, isRepeatable: true
    ) { try Named($0, read: readNumbers) }
    static let bias = Option(
        "bias", "[NAME=]B|B,B,B", "one bias, or one for each channel, in the order that --color says",
        standard: Named<[Double]>?.none, isRepeatable: true
    ) { try Named($0, read: readNumbers) }

    // MARK: What comes out

    static let imageOutput = Flag(
        "image-output", "give an image, not an array; by itself where a picture's range is known")
    static let noImageOutput = Flag("no-image-output", "give an array also where it is a picture of known range")
    static let outputScale = Option(
        "output-scale", "S|S,S,S", "pixel = scale y + bias for the network's numbers y, held between 0 and 255",
        standard: [Double]?.none, "what spreads their range over 0 to 255", read: readNumbers)
    static let outputBias = Option(
        "output-bias", "B|B,B,B", "one bias, or one for each channel", standard: [Double]?.none, read: readNumbers)
    static let outputColor = Option(
        "output-color", "rgb|bgr|gray", "the order of the channels that come out", standard: ColorLayout?.none,
        "that of the image that goes in"
    ) { try readChoice($0, of: ColorLayout.self) }

    static let result = Option(
        "out", letter: "o", "FILE",
        "the model to write: .mlmodel is a neural network, .mlpackage an ML Program (iOS 15 and later)",
        standard: String?.none, "NAME.mlmodel in this folder; NAME.mlpackage with --target iOS15 and later"
    ) { try readModelPath($0) }
    static let target = Option(
        "target", "iOS11|...|iOS18|iOS26",
        "the oldest system that must load the model; macOS10.13 to macOS26, watchOS4 to watchOS26 and tvOS11 to tvOS26 do, "
            + "too",
        standard: CoreMLVersion?.none, "whatever the model needs",
        choices: CoreMLVersion.allCases.flatMap(\.targets)
    ) { try readTarget($0) }
    static let noClobber = Flag("no-clobber", "do not replace a file that is there already")
    static let weights = Option(
        "weights", "float32|float16|int8|palette8|palette6|palette4",
        "how weights are stored; in float16 an ML Program also computes; int8 is 8 bits on a line for each output "
            + "channel; a palette is a list of 256, 64 or 16 numbers",
        standard: WeightType?.none, "float32 in .mlmodel, float16 in .mlpackage"
    ) { try readChoice($0, of: WeightType.self) }
    static let computePrecision = Option(
        "compute-precision", "float16|float32",
        "what an ML Program computes in, however its weights are stored", standard: ComputePrecision?.none,
        "float16; float32 with --weights float32"
    ) { try readChoice($0, of: ComputePrecision.self) }
    static let inputType = Option(
        "input-type", "float16|float32",
        "what an ML Program takes: float16 is for arrays and gray images, from iOS 16 on",
        standard: ComputePrecision.float32,
        "float32"
    ) { try readChoice($0, of: ComputePrecision.self) }
    static let outputType = Option(
        "output-type", "float16|float32",
        "what an ML Program gives: float16 is for arrays and gray images, from iOS 16 on",
        standard: ComputePrecision.float32, "float32"
    ) { try readChoice($0, of: ComputePrecision.self) }
    static let compressed = Option(
        "out", letter: "o", "FILE",
        "the model to write: .mlmodel is a neural network, .mlpackage an ML Program; it may be the one that is read",
        standard: String?.none
    ) { try readModelPath($0) }
    static let shorterWeights = Option(
        "weights", "int8|palette8|palette6|palette4|float16",
        "how weights are stored: int8 is 8 bits on a line for each output channel; a palette is a list of 256, 64 or 16 "
            + "numbers; in float16 an ML Program also computes",
        standard: WeightType?.none
    ) { try readShorterType($0) }
    static let minElements = Option(
        "min-elements", "N", "compress arrays of at least so many weights", standard: 2048, "2048", read: readCount)
    static let depthwise = Flag("depthwise", "compress the filters of depthwise convolutions, too")
    static let classLabel = Option(
        "class-label", "NAME", "what the model calls its best label", standard: "classLabel", "classLabel"
    ) { $0 }
    static let probabilities = Option(
        "probabilities", "NAME", "what it calls the output with the probability of every label")
    static let integerLabels = Flag(
        "integer-labels", "the labels are whole numbers, and the model gives them as such")
    static let rename = Option(
        "rename", "OLD=NEW", "call an input or output otherwise; may be given more than once",
        standard: Pair?.none, isRepeatable: true
    ) { try readPair($0, "the old name and the new one, as in input=image,") }
    static let describe = Option(
        "describe", "NAME=TEXT", "what an input or output is; may be given more than once",
        standard: Pair?.none, isRepeatable: true
    ) { try readPair($0, "the name of an input or output and what it is, as in image=A leaf,") }
    static let metadata = Option(
        "metadata", "KEY=VALUE", "what else the model says of itself; may be given more than once",
        standard: Pair?.none, isRepeatable: true
    ) { try readMetadata($0) }
    static let author = Option("author", "TEXT", "who made the model")
    static let license = Option("license", "TEXT", "under which licence it may be used")
    static let description = Option("description", "TEXT", "what it does")
    static let modelVersion = Option("version", "TEXT", "its version")

    // MARK: Proof

    static let verify = Option(
        "verify", "IMAGE",
        "an image or a folder to compare the written model with the graph on; may be given more than once",
        isRepeatable: true)
    static let tolerance = Option(
        "tolerance", "T", "how far numbers may lie apart, as a share of the larger of 1 and their range",
        standard: Double?.none, "1e-4; 2e-2 where weights are stored in 16 bits or less", read: readTolerance)

    // MARK: Running

    static let top = Option("top", "N", "how many labels to print for an image", standard: 5, "5", read: readCount)
    static let threads = Option(
        "threads", "N", "how many threads to use", standard: Int?.none, "the number of cores"
    ) { try readSmallCount($0) }
    static let threadCounts = Option(
        "threads", "N,N,...", "how many threads to use; a model is measured with each of several",
        standard: [Int]?.none, "the number of cores"
    ) { try readSmallCounts($0) }
    static let crop = Option(
        "crop", "HOW",
        "fill stretches the image, center:F takes the middle with a side of F times the shorter one, "
            + "fit keeps all of it on a ground",
        standard: CropChoice.fill, "fill", choices: ["fill", "center", "fit"]
    ) { try CropChoice($0) }
    static let background = Option(
        "background", "'#RRGGBB'",
        "the colour of that ground, and of what lies under transparent pixels, whose alpha is ignored otherwise",
        standard: Color?.none, "black ground, alpha ignored"
    ) { try Color($0) }
    static let maxPixels = Option(
        "max-pixels", "N", "refuse images of more pixels than this, before they take memory",
        standard: DecodingOptions.standardMaximum, "\(DecodingOptions.standardMaximum)", read: readCount)
    static let strict = Flag("strict", "refuse an image that ends early or fails its checksums, instead of a warning")
    static let resize = Option(
        "resize", "HOW",
        "how images come to the network's size: pillow is its antialiased BILINEAR; bicubic is Pillow's; tensorflow is "
            + "resize_bilinear without antialiasing, also as tensorflow:align-corners and tensorflow:half-pixel; area is "
            + "resize_area",
        standard: ResizeMethod.pillow, "pillow", choices: ResizeMethod.allCases.map(\.rawValue)
    ) { try readChoice($0, of: ResizeMethod.self) }
    static let fast = Flag(
        "fast", "decode JPEGs that are at least twice as large as needed at reduced scale, which is a little less exact"
    )
    static let resume = Option(
        "resume", "OUT.jsonl",
        "append results to this file as JSON lines, and pass over images that it has results of")
    static let report = Option("report", "FILE.html", "write a page with the photographs and what was said of them")
    static let offset = Option(
        "offset", "N", "add this to the class indices in a table: 1 where the network counts a background class first",
        standard: 0, "0", read: readOffset)
    static let baseline = Option("baseline", "MODEL", "compare with this model on the same photographs")
    static let precision = Option(
        "precision", "TYPE", "the arithmetic of the run: float32", standard: "float32", "float32", choices: ["float32"],
        read: readPrecision)
    static let resultFormat = Option(
        "format", "text|json|csv", "how results are printed", standard: ResultFormat.text, "text"
    ) { try readChoice($0, of: ResultFormat.self) }
    static let reportFormat = Option(
        "format", "text|json", "how the report is printed", standard: ReportFormat.text, "text"
    ) { try readChoice($0, of: ReportFormat.self) }
    static let benchmarkFormat = Option(
        "format", "text|json|csv|markdown", "how results are printed", standard: BenchmarkFormat.text, "text"
    ) { try readChoice($0, of: BenchmarkFormat.self) }
    static let results = Option(
        "out", letter: "o", "FILE", "write the results to this file instead of standard output")
    static let quiet = Flag("quiet", "print no notes, warnings or progress, only results and errors")
    static let arrays = Option(
        "out", letter: "o", "PATH", "a .npy file for the one output, or a folder for NAME.npy of each")
    static let pictures = Option(
        "out", letter: "o", "PATH", "a .png or .jpg file for one picture, or a folder, which takes each under its name")
    static let quality = Option(
        "quality", "N", "of a JPEG, from 1 to 100; colours are not subsampled from 90 on", standard: 90, "90"
    ) { try readQuality($0) }
    static let maxSide = Option(
        "max-side", "N", "make a larger picture smaller until no side is longer, where the network takes any size",
        standard: Int?.none
    ) { try readSide($0) }
    static let tile = Option(
        "tile", "N",
        "work on a larger picture in overlapping tiles of N x N pixels, without seams, where the network looks only at "
            + "what is near",
        standard: Int?.none
    ) { try readSide($0) }
    static let reference = Flag("reference", "compute with the plain reference of each operation, slowly")
    static let graph = Option(
        "graph", "FILE.svg|FILE.dot",
        "draw the network: .svg is a picture, for which Graphviz must be installed, .dot the text that Graphviz reads",
        standard: DrawingFile?.none
    ) { try DrawingFile($0) }
    static let profile = FileFlag(
        "profile", suffix: ".svg", "time each step too; FILE.svg gets a chart of it")
    static let batch = Option("batch", "N", "how many images to run at once", standard: 1, "1", read: readSmallCount)
    static let seconds = Option(
        "seconds", "S", "for how long to measure", standard: 3.0, "3", read: readSeconds)
}

/// `auto`, or a family that is named.
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

    /// The family, or nil where it is to be found out.
    var family: Preprocessing? {
        if case .family(let family) = self { family } else { nil }
    }
}

/// Where the channels stand among an image's axes.
enum ChannelPlace: String, CaseIterable, Sendable {
    case first, last

    var order: Graph.ChannelOrder { self == .first ? .first : .last }
}

enum ResultFormat: String, CaseIterable, Sendable { case text, json, csv }

enum BenchmarkFormat: String, CaseIterable, Sendable { case text, json, csv, markdown }

enum ReportFormat: String, CaseIterable, Sendable { case text, json }
