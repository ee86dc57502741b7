/// Options for reading a TensorFlow graph: what it leaves open.
struct ImportOptions: Sendable {
    /// The node that the input replaces; nil detects it.
    var input: String?
    /// Whether files are mapped; see `Converter.Options`.
    var mapsFiles = true
    /// The nodes to compute; found where empty.
    var outputs: [String] = []
    /// Whether an output may be there twice, as a signature may give one tensor under two names.
    var mayRepeatOutputs = false
    /// Width and height in pixels, if the graph leaves them open.
    var size: (width: Int, height: Int)?
    var color: ColorLayout?
    /// What is said of one of several inputs, by its name or a signature's word for it.
    var ofInputs: [String: InputOptions] = [:]
    /// The shape of an input that is a tensor, and not an image.
    var shape: [Int]?
    /// Whether the input is a tensor even if its shape is that of an image.
    var isTensor: Bool { takesTensor || shape != nil }
    var takesTensor = false
    /// Whether there are other inputs: pixels in a row are an array then, and what is said of images is not of arrays.
    var isOneOfSeveral = false
    /// The position of the channel axis in the graph's input; nil detects it.
    var channels: Graph.ChannelOrder?
    /// What to do with batch normalization in training mode.
    var batchNorm = BatchNormMode.graph
    /// Values for placeholders.
    var settings: [Setting] = []
    /// The size to use if neither the graph nor `size` determines one.
    var openSize: (width: Int, height: Int)?
    /// The batch size to import with if the graph leaves it open.
    var openBatch = 1
    /// The number of channels to import with if nothing in the graph says it.
    var openChannels: Int?
    /// The shapes of the arrays that are fed to a graph of several inputs, one for each of these names in their order;
    /// without it such a graph is refused.
    var feeding: (@Sendable (_ names: [String]) throws -> [[Int]])?
    /// The placeholders that the given arrays name.
    var fed: Set<String> = []
    /// What a signature calls its inputs, by their nodes' names.
    var words: [String: String] = [:]
    /// The nodes to be fed with arrays of these types, in place of the one input that is found; for tests.
    var arrays: [String: TensorType]?

    /// The options for one of several inputs.
    func forInput(_ node: String) -> ImportOptions {
        var result = self
        if let own = ofInputs[node] ?? words[node].flatMap({ ofInputs[$0] }) {
            result.size = own.size ?? size
            result.color = own.color ?? color
            result.shape = own.shape ?? shape
            result.takesTensor = own.isTensor || takesTensor
            if own.size != nil || own.color != nil { result.isOneOfSeveral = false }
        }
        return result
    }
}

/// Options for one of several inputs; what is nil follows from the graph.
public struct InputOptions: Sendable {
    /// Width and height of the image in pixels.
    public var size: (width: Int, height: Int)?
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

    /// Options that leave everything to the graph.
    public init() {}
}
