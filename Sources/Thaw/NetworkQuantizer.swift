/// A network during quantization: its weights are rounded, and its values have quantization parameters.
struct NetworkQuantizer {
    /// The network with rounded weights, but without rounded activations.
    private(set) var graph: Graph
    /// The quantization parameters of the rounded values.
    private(set) var parametersByValue: [Graph.Value: QuantizationParameters] = [:]
    /// The names of the layers that are computed in floating point, in the order of the graph.
    private(set) var kept: [String] = []
    private let original: Graph
    private let plan: QuantizationPlan

    var layerCount: Int { plan.layers.count }

    /// - Parameters:
    ///   - reference: The network with the means that are restored. Its values are those of `graph`.
    ///   - given: The quantization parameters of quantization-aware training.
    /// - Throws: `Failure` if nothing can be quantized, or naming a node that computes NaN or infinity.
    init(
        _ graph: Graph, reference: Graph, given: [Graph.Value: QuantizationParameters], _ sampler: ActivationSampler,
        _ statistic: RangeStatistic
    ) throws {
        original = graph
        plan = QuantizationPlan(graph)
        guard !plan.layers.isEmpty else { throw Failure.nothingToQuantize() }
        self.graph = graph
        try setParameters(given, sampler, statistic)
        let compensated = try WeightRounding(graph, layers: plan.layers, sampler).rounded()
        for index in plan.layers {
            self.graph.nodes[index].operation = compensated[index] ?? layer(index).withRoundedWeights
        }
        try correctBiases(as: reference, sampler)
    }

    /// The network with equalized layers, or without them if its outputs are then closer to the original's.
    ///
    /// The ranges of quantization-aware training suit the layers as they are, so those layers are not equalized.
    /// - Parameter scores: The original's scores of the classes; if there are none, layers are not equalized.
    static func best(
        _ original: Graph, _ sampler: ActivationSampler, _ statistic: RangeStatistic, scores: [[Float]]?
    ) throws -> NetworkQuantizer {
        let (graph, given) = original.withoutLevels()
        let plain = try NetworkQuantizer(graph, reference: original, given: given, sampler, statistic)
        let equalization = Equalization(graph)
        guard let scores, given.isEmpty, !equalization.pairs.isEmpty else { return plain }
        let magnitudes = try sampler.magnitudes(of: equalization.pairs.map(\.value), in: graph)
        let scaled = equalization.equalized(magnitudes)
        let equalized = try NetworkQuantizer(scaled, reference: scaled, given: [:], sampler, statistic)
        func error(_ network: NetworkQuantizer) throws -> Double {
            let rounded = try network.graph.rounded(network.parametersByValue)
            return try NetworkQuantizer.distance(sampler.outputs(of: rounded), scores)
        }
        return try error(equalized) < error(plain) ? equalized : plain
    }

    /// The sum of squared differences.
    private static func distance(_ a: [[Float]], _ b: [[Float]]) -> Double {
        zip(a, b).reduce(0.0) { sum, pair in
            zip(pair.0, pair.1).reduce(sum) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }
        }
    }

    // MARK: Ranges

    private mutating func setParameters(
        _ given: [Graph.Value: QuantizationParameters], _ sampler: ActivationSampler, _ statistic: RangeStatistic
    ) throws {
        let inputs = Set(graph.inputs.map(\.value))
        let computed = plan.values.filter { !inputs.contains($0) }
        // The results of the last layers are not rounded, but must be finite too.
        let last = plan.layers.map { plan.ends[graph.nodes[$0].outputs[0].index] }
        let rounded = Set(plan.values)
        var layers: [Graph.Value: Graph.Node] = [:]
        for (index, end) in zip(plan.layers, last) { layers[end] = graph.nodes[index] }
        let distributions = try sampler.distributions(
            of: computed + last.filter { !rounded.contains($0) }, in: graph, computedBy: layers)
        var ranges: [Graph.Value: (low: Float, high: Float)] = [:]
        let found = Workers(sampler.threads).map(distributions) { $0.range(statistic) }
        for (value, range) in zip(computed, found) { ranges[value] = range }
        for input in plan.values where inputs.contains(input) { ranges[input] = sampler.image.scaling.range }
        for group in plan.groups {
            if let parameters = group.lazy.compactMap({ given[$0] }).first {
                for value in group { parametersByValue[value] = parameters }
                continue
            }
            let low = group.map { ranges[$0]!.low }.min()!
            let high = group.map { ranges[$0]!.high }.max()!
            for value in group { parametersByValue[value] = QuantizationParameters(low, high) }
        }
    }

    // MARK: Weights and biases

    private func layer(_ index: Int) -> any QuantizableLayer {
        original.nodes[index].operation as! any QuantizableLayer
    }

    /// Restores the mean of each output channel of each layer, layer by layer.
    ///
    /// Rounding errors of a channel's weights add up to a shift that is the same for all images, and so do the errors
    /// of earlier layers. Values far outside the range do not count: in a channel that is far below zero almost everywhere,
    /// the errors that a ReLU hides would outweigh the others.
    private mutating func correctBiases(as reference: Graph, _ sampler: ActivationSampler) throws {
        var evaluator = try LayerwiseEvaluator(graph.rounded(parametersByValue), sampler, images: Self.photosForBiases)
        let outputs = plan.layers.map { original.nodes[$0].outputs[0] }
        let ranges = outputs.map { output in
            let parameters = parametersByValue[plan.ends[output.index]]
            return parameters.map(\.neighborhood) ?? -Float.infinity...Float.infinity
        }
        let expected = try sampler.sample(evaluator.imageCount).means(of: outputs, clampedTo: ranges, in: reference)
        for (number, index) in plan.layers.enumerated() {
            let actual = try evaluator.means(ofLayer: graph.nodes[index].name, clampedTo: ranges[number])
            var layer = graph.nodes[index].operation as! any QuantizableLayer
            let bias = layer.bias?.floats ?? actual.map { _ in 0 }
            layer.bias = Tensor(
                bias.indices.map { channel in
                    let (mean, share) = (expected[number][channel].mean, expected[number][channel].inside)
                    return bias[channel] + Float((mean - actual[channel]) / max(share, Self.smallestShare))
                }, shape: [bias.count])
            graph.nodes[index].operation = layer
            evaluator.replaceLayer(layer)
        }
    }

    /// With fewer values inside the range, their mean is uncertain.
    private static let smallestShare = 0.02

    /// More photos hardly change the means.
    private static let photosForBiases = 64

    // MARK: Layers in floating point

    /// The network with rounded values.
    func quantized() throws -> Graph { try graph.quantized(parametersByValue, keeping: Set(kept)) }

    /// Keeps layers in floating point that would be computed in it anyway, between conversions to integers and back: most of
    /// those whose neighbors are kept.
    mutating func keepFloatingPointLayers() throws {
        let names = Set(plan.layers.map { original.nodes[$0].name })
        while true {
            let floats = try quantized().layerPrecisions().filter { !$0.isInteger && names.contains($0.name) }
            let all = Set(floats.map(\.name)).union(kept)
            // If nothing is left, the network is refused elsewhere, or stays as it is.
            guard all.count > kept.count, all.count < names.count else { return }
            let indices = plan.layers.filter { all.contains(original.nodes[$0].name) }
            for index in indices { graph.nodes[index].operation = original.nodes[index].operation }
            kept = indices.map { original.nodes[$0].name }
        }
    }

    /// Keeps the most sensitive layers in floating point.
    /// - Parameters:
    ///   - scores: The original network's scores of the classes for each photo.
    ///   - limit: How many top labels may change; nil for no limit.
    /// - Returns: The number of unchanged top labels. Fewer are unchanged only if no number of layers is enough.
    mutating func keepLayers(agreeingWith scores: [[Float]], atMost limit: Int?, _ sampler: ActivationSampler) throws
        -> Int
    {
        let topClasses = scores.map { Classification.topIndex(of: $0) }
        var agreeing = try agreement(with: topClasses, sampler)
        guard let limit, topClasses.count - agreeing > limit else { return agreeing }
        let order = try layersBySensitivity(scores, sampler)
        let corrected = graph
        var lastCount = 0
        func changedCount(keeping count: Int) throws -> Int {
            lastCount = count
            graph = corrected
            for index in order.prefix(count) { graph.nodes[index].operation = original.nodes[index].operation }
            kept = order.prefix(count).sorted().map { graph.nodes[$0].name }
            try keepFloatingPointLayers()
            agreeing = try agreement(with: topClasses, sampler)
            return topClasses.count - agreeing
        }
        let count = try NetworkQuantizer.fewestLayers(
            order.count, changing: limit, changedWithoutKeeping: topClasses.count - agreeing,
            changedCount: changedCount)
        // The last number that was tried is often the result.
        if lastCount != count { _ = try changedCount(keeping: count) }
        return agreeing
    }

    /// The smallest number of layers to keep so that few enough labels change, if keeping more never changes more.
    /// - Parameters:
    ///   - maximum: How many labels may change.
    ///   - changedWithoutKeeping: How many change if no layer is kept.
    ///   - changedCount: How many change if this many layers are kept.
    /// - Returns: If no number that was tried is enough, the one that changes the fewest.
    static func fewestLayers(
        _ layerCount: Int, changing maximum: Int, changedWithoutKeeping: Int, changedCount: (Int) throws -> Int
    ) rethrows -> Int {
        var best = (count: 0, changed: changedWithoutKeeping)
        var (tooFew, enough) = (0, layerCount + 1)
        while enough - tooFew > 1 {
            let count = (tooFew + enough) / 2
            let found = try changedCount(count)
            if found < best.changed { best = (count, found) }
            if found > maximum { tooFew = count } else { enough = count }
        }
        return enough > layerCount ? best.count : enough
    }

    /// The layers by index among the nodes, ordered by how much rounding only that layer changes the scores, largest
    /// first.
    private func layersBySensitivity(_ scores: [[Float]], _ sampler: ActivationSampler) throws -> [Int] {
        let some = sampler.sample(Self.photosForSensitivity)
        let scores = sampler.sampleIndices(Self.photosForSensitivity).map { scores[$0] }
        let names = plan.layers.map { original.nodes[$0].name }
        let errors = try plan.layers.map { index in
            var single = original
            single.nodes[index].operation = graph.nodes[index].operation
            let kept = Set(names).subtracting([original.nodes[index].name])
            let outputs = try some.outputs(of: single.rounded(parametersByValue, keeping: kept))
            return NetworkQuantizer.distance(outputs, scores)
        }
        return plan.layers.indices.sorted { (-errors[$0], $0) < (-errors[$1], $1) }.map { plan.layers[$0] }
    }

    private static let photosForSensitivity = 32

    /// The number of unchanged top labels, computed with 8-bit integers: rounded values in floating point differ a little.
    private func agreement(with topClasses: [Int], _ sampler: ActivationSampler) throws -> Int {
        let network = try quantized()
        let outputs = try sampler.outputs(of: network, precision: network.hasRanges ? .int8 : .float32)
        return zip(outputs, topClasses).count { Classification.topIndex(of: $0) == $1 }
    }
}

extension QuantizationParameters {
    /// The range, three times as long.
    fileprivate var neighborhood: ClosedRange<Float> { lowest - (highest - lowest)...highest + (highest - lowest) }
}

extension PixelScaling {
    /// The range of all channels' values.
    var range: (low: Float, high: Float) {
        let ends = zip(scale, bias).flatMap { [$1, 255 * $0 + $1] }
        return (Float(ends.min()!), Float(ends.max()!))
    }
}
