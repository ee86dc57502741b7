/// A converted model, and what a person should know of how it came about.
public struct Conversion: Sendable {
    public var model: Model
    /// What was found out and assumed, a sentence each.
    public var notes: [String]
    /// Those of the notes that say how the graph was read, and not how images come to it.
    public var assumptions: [String] = []
    /// What may be wrong although the conversion went through.
    public var warnings: [String]
    /// Whether the model was converted from a graph, and not read as it was.
    public var isGraph = true
    /// The graph as it was read, before any pass; its image input is not scaled by what was lifted out of it. Nil for a
    /// Core ML model.
    public var original: Graph?
    /// Whether how the image is scaled was said or stands in the file, and was not assumed.
    public var isPreprocessingCertain = true
    /// Whether the file stores weights in 16 bits or less.
    public var hasShortWeights = false
    /// The range of numbers that was found by a trial; nil if none was made, or if it told nothing.
    var pixelRange: PixelRangeTrial?
    /// Whether neither the graph nor the options say the image's size: that of the model is `openSize`.
    public var isSizeOpen = false
}
