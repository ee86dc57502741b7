/// Neural network layers that are imported as a combination of several graph operations.
enum ComposedLayers {
    static let neural = [
        NeuralRule("clampedReLU") { layer, reading in
            let parameters = layer.parameters
            return [
                try layer.composed(&reading) { try $0.clampedRelu($1, slope: parameters.alpha, bound: parameters.beta) }
            ]
        },
        NeuralRule("tan") { layer, reading in [try layer.composed(&reading) { try $0.tangent($1) }] },
        NeuralRule("exp2") { layer, reading in [try layer.composed(&reading) { try $0.powerOfTwo($1) }] },
        NeuralRule("mvn") { layer, reading in
            let parameters = layer.parameters
            let given: Float = parameters.epsilon
            guard reading.shape(try layer.input()).rank == 4 else {
                throw Failure.wrongRank(4, reading.shape(try layer.input())).at(layer.name)
            }
            return [
                try layer.composed(&reading) {
                    try $0.centered(
                        $1, axes: parameters.acrossChannels ? [1, 2, 3] : [2, 3],
                        isScaled: parameters.normalizeVariance,
                        epsilon: given == 0 ? 1e-5 : given)
                }
            ]
        },
        NeuralRule("l2normalize") { layer, reading in
            let rank = reading.shape(try layer.input()).rank
            guard rank >= 3 else { throw Failure.wrongRank(4, reading.shape(try layer.input())).at(layer.name) }
            let given: Float = layer.parameters.epsilon
            return [
                try layer.composed(&reading) {
                    try $0.unitLength($1, axes: Array(rank - 3..<rank), epsilon: given == 0 ? 1e-6 : given)
                }
            ]
        },
        NeuralRule("average") { layer, reading in
            let inputs = layer.inputs
            return [
                try layer.composed(&reading) { composed, first in
                    let sum = try inputs.dropFirst().reduce(first) { try composed.add(Binary(.add), [$0, $1]) }
                    let share = Binary(.multiply, constant: Tensor([1 / Float(inputs.count)], shape: []))
                    return try composed.add(share, [sum])
                }
            ]
        },
        NeuralRule("reorganizeData") { layer, reading in
            let shape = reading.shape(try layer.input())
            let (mode, size): (String, Int) = (layer.parameters.mode, layer.parameters.blockSize)
            return [
                try layer.composed(&reading) { composed, x in
                    let exchange: BlockExchange.Exchange? =
                        switch mode {
                        case "SPACE_TO_DEPTH": .spaceToDepth
                        case "DEPTH_TO_SPACE": .depthToSpace
                        case "PIXEL_SHUFFLE": .pixelShuffle
                        default: nil
                        }
                    guard let blocks = exchange.map({ BlockExchange(exchange: $0, size: size) }),
                        let result = try composed.exchanged(x, blocks, shape)
                    else {
                        throw layer.refused("blocks of \(size)×\(size) do not fit a tensor of shape \(shape)")
                    }
                    return result
                }
            ]
        },
        NeuralRule("slice") { layer, reading in
            let shape = reading.shape(try layer.input())
            let parameters = layer.parameters
            let axes = ["CHANNEL_AXIS": 1, "HEIGHT_AXIS": 2, "WIDTH_AXIS": 3]
            let (start, end, given): (Int, Int, Int) = (parameters.startIndex, parameters.endIndex, parameters.stride)
            guard shape.rank == 4, let axis = axes[parameters.axis as String] else {
                throw Failure.wrongRank(4, shape).at(layer.name)
            }
            let (size, step) = (shape[axis], Swift.max(1, given))
            // Negative indices count from the end; an end of -1 excludes the last element (NeuralNetwork.proto).
            guard (-size...size).contains(start), (-size...size).contains(end), StridedSlice.Range.isStep(step) else {
                throw layer.refused("a slice from \(start) to \(end) of a tensor of shape \(shape) is not supported")
            }
            var ranges = shape.map { StridedSlice.Range(start: 0, count: $0) }
            ranges[axis] = StridedSlice.Range(from: start, to: end, step: step, of: size)
            guard ranges[axis].count > 0 else {
                throw layer.refused("a slice from \(start) to \(end) of a tensor of shape \(shape) is empty")
            }
            return [try reading.add(StridedSlice(ranges: ranges), [layer.input()], layer)]
        },
        NeuralRule("reduceL1", "reduceSumSquare", "reduceLogSum", "reduceLogSumExp", "reduceL2") { layer, reading in
            let shape = reading.shape(try layer.input())
            let named = try (layer.parameters.axes as [Int]).map { try shape.axis($0) }
            let axes = layer.parameters.reduceAll as Bool || named.isEmpty ? Array(shape.indices) : Set(named).sorted()
            let kinds: [String: Composed<Graph.Value>.Sum] = [
                "reduceL1": .magnitudes, "reduceSumSquare": .squares, "reduceLogSum": .logarithm,
                "reduceLogSumExp": .logarithmOfExponentials, "reduceL2": .length,
            ]
            return [
                try layer.composed(&reading) {
                    try $0.sum(kinds[layer.kind]!, $1, axes: axes, keepsAxes: layer.parameters.keepDims)
                }
            ]
        },
    ]

    /// Imports an activation that the graph has no function for. Nil if it is unknown.
    static func activation(_ kind: String, _ layer: NeuralLayer, _ reading: inout NeuralReading) throws -> Graph.Value?
    {
        let parameters: Message = layer.parameters[kind]
        /// Values for each channel, or one for all.
        func channels(_ key: String, _ shape: Shape) throws -> Tensor {
            guard shape.rank >= 3 else { throw Failure.wrongRank(4, shape).at(layer.name) }
            let message: Message = parameters[key]
            let single = try? layer.weights(message, [1])
            return try single ?? layer.weights(message, [shape[shape.rank - 3], 1, 1])
        }
        let shape = reading.shape(try layer.input())
        switch kind {
        case "thresholdedReLU":
            return try layer.composed(&reading) { try $0.thresholdedRelu($1, bound: parameters.alpha) }
        case "scaledTanh":
            return try layer.composed(&reading) {
                try $0.scaledTanh($1, outer: parameters.alpha, inner: parameters.beta)
            }
        case "PReLU":
            let slopes = try channels("alpha", shape)
            return try layer.composed(&reading) { try $0.parametricRelu($1, slopes: slopes) }
        case "parametricSoftplus":
            let (outer, inner) = (try channels("alpha", shape), try channels("beta", shape))
            return try layer.composed(&reading) { try $0.parametricSoftplus($1, outer: outer, inner: inner) }
        default: return nil
        }
    }
}

extension NeuralLayer {
    /// Applies a composition to the layer's first input.
    func composed(
        _ reading: inout NeuralReading, _ body: (Composed<Graph.Value>, Graph.Value) throws -> Graph.Value
    ) throws -> Graph.Value {
        let first = try input()
        return try withoutActuallyEscaping(
            { try reading.add($0, $1, self) }, do: { try body(Composed(add: $0), first) })
    }
}
