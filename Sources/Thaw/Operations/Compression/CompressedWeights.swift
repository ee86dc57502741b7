/// Compressed weights, output channels first.
enum CompressedWeights: Sendable {
    case linear(LinearWeights)
    case palette(PalettizedWeights)

    /// The factors for the output channels after the layer, unless the weights are multiplied beforehand.
    var scales: [Float]? {
        guard case .palette(let palette) = self else { return nil }
        return palette.scales
    }
}

/// The properties of a layer that determine how its weights are compressed.
struct LayerUse: Sendable {
    /// Whether a depthwise convolution reads the layer's output.
    var feedsDepthwise = false
    /// Whether rows of weights may be divided by a scale.
    var allowsScales = false
    /// Whether groups of rows may have their own palettes.
    var allowsGroups = false
}

extension WeightStorage {
    /// How much smaller errors must become for scales to be worth the additional arithmetic, as a ratio of their
    /// squares.
    private static let minimumGain: Float = 1.25
    /// The same from iOS 18 on, where scales are part of the weights and take far less space than separate palettes.
    private static let minimumGainInWeights: Float = 1.1
    /// How much larger errors may be without scales, if a layer cannot have them.
    private static let largestLoss: Float = 2

    /// Compresses weights, output channels first.
    /// - Parameter element: The type in which scales and palettes are stored.
    /// - Returns: The compressed weights, and the reason why they have no palette although one was requested.
    func compressed(
        _ weights: Tensor, _ use: LayerUse, storedAs element: ElementType
    ) -> (weights: CompressedWeights, reason: CompressionReport.Reason?) {
        func linear() -> CompressedWeights { .linear(LinearWeights(weights, scalesIn: element)) }
        guard let bits = type.paletteBits else { return (linear(), nil) }
        if bits < 8, use.feedsDepthwise { return (linear(), .feedsDepthwise) }
        let plain = PalettizedWeights(weights, bits: bits)
        // A few weights say too little about their rows.
        if weights.elementCount >= 16 << bits {
            let scaled = PalettizedWeights(
                weights, bits: bits, scales: PalettizedWeights.scales(of: weights, storedAs: element))
            let gain = use.allowsGroups ? Self.minimumGainInWeights : Self.minimumGain
            if use.allowsScales, scaled.medianError * gain < plain.medianError { return (.palette(scaled), nil) }
            if !use.allowsScales, scaled.medianError * Self.largestLoss < plain.medianError {
                return (linear(), .unevenChannels)
            }
        }
        let groups = use.allowsGroups ? WeightPalette.groups(of: weights.shape, bits: bits) : 1
        return (.palette(groups > 1 ? PalettizedWeights(weights, bits: bits, groups: groups) : plain), nil)
    }
}

/// The inputs and outputs of a layer by name, to the extent that they matter for depthwise convolutions.
struct LayerLink {
    enum Kind { case depthwise, channelwise, other }

    var kind: Kind
    var inputs: [String]
    var outputs: [String]

    /// The inputs of depthwise convolutions, directly or after channelwise layers.
    /// - Parameter links: All layers, each after those whose outputs it takes.
    static func depthwiseInputs(_ links: [LayerLink]) -> Set<String> {
        var found: Set<String> = []
        for link in links.reversed() {
            switch link.kind {
            case .depthwise: found.formUnion(link.inputs)
            case .channelwise where link.outputs.contains(where: found.contains): found.formUnion(link.inputs)
            case .channelwise, .other: break
            }
        }
        return found
    }
}
