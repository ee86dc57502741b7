/// The mean of a channel whose values are clamped to a range.
struct ChannelMean: Sendable {
    var mean = 0.0
    /// The share of the values that clamping does not change, from 0 to 1.
    var inside = 0.0
}

/// Runs networks on the same images and inspects their values.
struct ActivationSampler {
    let image: ImageInput
    let pixels: [Pixels]
    let threads: Int

    /// Uses only some of the images, evenly spread: photos are often sorted by subject.
    func sample(_ count: Int) -> ActivationSampler {
        ActivationSampler(image: image, pixels: sampleIndices(count).map { pixels[$0] }, threads: threads)
    }

    /// The images that `sample` uses, by index.
    func sampleIndices(_ count: Int) -> [Int] {
        let total = pixels.count
        return count < total ? (0..<count).map { $0 * total / count } : Array(0..<total)
    }

    /// Runs a network on each image.
    ///
    /// - Parameters:
    ///   - values: Values that nodes compute.
    ///   - inspect: Receives these values for one image, on any thread.
    ///   - body: Receives what `inspect` returns, in the order of the images.
    func run<Result: Sendable>(
        _ graph: Graph, _ values: [Graph.Value], inspect: @escaping @Sendable ([Tensor]) -> Result,
        add body: (Result) throws -> Void
    ) throws {
        try run(graph, values, inspect: { tensors, _ in inspect(tensors) }, add: body)
    }

    /// The same, except that `inspect` also receives the index of the image.
    func run<Result: Sendable>(
        _ graph: Graph, _ values: [Graph.Value], precision: Precision = .float32,
        inspect: @escaping @Sendable ([Tensor], Int) -> Result, add body: (Result) throws -> Void
    ) throws {
        var observed = graph
        observed.outputs = values.enumerated().map { Graph.Port(name: "\($0)", value: $1) }
        let (image, pixels) = (image, pixels)
        try run(
            observed, precision: precision,
            load: { executor, index in
                pixels[index].bytes.withUnsafeBufferPointer { executor.load(pixels: $0, image.scaling, forInputAt: 0) }
            }, inspect: inspect, add: body)
    }

    /// Runs a network once for each image.
    ///
    /// - Parameters:
    ///   - load: Loads the inputs for the image of an index.
    ///   - inspect: Receives the outputs for one image and its index, on any thread.
    ///   - body: Receives what `inspect` returns, in the order of the images.
    func run<Result: Sendable>(
        _ graph: Graph, precision: Precision = .float32, load: @escaping @Sendable (Executor, Int) -> Void,
        inspect: @escaping @Sendable ([Tensor], Int) -> Result, add body: (Result) throws -> Void
    ) throws {
        let program = try Program(graph.pruned(), precision: precision)
        let executors = ExecutorPool(program, threads: 1)
        let workers = Workers(min(threads, pixels.count))
        // Some images at a time, so that few results are waiting.
        for start in stride(from: 0, to: pixels.count, by: 4 * workers.count) {
            let part = Array(start..<min(pixels.count, start + 4 * workers.count))
            let results = workers.map(part) { index in
                Swift.Result {
                    try executors.with { executor in
                        load(executor, index)
                        try executor.run()
                        return inspect(graph.outputs.indices.map { executor.output(at: $0) }, index)
                    }
                }
            }
            for result in results { try body(result.get()) }
        }
    }

    /// The distributions of values.
    /// - Parameter nodes: The nodes to name instead of those that compute the values: layers in place of their clamps.
    /// - Throws: `Failure` naming the node that first computes a value that is infinite or NaN.
    func distributions(
        of values: [Graph.Value], in graph: Graph, computedBy nodes: [Graph.Value: Graph.Node] = [:]
    ) throws -> [Distribution] {
        func failure(_ value: Graph.Value) -> Failure {
            .valuesNotFinite((nodes[value] ?? graph.producers[value]!).identity)
        }
        var low = values.map { _ in Float.infinity }
        var high = values.map { _ in -Float.infinity }
        try run(
            graph, values, inspect: { $0.map(\.extremes) },
            add: { extremes in
                for (index, extreme) in extremes.enumerated() {
                    guard let extreme else {
                        throw failure(values[index])
                    }
                    low[index] = min(low[index], extreme.low)
                    high[index] = max(high[index], extreme.high)
                }
            })
        for (index, value) in values.enumerated() where high[index] > low[index] {
            guard (high[index] - low[index]).isFinite else {
                throw failure(value)
            }
        }
        let empty = zip(low, high).map { Distribution($0, $1) }
        var result = empty
        try run(
            graph, values,
            inspect: { tensors in
                zip(tensors, empty).map { tensor, empty in
                    var distribution = empty
                    tensor.withFloats { distribution.add($0) }
                    return distribution
                }
            },
            add: { distributions in
                for index in result.indices { result[index].add(distributions[index]) }
            })
        return result
    }

    /// The mean of each channel of values, each clamped to its range, and the share of the values inside the range. Their last
    /// axis is the channels.
    func means(of values: [Graph.Value], clampedTo ranges: [ClosedRange<Float>], in graph: Graph) throws
        -> [[ChannelMean]]
    {
        var sums = values.map { [ChannelMean](repeating: ChannelMean(), count: graph[$0].shape.last ?? 1) }
        let count = Double(pixels.count)
        try run(
            graph, values, inspect: { zip($0, ranges).map { $0.channelMeans(clampedTo: $1) } },
            add: { means in
                for index in sums.indices {
                    for channel in sums[index].indices {
                        sums[index][channel].mean += means[index][channel].mean / count
                        sums[index][channel].inside += means[index][channel].inside / count
                    }
                }
            })
        return sums
    }

    /// The largest magnitude in each channel of values, whose last axis is the channels.
    func magnitudes(of values: [Graph.Value], in graph: Graph) throws -> [[Double]] {
        var largest = values.map { [Double](repeating: 0, count: graph[$0].shape.last ?? 1) }
        try run(
            graph, values, inspect: { $0.map(\.channelMagnitudes) },
            add: { magnitudes in
                for index in largest.indices {
                    for channel in largest[index].indices {
                        largest[index][channel] = max(largest[index][channel], Double(magnitudes[index][channel]))
                    }
                }
            })
        return largest
    }

    /// The first output for each image.
    func outputs(of graph: Graph, precision: Precision = .float32) throws -> [[Float]] {
        var result: [[Float]] = []
        try run(
            graph, [graph.outputs[0].value], precision: precision, inspect: { tensors, _ in tensors[0].floats },
            add: { result.append($0) })
        return result
    }
}

extension Tensor {
    /// The lowest and the highest element; nil if an element is infinite or NaN.
    fileprivate var extremes: (low: Float, high: Float)? {
        withFloats { floats in
            var (low, high) = (Float.infinity, -Float.infinity)
            var sum: Float = 0
            for value in floats {
                low = min(low, value)
                high = max(high, value)
                // NaN if any value is infinite or NaN.
                sum += value * 0
            }
            return sum.isNaN ? nil : (low, high)
        }
    }

    /// The largest magnitude in each channel; channels are the last axis.
    fileprivate var channelMagnitudes: [Float] {
        let channels = shape.last ?? 1
        var largest = [Float](repeating: 0, count: channels)
        withFloats { floats in
            for start in stride(from: 0, to: floats.count, by: channels) {
                for channel in 0..<channels { largest[channel] = max(largest[channel], abs(floats[start + channel])) }
            }
        }
        return largest
    }

    /// The mean of each channel's values, clamped to a range; channels are the last axis.
    func channelMeans(clampedTo range: ClosedRange<Float>) -> [ChannelMean] {
        let channels = shape.last ?? 1
        var means = [ChannelMean](repeating: ChannelMean(), count: channels)
        let share = Double(channels) / Double(max(1, elementCount))
        withFloats { floats in
            for start in stride(from: 0, to: floats.count, by: channels) {
                for channel in 0..<channels {
                    let value = floats[start + channel]
                    let clamped = min(max(value, range.lowerBound), range.upperBound)
                    means[channel].mean += Double(clamped) * share
                    if clamped == value { means[channel].inside += share }
                }
            }
        }
        return means
    }
}
