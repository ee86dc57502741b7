extension Failure {
    /// The kind of a failure, for programs. The raw value is stable: it is what JSON output contains.
    ///
    /// The type is open: a later version may add codes, so a `switch` needs a `default`. A code never changes its
    /// meaning.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code, which is stable.
        public let rawValue: String

        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension Failure.Code: CustomStringConvertible {
    public var description: String { rawValue }
}

// MARK: Files

extension Failure.Code {
    /// There is no file with this name.
    public static let noSuchFile = Self(rawValue: "noSuchFile")
    /// The file exists but cannot be read.
    public static let notReadable = Self(rawValue: "notReadable")
    /// The file cannot be written, or its folder does not exist.
    public static let notWritable = Self(rawValue: "notWritable")
    /// A file with this name exists and must not be replaced.
    public static let fileExists = Self(rawValue: "fileExists")
    /// The format of the file, or the extension of an output file, is unknown or unsupported.
    public static let unknownFormat = Self(rawValue: "unknownFormat")
    /// The file or folder is of a known kind, but another kind is expected.
    public static let wrongKind = Self(rawValue: "wrongKind")
    /// The file is corrupt, truncated or empty.
    public static let damaged = Self(rawValue: "damaged")
    /// The image is corrupt, truncated or empty.
    public static let imageDamaged = Self(rawValue: "imageDamaged")
    /// A file that belongs to a package, SavedModel or checkpoint is missing.
    public static let incomplete = Self(rawValue: "incomplete")
    /// A folder or list of images contains none.
    public static let noImages = Self(rawValue: "noImages")
    /// A table of images and classes, or a results file, has a line that cannot be parsed.
    public static let invalidTable = Self(rawValue: "invalidTable")
}

// MARK: Models

extension Failure.Code {
    /// Operations are unsupported, or are used in an unsupported way. `nodes` lists them.
    public static let unsupportedOperations = Self(rawValue: "unsupportedOperations")
    /// The model as a whole is of an unsupported kind, has an unsupported feature, or is not one for this task. `names`
    /// lists its inputs or states if they are the reason.
    public static let unsupportedModel = Self(rawValue: "unsupportedModel")
    /// The chosen model format or target system cannot express this.
    public static let unsupportedTarget = Self(rawValue: "unsupportedTarget")
    /// The graph or model is inconsistent, although its encoding is intact.
    public static let invalidModel = Self(rawValue: "invalidModel")
    /// Variables have no value: the graph is not frozen, or does not match the checkpoint. `nodes` lists them, and
    /// other nodes that cannot be converted.
    public static let missingVariables = Self(rawValue: "missingVariables")
    /// The weights cannot be compressed, or cannot be compressed further.
    public static let cannotCompress = Self(rawValue: "cannotCompress")
    /// No layer has enough weights to be compressed.
    public static let nothingToCompress = Self(rawValue: "nothingToCompress")
    /// The model cannot be quantized, or computes NaN or infinity on a photo; `nodes` then has the node that does.
    public static let cannotQuantize = Self(rawValue: "cannotQuantize")
    /// The model lacks the activation ranges that the precision requires.
    public static let noRanges = Self(rawValue: "noRanges")
    /// Two models cannot be compared, because their inputs, outputs or classes differ.
    public static let notComparable = Self(rawValue: "notComparable")
}

// MARK: Inputs and outputs

extension Failure.Code {
    /// The graph or model has several inputs, and it is unclear which one is meant. `names` lists them.
    public static let ambiguousInputs = Self(rawValue: "ambiguousInputs")
    /// The graph has several possible outputs. `names` lists them.
    public static let ambiguousOutputs = Self(rawValue: "ambiguousOutputs")
    /// Placeholders need a value that the graph does not contain. `names` lists them.
    public static let unsetPlaceholders = Self(rawValue: "unsetPlaceholders")
    /// No input was found, or the value of an input or state is missing; `names` then has its name.
    public static let noInput = Self(rawValue: "noInput")
    /// No computed output was found.
    public static let noOutput = Self(rawValue: "noOutput")
    /// The graph has no node, output of a node, or placeholder with this name. `names` has the name.
    public static let noSuchNode = Self(rawValue: "noSuchNode")
    /// The model has no input or output with this name. `names` lists those that it has.
    public static let noSuchFeature = Self(rawValue: "noSuchFeature")
    /// The SavedModel has no such signature or tag. `names` lists those that it has.
    public static let noSuchSignature = Self(rawValue: "noSuchSignature")
    /// The size of the input image is unknown and must be given. `names` lists those that fit, if they are known.
    public static let unknownSize = Self(rawValue: "unknownSize")
    /// The model does not take images of this size.
    public static let wrongSize = Self(rawValue: "wrongSize")
    /// A tensor has the wrong shape.
    public static let wrongShape = Self(rawValue: "wrongShape")
    /// A tensor has the wrong element type.
    public static let wrongType = Self(rawValue: "wrongType")
    /// The labels cannot be read, or do not match the classes of the model.
    public static let wrongLabels = Self(rawValue: "wrongLabels")
}

// MARK: Everything else

extension Failure.Code {
    /// An option, argument or setting is invalid, or conflicts with another.
    public static let invalidOption = Self(rawValue: "invalidOption")
    /// A size exceeds what the file format or the engine allows, or a loop does not end.
    public static let limitExceeded = Self(rawValue: "limitExceeded")
    /// The machine lacks an instruction set or program, or an environment variable is invalid.
    public static let environment = Self(rawValue: "environment")

    /// A call is invalid: a required argument is missing, or a structure has an unknown size.
    public static let invalidArgument = Self(rawValue: "invalidArgument")
    /// A handle is invalid, was freed, or has the wrong type.
    public static let invalidHandle = Self(rawValue: "invalidHandle")
    /// The work was canceled.
    public static let canceled = Self(rawValue: "canceled")
    /// The process was forked while the library was working in another thread.
    public static let forked = Self(rawValue: "forked")

    /// All codes, in the order of the documentation.
    public static let all: [Self] = [
        noSuchFile, notReadable, notWritable, fileExists, unknownFormat, wrongKind, damaged, imageDamaged, incomplete,
        noImages, invalidTable,
        unsupportedOperations, unsupportedModel, unsupportedTarget, invalidModel, missingVariables, cannotCompress,
        nothingToCompress, cannotQuantize, noRanges, notComparable,
        ambiguousInputs, ambiguousOutputs, unsetPlaceholders, noInput, noOutput, noSuchNode, noSuchFeature,
        noSuchSignature, unknownSize, wrongSize, wrongShape, wrongType, wrongLabels,
        invalidOption, limitExceeded, environment, invalidArgument, invalidHandle, canceled, forked,
    ]
}
