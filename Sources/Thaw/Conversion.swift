/// A converted model, with notes and warnings for the user.
public struct Conversion: Sendable {
    /// The model that was converted or read.
    public var model: Model
    /// What was inferred and assumed, one sentence each.
    public var notes: [Note]
    /// The notes about how the graph was read, without those about its image input.
    public var assumptions: [Note] = []
    /// The warnings about the graph itself, without those about its image input.
    public var graphWarnings: [Note] = []
    /// Possible problems with a conversion that succeeded.
    public var warnings: [Note]
    /// Whether the model was converted from a graph, not read from a Core ML file.
    public var isGraph = true
    /// The graph as it was read, before any pass. It still contains the preprocessing that passes lift into the image input.
    /// Nil for a Core ML model.
    package var original: Graph?
    /// Whether the preprocessing was given by the options or the file, not assumed.
    package var isPreprocessingCertain = true
    /// Whether the file stores weights in 16 bits or less.
    package var hasShortWeights = false
    /// The value range that a trial found; nil if there was no trial, or if it was inconclusive.
    var pixelRange: PixelRangeTrial?
    /// The graph, to be converted at other sizes, if neither it nor the options determine the image's size. The model then
    /// has the size `openSize`.
    var openSource: GraphSource?
}
