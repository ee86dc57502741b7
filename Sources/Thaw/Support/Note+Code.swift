// MARK: How a graph was read

extension Note.Code {
    /// The size of the input image was inferred from the graph.
    public static let sizeInferred = Self(rawValue: "sizeInferred")
    /// The image may have sizes other than the default.
    public static let flexibleSizes = Self(rawValue: "flexibleSizes")
    /// The image replaces a node of the graph that is not a placeholder.
    public static let inputReplaced = Self(rawValue: "inputReplaced")
    /// The model has several inputs.
    public static let severalInputs = Self(rawValue: "severalInputs")
    /// The output was detected in a graph that was made for training, or that of the labels among several.
    public static let outputDetected = Self(rawValue: "outputDetected")
    /// No input is an image: the model takes multi-arrays.
    public static let arrayInput = Self(rawValue: "arrayInput")
    /// The graph does not show whether the input is a channels-first image.
    public static let channelsUnknown = Self(rawValue: "channelsUnknown")
    /// A placeholder was set to its value at inference.
    public static let placeholderAssumed = Self(rawValue: "placeholderAssumed")
    /// Variables have moving averages, and which values are used.
    public static let variableAverages = Self(rawValue: "variableAverages")
    /// Dropout was removed.
    public static let dropoutRemoved = Self(rawValue: "dropoutRemoved")
    /// Batch normalization uses its moving averages, as requested, or no layer is in training mode.
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
    /// The preprocessing was inferred from the graph.
    public static let preprocessingInferred = Self(rawValue: "preprocessingInferred")
    /// The preprocessing was assumed from similar networks.
    public static let preprocessingAssumed = Self(rawValue: "preprocessingAssumed")
    /// The preprocessing is unknown: the input is raw pixels.
    public static let preprocessingUnknown = Self(rawValue: "preprocessingUnknown")
    /// The channel order was inferred from the graph.
    public static let colorInferred = Self(rawValue: "colorInferred")
    /// The network may have been trained with another channel order.
    public static let colorUncertain = Self(rawValue: "colorUncertain")
    /// An output is an image.
    public static let imageOutput = Self(rawValue: "imageOutput")
    /// An output has the shape of an image, but remains a multi-array.
    public static let arrayOutput = Self(rawValue: "arrayOutput")
    /// The range of an image output was assumed to be that of the input.
    public static let outputRangeAssumed = Self(rawValue: "outputRangeAssumed")
    /// An input or output has another name than in the graph, because Core ML would confuse it with another one.
    public static let featureRenamed = Self(rawValue: "featureRenamed")
}

// MARK: Files and values

extension Note.Code {
    /// A label appeared more than once and was made unique.
    public static let duplicateLabel = Self(rawValue: "duplicateLabel")
    /// The labels begin with numbers that could be indices in another order.
    public static let labelOrder = Self(rawValue: "labelOrder")
    /// The model file declares a version that is unknown or does not match its content.
    public static let formatVersion = Self(rawValue: "formatVersion")
    /// The int8 ranges in a model's metadata do not match the model.
    public static let quantizationIgnored = Self(rawValue: "quantizationIgnored")
    /// The photos may not be representative.
    public static let photosUnsuitable = Self(rawValue: "photosUnsuitable")
    /// More top labels change than quantization should change, however many layers are kept in floating point.
    public static let labelsChanged = Self(rawValue: "labelsChanged")
    /// The image could be read although its file is corrupt or truncated.
    public static let imageDamaged = Self(rawValue: "imageDamaged")
    /// The model's output contains NaN.
    public static let notANumber = Self(rawValue: "notANumber")
    /// Classes of the model have no photo in the ground truth.
    public static let classesWithoutPhotos = Self(rawValue: "classesWithoutPhotos")
    /// Photos outside the class folders are ignored.
    public static let photosIgnored = Self(rawValue: "photosIgnored")
    /// The first line of a table was skipped although it names an existing photo.
    public static let headerSkipped = Self(rawValue: "headerSkipped")
    /// The numbers in a table could be labels or indices.
    public static let numbersAmbiguous = Self(rawValue: "numbersAmbiguous")
    /// The class folders have WordNet IDs, whose order is that of the classes.
    public static let classesOrdered = Self(rawValue: "classesOrdered")
    /// An offset of class indices has no effect.
    public static let offsetUnused = Self(rawValue: "offsetUnused")
    /// Most predictions would be right if the class indices had another offset.
    public static let offsetLikely = Self(rawValue: "offsetLikely")

    /// The requested precision is not faster on this machine.
    public static let precisionUnused = Self(rawValue: "precisionUnused")
    /// The machine lacks the instructions for the precision and uses others.
    public static let precisionSlower = Self(rawValue: "precisionSlower")

    /// All codes, in the order of the documentation.
    public static let all: [Self] = [
        sizeInferred, flexibleSizes, inputReplaced, severalInputs, outputDetected, arrayInput, channelsUnknown,
        placeholderAssumed,
        variableAverages, dropoutRemoved, movingAverages, trainingMode, batchCombined,
        formula, preprocessingInferred, preprocessingAssumed, preprocessingUnknown, colorInferred, colorUncertain,
        imageOutput, arrayOutput, outputRangeAssumed, featureRenamed,
        duplicateLabel, labelOrder, formatVersion, quantizationIgnored, photosUnsuitable, labelsChanged, imageDamaged,
        notANumber, classesWithoutPhotos, photosIgnored, headerSkipped,
        numbersAmbiguous, classesOrdered, offsetUnused, offsetLikely, precisionUnused, precisionSlower,
    ]
}
