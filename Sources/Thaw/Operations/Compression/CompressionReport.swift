/// The result of compressing a model's weights.
public struct CompressionReport: Sendable, Equatable {
    /// A layer that uses 8 bits per weight with a scale per output channel, although a palette was requested.
    public struct Layer: Sendable, Equatable {
        /// The name of the layer.
        public var name: String
        /// Why its weights have eight bits.
        public var reason: Reason
    }

    /// The reason why a layer does not use a palette.
    public enum Reason: Sendable, CaseIterable {
        /// A depthwise convolution reads the layer's output. It does not sum over channels, so errors do not average
        /// out.
        case feedsDepthwise
        /// The output channels differ too much in scale for one palette, and the layer has no way to scale them
        /// afterwards.
        case unevenChannels
    }

    /// How many layers were compressed, including those with 8 bits.
    public internal(set) var layerCount = 0
    /// The layers that stayed at 8 bits, in the model's order.
    public internal(set) var atEightBits: [Layer] = []

    package init(layerCount: Int = 0) { self.layerCount = layerCount }

    mutating func add(_ name: String, _ reason: Reason?) {
        layerCount += 1
        if let reason { atEightBits.append(Layer(name: name, reason: reason)) }
    }
}
