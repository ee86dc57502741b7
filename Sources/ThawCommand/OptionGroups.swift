/// Groups of options that several commands take.
enum OptionGroups {
    /// Settings that a graph does not determine by itself.
    static let graphInput: [any AnyOption] = [
        Options.input, Options.output, Options.set, Options.batchNorm, Options.movingAverages, Options.tag,
        Options.signature, Options.size, Options.color, Options.channels, Options.preprocess, Options.scale,
        Options.bias,
    ]

    /// The options that affect the results for a given model and image.
    static let results: [any AnyOption] =
        [Options.crop, Options.resize, Options.fast, Options.background, Options.precision, Options.function]
        + graphInput

    /// How images are decoded and resized to the network's size, and how the model runs, for comparisons.
    static let images: [any AnyOption] = [
        Options.crop, Options.background, Options.maxPixels, Options.strict, Options.threads, Options.precision,
    ]
}
