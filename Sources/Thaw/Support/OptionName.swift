/// An option of a task such as a conversion, by its name in the library.
///
/// Later versions may add options.
public struct OptionName: RawRepresentable, Hashable, Sendable {
    /// The name of the property or parameter in Swift.
    public let rawValue: String

    /// The option with this name.
    public init(rawValue: String) { self.rawValue = rawValue }
}

// MARK: Reading graphs and labels

extension OptionName {
    /// The node that the image replaces.
    public static let input = Self(rawValue: "input")
    /// The nodes to compute.
    public static let outputs = Self(rawValue: "outputs")
    /// The width and height of the image.
    public static let size = Self(rawValue: "size")
    /// The order of the image's color channels.
    public static let color = Self(rawValue: "color")
    /// The position of the channel axis in the graph's input.
    public static let channels = Self(rawValue: "channels")
    /// The family of networks whose preprocessing is used.
    public static let preprocessing = Self(rawValue: "preprocessing")
    /// The factor, or the factors per channel, that pixels are multiplied by.
    public static let scale = Self(rawValue: "scale")
    /// The value, or the values per channel, that are added to scaled pixels.
    public static let bias = Self(rawValue: "bias")
    /// Values for placeholders.
    public static let placeholderValues = Self(rawValue: "placeholderValues")
    /// How batch normalization in training mode is converted.
    public static let batchNorm = Self(rawValue: "batchNorm")
    /// Whether moving averages of variables replace their values.
    public static let usesMovingAverages = Self(rawValue: "usesMovingAverages")
    /// The tags of a SavedModel's graph.
    public static let tag = Self(rawValue: "tag")
    /// The signature of a SavedModel.
    public static let signature = Self(rawValue: "signature")
    /// The function of an ML Program that has several.
    public static let function = Self(rawValue: "function")
    /// Whether labels are integers.
    public static let hasIntegerLabels = Self(rawValue: "hasIntegerLabels")
    /// The offset of the class indices in a table of photos, or of folders named by them.
    public static let offset = Self(rawValue: "offset")
}

// MARK: Writing models

extension OptionName {
    /// Whether the output is an image.
    public static let imageOutput = Self(rawValue: "imageOutput")
    /// The order of an image output's channels.
    public static let outputColor = Self(rawValue: "outputColor")
    /// The factor, or the factors per channel, that an image output is multiplied by.
    public static let outputScale = Self(rawValue: "outputScale")
    /// The value, or the values per channel, that are added to a scaled image output.
    public static let outputBias = Self(rawValue: "outputBias")
    /// The oldest system that must load the model.
    public static let target = Self(rawValue: "target")
    /// How weights are stored.
    public static let weights = Self(rawValue: "weights")
    /// The largest share of top labels that quantizing may change.
    public static let maximumChangedShare = Self(rawValue: "maximumChangedShare")
    /// The least number of elements of tensors that are compressed.
    public static let minimumCount = Self(rawValue: "minimumCount")
    /// Whether the weights of depthwise convolutions are compressed, too.
    public static let includesDepthwise = Self(rawValue: "includesDepthwise")
    /// The type that an ML Program computes in.
    public static let computePrecision = Self(rawValue: "computePrecision")
    /// The element type of an ML Program's array inputs.
    public static let inputType = Self(rawValue: "inputType")
    /// The element type of an ML Program's array outputs.
    public static let outputType = Self(rawValue: "outputType")
    /// Whether existing files may be replaced. The command and the C interface have the opposite option.
    public static let mayReplace = Self(rawValue: "mayReplace")
}

// MARK: Computing

extension OptionName {
    /// The number of threads.
    public static let threads = Self(rawValue: "threads")
}

// MARK: Reading images

extension OptionName {
    /// The number of pixels above which an image is refused.
    public static let maximumPixels = Self(rawValue: "maximumPixels")
    /// The length that the longer side of an image is reduced to.
    public static let longestSide = Self(rawValue: "longestSide")
    /// The side of the square tiles that an image is processed in.
    public static let tile = Self(rawValue: "tile")
}

extension OptionName {
    /// All options.
    package static let all: [Self] = [
        input, outputs, size, color, channels, preprocessing, scale, bias, placeholderValues, batchNorm,
        usesMovingAverages, tag, signature, function, hasIntegerLabels, offset,
        imageOutput, outputColor, outputScale, outputBias, target, weights, maximumChangedShare, minimumCount,
        includesDepthwise,
        computePrecision, inputType, outputType, mayReplace,
        threads, maximumPixels, longestSide, tile,
    ]
}
