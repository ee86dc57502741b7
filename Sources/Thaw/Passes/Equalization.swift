/// Cross-layer equalization (Nagel et al., Data-Free Quantization Through Weight Equalization and Bias Correction,
/// 2019), for weights with a scale per output channel: channels between two layers are scaled so that they use the
/// range of their tensor evenly. The first layer's weights and bias are multiplied, the second one's weights divided.
struct Equalization {
    /// Two layers, by index among the nodes, and the value between them.
    struct Pair {
        var first: Int
        var second: Int
        var value: Graph.Value
        /// Whether values are clamped to an upper bound; channels can then only be scaled up.
        var hasUpperBound: Bool
        /// The largest weights of the second layer for each channel.
        var weights: [Float]
        /// Whether channels stay separate in the second layer, so that its scales follow them.
        var isDepthwise: Bool
    }

    let graph: Graph
    private(set) var pairs: [Pair] = []

    /// The largest factor by which a channel is scaled up or down. Channels that are smaller than the largest by more than
    /// this keep their scale.
    private static let largestFactor = 1e3

    init(_ graph: Graph) {
        self.graph = graph
        let plan = QuantizationPlan(graph)
        let counts = graph.consumerCounts
        var consumers: [Graph.Value: Int] = [:]
        for (index, node) in graph.nodes.enumerated() { for input in node.inputs { consumers[input] = index } }
        for index in plan.layers {
            var value = graph.nodes[index].outputs[0]
            var hasUpperBound = false
            let end = plan.ends[value.index]
            if value != end {
                let node = graph.nodes[consumers[value]!]
                guard node.outputs[0] == end, let bound = node.operation.bound, [0, -.infinity].contains(bound.low)
                else { continue }
                hasUpperBound = bound.high < .infinity
                value = end
            }
            guard counts[value.index] == 1, let second = consumers[value], let channels = graph[value].shape.last,
                let layer = graph.nodes[second].operation as? any QuantizableLayer,
                let weights = layer.largestWeights(inputChannels: channels)
            else { continue }
            let axis = graph[value].shape.rank - 1
            let isDepthwise = layer.use(ofAxis: axis, of: 0, [graph[value]]) == .weighted(axis)
            pairs.append(
                Pair(
                    first: index, second: second, value: value, hasUpperBound: hasUpperBound, weights: weights,
                    isDepthwise: isDepthwise))
        }
    }

    /// The graph with scaled channels.
    /// - Parameter largest: The largest magnitude of each channel on photos, for the value of each pair.
    func equalized(_ largest: [[Double]]) -> Graph {
        var result = graph
        for (pair, magnitudes) in zip(pairs, largest) {
            let factors = Equalization.factors(pair, magnitudes)
            let zeros = factors.map { _ in 0.0 }
            result.nodes[pair.first].operation = result.nodes[pair.first].operation.followed(
                by: ChannelArithmetic(scale: factors, offset: zeros))!
            let second = result.nodes[pair.second].operation as! any QuantizableLayer
            result.nodes[pair.second].operation = second.multiplyingInputs(by: factors.map { 1 / $0 })
        }
        return result
    }

    private static func factors(_ pair: Pair, _ magnitudes: [Double]) -> [Double] {
        let maximum = magnitudes.max() ?? 0
        guard maximum > 0 else { return magnitudes.map { _ in 1 } }
        let raw = zip(magnitudes, pair.weights).map { magnitude, weight -> Double in
            guard magnitude > maximum / largestFactor, weight > 0 else { return 1 }
            // If channels stay separate, the second layer's scales follow; otherwise its weights take half of the
            // scaling.
            return pair.isDepthwise ? maximum / magnitude : (Double(weight) / magnitude).squareRoot()
        }
        // The largest magnitude stays the same.
        let scale = maximum / (zip(raw, magnitudes).map { $0 * $1 }.max() ?? maximum)
        return zip(raw, magnitudes).map { factor, magnitude in
            guard magnitude > maximum / largestFactor else { return 1 }
            let factor = pair.isDepthwise ? factor : factor * scale
            // A channel that reaches the upper bound must keep it.
            return min(largestFactor, pair.hasUpperBound ? max(1, factor) : max(1 / largestFactor, factor))
        }
    }
}
