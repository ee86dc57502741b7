// MARK: How a graph was read

extension Note.Code {
    /// The size of the input image follows from the graph.
    public static let sizeInferred = Self(rawValue: "sizeInferred")
    /// The image may have other sizes than the standard one.
    public static let flexibleSizes = Self(rawValue: "flexibleSizes")
    /// The image replaces a node of the graph that is not a placeholder.
    public static let inputReplaced = Self(rawValue: "inputReplaced")
    /// The model takes several inputs.
    public static let severalInputs = Self(rawValue: "severalInputs")
    /// No input is an image: the model takes multi-arrays.
    public static let arrayInput = Self(rawValue: "arrayInput")
    /// Nothing in the graph says whether the input is an image with its channels first.
    public static let channelsUnknown = Self(rawValue: "channelsUnknown")
    /// A placeholder has the value that it has at inference.
    public static let placeholderAssumed = Self(rawValue: "placeholderAssumed")
    /// Dropout is removed.
    public static let dropoutRemoved = Self(rawValue: "dropoutRemoved")
    /// What became of the request to use the moving averages of batch normalization.
    public static let movingAverages = Self(rawValue: "movingAverages")
    /// Batch normalization is in training mode.
    public static let trainingMode = Self(rawValue: "trainingMode")
    /// The graph combines the images of a batch; the model takes them one at a time.
    public static let batchCombined = Self(rawValue: "batchCombined")
}

// MARK: Preprocessing and image outputs

extension Note.Code {
    /// The formula of an image's preprocessing.
    public static let formula = Self(rawValue: "formula")
    /// The preprocessing follows from the graph.
    public static let preprocessingInferred = Self(rawValue: "preprocessingInferred")
    /// The preprocessing is that of similar networks.
    public static let preprocessingAssumed = Self(rawValue: "preprocessingAssumed")
    /// The preprocessing is unknown: the input is raw pixels.
    public static let preprocessingUnknown = Self(rawValue: "preprocessingUnknown")
    /// The order of the channels follows from the graph.
    public static let colorInferred = Self(rawValue: "colorInferred")
    /// The network may have been trained with another order of the channels.
    public static let colorUncertain = Self(rawValue: "colorUncertain")
    /// An output is an image.
    public static let imageOutput = Self(rawValue: "imageOutput")
    /// An output has the shape of an image, but remains a multi-array.
    public static let arrayOutput = Self(rawValue: "arrayOutput")
    /// The range of an image output is assumed to be that of the input.
    public static let outputRangeAssumed = Self(rawValue: "outputRangeAssumed")
}

// MARK: Files and values

extension Note.Code {
    /// A label appears more than once and is made unique.
    public static let duplicateLabel = Self(rawValue: "duplicateLabel")
    /// The model's file declares a version that is unknown or does not fit its content.
    public static let formatVersion = Self(rawValue: "formatVersion")
    /// The ranges for 8-bit integers in a model's metadata do not fit the model.
    public static let quantizationIgnored = Self(rawValue: "quantizationIgnored")
    /// The photos say little about the values that the network computes on others.
    public static let photosUnsuitable = Self(rawValue: "photosUnsuitable")
    /// The image could be read although its file is corrupt or truncated.
    public static let imageDamaged = Self(rawValue: "imageDamaged")
    /// The model's output contains NaN.
    public static let notANumber = Self(rawValue: "notANumber")
    /// Classes of the model have no photo in the ground truth.
    public static let classesWithoutPhotos = Self(rawValue: "classesWithoutPhotos")
    /// Photos outside the folders of classes are ignored.
    public static let photosIgnored = Self(rawValue: "photosIgnored")
    /// The first line of a table is skipped although it names a photo that exists.
    public static let headerSkipped = Self(rawValue: "headerSkipped")
    /// The numbers in a table could be labels or indices.
    public static let numbersAmbiguous = Self(rawValue: "numbersAmbiguous")
    /// An offset of class indices has no effect.
    public static let offsetUnused = Self(rawValue: "offsetUnused")

    /// The machine gains nothing from the precision that was asked for.
    public static let precisionUnused = Self(rawValue: "precisionUnused")
    /// The machine lacks the instructions for the precision, which is computed with others.
    public static let precisionSlower = Self(rawValue: "precisionSlower")

    /// All codes, in the order of the documentation.
    public static let all: [Self] = [
        sizeInferred, flexibleSizes, inputReplaced, severalInputs, arrayInput, channelsUnknown, placeholderAssumed,
        dropoutRemoved, movingAverages, trainingMode, batchCombined,
        formula, preprocessingInferred, preprocessingAssumed, preprocessingUnknown, colorInferred, colorUncertain,
        imageOutput, arrayOutput, outputRangeAssumed,
        duplicateLabel, formatVersion, quantizationIgnored, photosUnsuitable, imageDamaged, notANumber,
        classesWithoutPhotos, photosIgnored, headerSkipped,
        numbersAmbiguous, offsetUnused, precisionUnused, precisionSlower,
    ]
}
