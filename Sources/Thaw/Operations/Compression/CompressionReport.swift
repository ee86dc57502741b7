/// What became of a model's weights when they were compressed.
public struct CompressionReport: Sendable, Equatable {
    /// A layer that takes 8 bits per weight with a scale per output channel, although a palette was asked for.
    public struct Layer: Sendable, Equatable {
        /// The name of the layer.
        public var name: String
        /// Why its weights have eight bits.
        public var reason: Reason
    }

    /// Why a layer does not take a palette.
    public enum Reason: Sendable, CaseIterable {
        /// A depthwise convolution reads what the layer computes: it sums over no channels, in which errors average out.
        case feedsDepthwise
        /// The output channels differ too much in scale for one palette, and the layer has no way to scale them afterwards.
        case unevenChannels
    }

    /// How many layers were compressed, those with 8 bits included.
    public internal(set) var layerCount = 0
    /// The layers that stayed at 8 bits, in the model's order.
    public internal(set) var atEightBits: [Layer] = []

    package init(layerCount: Int = 0) { self.layerCount = layerCount }

    mutating func add(_ name: String, _ reason: Reason?) {
        layerCount += 1
        if let reason { atEightBits.append(Layer(name: name, reason: reason)) }
    }
}
