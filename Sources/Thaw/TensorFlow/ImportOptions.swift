/// What may be said of a TensorFlow graph that it does not say itself.
struct ImportOptions: Sendable {
    /// The node whose place the input takes; found where nil.
    var input: String?
    /// The nodes to compute; found where empty.
    var outputs: [String] = []
    /// Whether an output may be there twice, as a signature may give one tensor under two names.
    var mayRepeatOutputs = false
    /// Width and height in pixels, where the graph leaves them open.
    var size: (width: Int, height: Int)?
    var color: ColorLayout?
    /// Where the image's channels stand in the graph's input; found where nil.
    var channels: Graph.ChannelOrder?
    /// What to do with batch normalization in training mode.
    var batchNorm = BatchNormMode.graph
    /// Values for placeholders.
    var settings: [Setting] = []
    /// The size to go on with where neither the graph nor `size` says one.
    var openSize: (width: Int, height: Int)?
    /// The batch size to import with if the graph leaves it open.
    var openBatch = 1
    /// The number of channels to import with if nothing in the graph says it.
    var openChannels: Int?
    /// The shapes of the arrays that are fed to a graph of several inputs, one for each of these names in their order;
    /// without it such a graph is refused.
    var feeding: (@Sendable (_ names: [String]) throws -> [[Int]])?
    /// The placeholders that arrays are at hand for, as far as they are named.
    var fed: Set<String> = []
    /// What a signature calls its inputs, by their nodes' names.
    var words: [String: String] = [:]
    /// The nodes to be fed with arrays of these types, in place of the one input that is found; for tests.
    var arrays: [String: TensorType]?
}
