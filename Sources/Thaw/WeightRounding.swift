/// Rounds the weights of a network's layers to 8-bit integers, with errors that compensate each other on photos.
struct WeightRounding {
    private let graph: Graph
    private let sampler: ActivationSampler
    private let layers: [SampledLayer]
    /// The number of output positions that are sampled in each photo.
    private let positions: Int

    /// More photos and positions hardly change the covariances.
    private static let photos = 64
    private static let positionsPerPhoto = 32
    /// The most bytes that all samples may take.
    private static let memory = 512 << 20

    /// - Parameter layers: The layers by index among the nodes.
    init(_ graph: Graph, layers: [Int], _ sampler: ActivationSampler) {
        self.graph = graph
        self.sampler = sampler.sample(Self.photos)
        let all = layers.map { SampledLayer(graph, node: $0) }
        let bytes = all.reduce(0) { $0 + $1.width } * MemoryLayout<Float>.size * self.sampler.pixels.count
        let positions = min(Self.positionsPerPhoto, max(1, Self.memory / max(1, bytes)))
        self.positions = positions
        let photos = self.sampler.pixels.count
        // With fewer samples than weights, some errors would seem to have no effect.
        self.layers = all.filter { $0.weightCount > 0 && $0.weightCount <= photos * min(positions, $0.positionCount) }
    }

    /// The layers with rounded weights, by index among the nodes. Those that had too few samples are missing.
    /// - Throws: `Failure` if the engine cannot run the network.
    func rounded() throws -> [Int: any QuantizableLayer] {
        var samples = layers.map { _ in [Float]() }
        let (layers, positions) = (layers, positions)
        try sampler.run(
            graph, layers.map { graph.nodes[$0.node].inputs[0] },
            inspect: { inputs, photo in
                zip(layers, inputs).map { layer, input in
                    layer.samples(of: input, photo: photo, count: min(positions, layer.positionCount))
                }
            },
            add: { found in for index in samples.indices { samples[index] += found[index] } })
        let jobs = Array(zip(layers, samples))
        let results = Workers(min(sampler.threads, jobs.count)).map(jobs) { layer, samples in
            Result { try layer.rounded(samples) }
        }
        return Dictionary(uniqueKeysWithValues: try zip(layers.map(\.node), results.map { try $0.get() }))
    }
}

/// A layer whose inputs are sampled: for an output position, all values that are multiplied by weights.
private struct SampledLayer: Sendable {
    /// The index among the nodes.
    let node: Int
    private let layer: any QuantizableLayer
    /// nil for a dense layer, whose output positions are the rows of its input.
    private let window: Window?
    private let input: Shape
    private let output: Shape

    init(_ graph: Graph, node: Int) {
        self.node = node
        layer = graph.nodes[node].operation as! any QuantizableLayer
        window = (layer as? any WindowOperation)?.window
        input = graph[graph.nodes[node].inputs[0]].shape
        output = graph[graph.nodes[node].outputs[0]].shape
    }

    private var channels: Int { input[input.rank - 1] }
    private var taps: Int { window.map { $0.height.size * $0.width.size } ?? 1 }
    /// The number of values of a sample.
    var width: Int { taps * channels }
    /// The number of weights of an output channel.
    var weightCount: Int { layer.kernel.elementCount / max(1, layer.outputChannels) }
    /// The groups of output channels that read the same inputs.
    private var groups: Int { width / weightCount }
    /// The number of output positions, of all images of a batch.
    var positionCount: Int { output.elementCount / max(1, layer.outputChannels) }
    private var positionsPerRow: Int { window == nil ? 1 : output[2] }

    /// The inputs at some output positions of a photo, spread by a low-discrepancy sequence (Roberts's R₂). Each sample
    /// is ordered by tap, then channel; taps over the padding read zeros.
    func samples(of tensor: Tensor, photo: Int, count: Int) -> [Float] {
        let (rows, columns) = (positionCount / positionsPerRow, positionsPerRow)
        func position(_ index: Int, _ factor: Double, of size: Int) -> Int {
            Int((Double(index) * factor).truncatingRemainder(dividingBy: 1) * Double(size))
        }
        var samples = [Float](repeating: 0, count: count * width)
        tensor.withFloats { values in
            for sample in 0..<count {
                let index = photo * count + sample
                let row = position(index, 0.7548776662466927, of: rows)
                let column = position(index, 0.5698402909980532, of: columns)
                let start = sample * width
                guard let window else {
                    for channel in 0..<channels { samples[start + channel] = values[row * channels + channel] }
                    continue
                }
                let (image, rowInImage) = row.quotientAndRemainder(dividingBy: output[1])
                window.forEachTap(row: rowInImage, column: column, height: input[1], width: input[2]) { y, x, ky, kx in
                    let pixel = ((image * input[1] + y) * input[2] + x) * channels
                    let tap = start + (ky * window.width.size + kx) * channels
                    for channel in 0..<channels { samples[tap + channel] = values[pixel + channel] }
                }
            }
        }
        return samples
    }

    /// The layer with its weights rounded.
    func rounded(_ samples: [Float]) throws -> any QuantizableLayer {
        let (kernel, outputs, count) = (layer.kernel, layer.outputChannels, weightCount)
        var weights = SymmetricWeights(rounding: kernel, channels: outputs)
        let covariances = try covariances(samples)
        covariances.withFloats { covariances in
            kernel.withFloats { exact in
                for group in 0..<groups {
                    let covariance = UnsafeBufferPointer(
                        rebasing: covariances[group * count * count..<(group + 1) * count * count])
                    guard let compensation = ErrorCompensation(covariance: covariance, count: count) else { continue }
                    for channel in group * outputs / groups..<(group + 1) * outputs / groups {
                        let scale = Double(weights.scales[channel])
                        let rounded = compensation.rounded(
                            (0..<count).map { Double(exact[$0 * outputs + channel]) / scale })
                        for (index, value) in rounded.enumerated() {
                            weights.quantized[index * outputs + channel] = value
                        }
                    }
                }
            }
        }
        var result = layer
        result.kernel = weights.weights(kernel.shape)
        return result
    }

    /// The covariances of the inputs of each group, times the number of samples.
    private func covariances(_ samples: [Float]) throws -> Tensor {
        let (count, total) = (weightCount, samples.count / width)
        let channelsPerGroup = channels / groups
        let centered = Tensor(shape: [groups, total, count]) { values in
            for group in 0..<groups {
                for index in 0..<count {
                    let (tap, channel) = index.quotientAndRemainder(dividingBy: channelsPerGroup)
                    let start = tap * channels + group * channelsPerGroup + channel
                    var sum = 0.0
                    for sample in 0..<total { sum += Double(samples[sample * width + start]) }
                    let mean = Float(sum / Double(total))
                    for sample in 0..<total {
                        values[(group * total + sample) * count + index] = samples[sample * width + start] - mean
                    }
                }
            }
        }
        var builder = GraphBuilder()
        let input = builder.input("samples", centered.type)
        let product = try builder.add(MatrixProduct(transposeFirst: true), [input, input], name: "covariances")[0]
        builder.output("covariances", product)
        let executor = Executor(try Program(builder.graph))
        executor.load(centered, forInputAt: 0)
        try executor.run()
        return executor.output(at: 0)
    }
}
