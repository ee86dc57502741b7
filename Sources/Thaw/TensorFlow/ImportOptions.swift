/// Options for reading a TensorFlow graph: settings that it leaves open.
struct ImportOptions: Sendable {
    /// The node that the input replaces; nil detects it.
    var input: String?
    /// Whether files are mapped; see `Converter.Options`.
    var mapsFiles = true
    /// The nodes to compute; if empty, they are found.
    var outputs: [String] = []
    /// Whether an output may appear twice: a signature may have two names for one tensor.
    var mayRepeatOutputs = false
    /// Width and height in pixels, if the graph leaves them open.
    var size: ImageSize?
    var color: ColorLayout?
    /// The options for one of several inputs, by its name or its name in the signature.
    var ofInputs: [String: InputOptions] = [:]
    /// The shape of an input that is a multi-array, not an image.
    var shape: [Int]?
    /// Whether the input is a multi-array even if its shape is that of an image.
    var isTensor: Bool { takesTensor || shape != nil }
    var takesTensor = false
    /// Whether there are other inputs. Then a row of pixels is a multi-array, and options for images do not apply to
    /// multi-arrays.
    var isOneOfSeveral = false
    /// The position of the channel axis in the graph's input; nil detects it.
    var channels: Graph.ChannelOrder?
    /// How to convert batch normalization in training mode.
    var batchNorm = BatchNormMode.graph
    /// Whether moving averages of variables replace their values.
    var usesMovingAverages = false
    /// Values for placeholders.
    var placeholderValues: [PlaceholderValue] = []
    /// The size to use if neither the graph nor `size` determines one.
    var openSize: ImageSize?
    /// The batch size to import with if the graph leaves it open.
    var openBatch = 1
    /// Whether inputs of integers of 32 or 64 bits are integers. Otherwise they are floating point unless a node needs
    /// integers.
    var keepsIntegers = false
    /// The number of channels to import with if nothing in the graph determines it.
    var openChannels: Int?
    /// Returns the shapes of the arrays that the caller supplies for a graph of several inputs, in the order of these
    /// names. Without it, such a graph is refused.
    var arrayShapes: (@Sendable (_ names: [String]) throws -> [[Int]])?
    /// The placeholders that the given arrays name.
    var arrayInputs: Set<String> = []
    /// The names of inputs in the signature, by the names of their nodes.
    var keys: [String: String] = [:]
    /// The nodes that become multi-array inputs of these types, instead of the one input that is found; for tests.
    var arrays: [String: TensorType]?

    /// The options for one of several inputs.
    func forInput(_ node: String) -> ImportOptions {
        var result = self
        if let namedOptions = ofInputs[node] ?? keys[node].flatMap({ ofInputs[$0] }) {
            result.size = namedOptions.size ?? size
            result.color = namedOptions.color ?? color
            result.shape = namedOptions.shape ?? shape
            result.takesTensor = namedOptions.isTensor
            result.keepsIntegers = namedOptions.keepsIntegers || keepsIntegers
            if namedOptions.size != nil || namedOptions.color != nil { result.isOneOfSeveral = false }
        }
        return result
    }
}

/// Options for one of several inputs; nil means that the graph determines the setting.
public struct InputOptions: Sendable {
    /// Width and height of the image in pixels.
    public var size: ImageSize?
    /// The order of the image's color channels; nil detects it.
    public var color: ColorLayout?
    /// One value, or one per channel in the order of `color`: y = scale · x + bias.
    public var scale: [Double]?
    /// One value, or one per channel, added after the scaling.
    public var bias: [Double]?
    /// The shape, if the input is to be a multi-array, even if it could be an image.
    public var shape: [Int]?
    /// Whether the input is to be a multi-array of the graph's own shape, even if it could be an image.
    public var isTensor = false
    /// Whether a multi-array is int32 if the graph's input has integers of 32 or 64 bits. Otherwise it is float32, unless the
    /// graph computes with the integers or selects by them.
    public var keepsIntegers = false

    /// Options that leave everything to the graph.
    public init() {}
}
