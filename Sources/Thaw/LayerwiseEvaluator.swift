/// Computes a network layer by layer on some images. Each layer can be changed after its results are known; later
/// layers are computed with the changed layer.
struct LayerwiseEvaluator {
    private var graph: Graph
    private let sampler: ActivationSampler
    /// For each value, the last consumer.
    private let lastConsumers: [Int]
    /// For each image, the values that nodes starting with `next` read.
    private var values: [[Graph.Value: Tensor]]
    /// The first node that is not computed.
    private var next = 0

    /// The most bytes that values between layers may take.
    private static let memory = 512 << 20

    /// The number of images.
    var imageCount: Int { values.count }

    /// - Parameters:
    ///   - graph: A network with one input.
    ///   - count: The number of images to use, fewer if their values take too much memory.
    init(_ graph: Graph, _ sampler: ActivationSampler, images count: Int) {
        self.graph = graph
        var last = [Int](repeating: -1, count: graph.types.count)
        for (index, node) in graph.nodes.enumerated() { for input in node.inputs { last[input.index] = index } }
        lastConsumers = last
        let count = min(count, max(1, Self.memory / max(1, graph.maximumBytes(lastConsumers: last))))
        self.sampler = sampler.sample(count)
        let input = graph.inputs[0].value
        values = self.sampler.pixels.map { [input: Tensor($0, sampler.image.scaling, shape: graph[input].shape)] }
    }

    /// The mean of each channel of a layer's results, clamped to a range. Their last axis is the channels.
    /// - Parameter name: A node after those named in earlier calls.
    /// - Throws: `Failure` if the engine cannot run a part of the network.
    mutating func means(ofLayer name: String, clampedTo range: ClosedRange<Float>) throws -> [Double] {
        let layer = graph.nodes[next...].firstIndex { $0.name == name }!
        var part = Graph()
        (part.types, part.nodes) = (graph.types, Array(graph.nodes[next...layer]))
        let computed = Set(part.nodes.dropLast().flatMap(\.outputs))
        let read = Set(part.nodes.flatMap(\.inputs)).subtracting(computed).sorted(on: \.index)
        let kept = computed.filter { lastConsumers[$0.index] >= layer }.sorted(on: \.index)
        part.inputs = read.map { Graph.Port(name: "\($0.index)", value: $0) }
        let result = graph.nodes[layer].outputs[0]
        part.outputs = ([result] + kept).map { Graph.Port(name: "\($0.index)", value: $0) }

        let before = values
        var means = [Double](repeating: 0, count: graph[result].shape.last ?? 1)
        var image = 0
        try sampler.run(
            part,
            load: { executor, image in
                for (index, value) in read.enumerated() { executor.load(before[image][value]!, forInputAt: index) }
            },
            inspect: { tensors, _ in (tensors[0].channelMeans(clampedTo: range), Array(tensors.dropFirst())) },
            add: { found in
                for channel in means.indices { means[channel] += found.0[channel].mean / Double(before.count) }
                values[image] = values[image].filter { lastConsumers[$0.key.index] >= layer }
                for (value, tensor) in zip(kept, found.1) { values[image][value] = tensor }
                image += 1
            })
        next = layer
        return means
    }

    /// Changes the layer whose means were computed last.
    mutating func replaceLayer(_ layer: any QuantizableLayer) { graph.nodes[next].operation = layer }
}

extension Graph {
    /// The most bytes of values that are computed before a node and used by it or by later ones.
    fileprivate func maximumBytes(lastConsumers: [Int]) -> Int {
        var changes = [Int](repeating: 0, count: nodes.count + 2)
        func add(_ value: Value, from start: Int) {
            let bytes = self[value].shape.elementCount * MemoryLayout<Float>.size
            changes[start] += bytes
            changes[max(start, lastConsumers[value.index] + 1)] -= bytes
        }
        for port in inputs { add(port.value, from: 0) }
        for (index, node) in nodes.enumerated() { for output in node.outputs { add(output, from: index + 1) } }
        var (sum, maximum) = (0, 0)
        for change in changes {
            sum += change
            maximum = max(maximum, sum)
        }
        return maximum
    }
}
