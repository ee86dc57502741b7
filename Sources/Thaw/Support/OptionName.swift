/// An option of a job such as a conversion, by its name in the library.
///
/// Later versions may add options.
public struct OptionName: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

// MARK: Reading graphs and labels

extension OptionName {
    public static let input = Self(rawValue: "input")
    public static let outputs = Self(rawValue: "outputs")
    public static let size = Self(rawValue: "size")
    public static let color = Self(rawValue: "color")
    public static let channels = Self(rawValue: "channels")
    public static let preprocessing = Self(rawValue: "preprocessing")
    public static let scale = Self(rawValue: "scale")
    public static let bias = Self(rawValue: "bias")
    public static let placeholderValues = Self(rawValue: "placeholderValues")
    public static let batchNorm = Self(rawValue: "batchNorm")
    public static let tag = Self(rawValue: "tag")
    public static let signature = Self(rawValue: "signature")
    public static let function = Self(rawValue: "function")
    public static let hasIntegerLabels = Self(rawValue: "hasIntegerLabels")
    /// The offset of the class indices in a table of photos.
    public static let offset = Self(rawValue: "offset")
}

// MARK: Writing models

extension OptionName {
    public static let imageOutput = Self(rawValue: "imageOutput")
    public static let outputColor = Self(rawValue: "outputColor")
    public static let outputScale = Self(rawValue: "outputScale")
    public static let outputBias = Self(rawValue: "outputBias")
    public static let target = Self(rawValue: "target")
    public static let weights = Self(rawValue: "weights")
    /// The largest share of top labels that quantizing may change.
    public static let mostChanged = Self(rawValue: "mostChanged")
    /// The least number of elements of tensors that are compressed.
    public static let minimumCount = Self(rawValue: "minimumCount")
    public static let includesDepthwise = Self(rawValue: "includesDepthwise")
    public static let computePrecision = Self(rawValue: "computePrecision")
    public static let inputType = Self(rawValue: "inputType")
    public static let outputType = Self(rawValue: "outputType")
    /// Whether existing files are kept; in Swift, `mayReplace` is its opposite.
    public static let keepsExisting = Self(rawValue: "keepsExisting")
}

// MARK: Reading images

extension OptionName {
    public static let maximumPixels = Self(rawValue: "maximumPixels")
    public static let longestSide = Self(rawValue: "longestSide")
    public static let tile = Self(rawValue: "tile")
}

extension OptionName {
    /// All options.
    package static let all: [Self] = [
        input, outputs, size, color, channels, preprocessing, scale, bias, placeholderValues, batchNorm, tag,
        signature, hasIntegerLabels, offset,
        imageOutput, outputColor, outputScale, outputBias, target, weights, mostChanged, minimumCount,
        includesDepthwise,
        computePrecision, inputType, outputType, keepsExisting,
        maximumPixels, longestSide, tile,
    ]
}
