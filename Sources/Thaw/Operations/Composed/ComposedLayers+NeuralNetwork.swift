/// Neural network layers that are imported as a combination of several graph operations.
enum ComposedLayers {
    static let neural = [
        NeuralRule("clampedReLU") { layer, reading in
            let parameters = layer.parameters
            return [try reading.clampedRelu(layer.input(), slope: parameters.alpha, bound: parameters.beta, layer)]
        },
        NeuralRule("tan") { layer, reading in [try reading.tangent(layer.input(), layer)] },
        NeuralRule("exp2") { layer, reading in [try reading.powerOfTwo(layer.input(), layer)] },
        NeuralRule("mvn") { layer, reading in
            let parameters = layer.parameters
            let x = try layer.input()
            let given: Float = parameters.epsilon
            let axes = try layer.imageAxes()
            return [
                try reading.centered(
                    x, axes: parameters.acrossChannels ? axes : Array(axes.dropFirst()),
                    isScaled: parameters.normalizeVariance, epsilon: given == 0 ? 1e-6 : given, layer)
            ]
        },
        NeuralRule("l2normalize") { layer, reading in
            let axes = try layer.imageAxes()
            let given: Float = layer.parameters.epsilon
            return [try reading.l2Normalized(layer.input(), axes: axes, epsilon: given == 0 ? 1e-6 : given, layer)]
        },
        NeuralRule("average") { layer, reading in
            let sum = try layer.inputs.dropFirst().reduce(layer.input()) { try reading.combine(.add, $0, $1, layer) }
            return [try reading.apply(.multiply, sum, 1 / Float(layer.inputs.count), layer)]
        },
        NeuralRule("dot", build: dot),
        NeuralRule(onImages: "reorganizeData", build: reorganizedData),
        NeuralRule("slice", build: slice),
        NeuralRule("reduceL1", "reduceSumSquare", "reduceLogSum", "reduceLogSumExp", "reduceL2") { layer, reading in
            let kinds: [String: ImportContext.Sum] = [
                "reduceL1": .l1Norm, "reduceSumSquare": .sumOfSquares, "reduceLogSum": .logSum,
                "reduceLogSumExp": .logSumExp, "reduceL2": .l2Norm,
            ]
            return [
                try reading.sum(
                    kinds[layer.kind]!, layer.input(), axes: layer.reducedAxes(), keepsAxes: layer.parameters.keepDims,
                    layer)
            ]
        },
    ]

    /// The dot products of images, or of images divided by their norms.
    private static func dot(_ layer: NeuralLayer, _ reading: inout ImportContext) throws -> [Operand] {
        let (a, b) = (try layer.input(), try layer.input(1))
        let axes = try layer.imageAxes()
        guard a.shape == b.shape else { throw Failure.shapesDiffer(a.shape, b.shape).at(layer.name) }
        let sum = Reduction(function: .sum, axes: axes, keepsAxes: true)
        var factors = [a, b]
        if layer.parameters.cosineSimilarity as Bool {
            factors = try factors.map { try reading.l2Normalized($0, axes: axes, epsilon: 0, layer) }
        }
        return [try reading.add(sum, reading.combine(.multiply, factors[0], factors[1], layer), layer)]
    }

    /// Exchanges blocks of pixels and channels.
    private static func reorganizedData(_ layer: NeuralLayer, _ reading: inout ImportContext) throws -> [Operand] {
        let shape = try layer.input().shape
        let (mode, size): (String, Int) = (layer.parameters.mode, layer.parameters.blockSize)
        let exchanges: [String: BlockExchange.Exchange] = [
            "SPACE_TO_DEPTH": .spaceToDepth, "DEPTH_TO_SPACE": .depthToSpace, "PIXEL_SHUFFLE": .pixelShuffle,
        ]
        let blocks = exchanges[mode].map { BlockExchange(exchange: $0, size: size) }
        guard let result = try blocks.flatMap({ try reading.exchanged(layer.input(), $0, layer) }) else {
            throw layer.refused("blocks of \(size)×\(size) do not fit a tensor of shape \(shape)")
        }
        return [result]
    }

    /// A slice along one axis of an image.
    private static func slice(_ layer: NeuralLayer, _ reading: inout ImportContext) throws -> [Operand] {
        let shape = try layer.input().shape
        let parameters = layer.parameters
        let axes = ["CHANNEL_AXIS": -3, "HEIGHT_AXIS": -2, "WIDTH_AXIS": -1]
        let (start, end, given): (Int, Int, Int) = (parameters.startIndex, parameters.endIndex, parameters.stride)
        guard let axis = try axes[parameters.axis as String].map({ try shape.axis($0) }) else {
            throw layer.refused("the axis \(parameters.axis as String) is unknown")
        }
        let (size, step) = (shape[axis], Swift.max(1, given))
        // Negative indices count from the end; an end of -1 excludes the last element (NeuralNetwork.proto).
        guard (-size...size).contains(start), (-size...size).contains(end), StridedSlice.Range.isStep(step) else {
            throw layer.refused("a slice from \(start) to \(end) of a tensor of shape \(shape) is not supported")
        }
        let range = StridedSlice.Range(from: start, to: end, step: step, of: size)
        guard range.count > 0 else {
            throw layer.refused("a slice from \(start) to \(end) of a tensor of shape \(shape) is empty")
        }
        return [try reading.add(StridedSlice(range, along: axis, of: shape), layer.input(), layer)]
    }

    /// Imports an activation that is not a single function in the graph. Nil if it is unknown.
    static func activation(_ kind: String, _ layer: NeuralLayer, _ reading: inout ImportContext) throws -> Operand? {
        let parameters: Message = layer.parameters[kind]
        let x = try layer.input()
        /// Values for each channel, or one for all.
        func channels(_ key: String) throws -> Tensor {
            guard x.shape.rank >= 3 else { throw Failure.tooFewAxes(3, x.shape).at(layer.name) }
            let message: Message = parameters[key]
            let single = try? layer.weights(message, [1])
            return try single ?? layer.weights(message, [x.shape[x.shape.rank - 3], 1, 1])
        }
        switch kind {
        case "ELU": return try reading.elu(x, alpha: parameters.alpha, layer)
        case "scaledTanh":
            return try reading.scaledTanh(x, outer: parameters.alpha, inner: parameters.beta, layer)
        case "PReLU": return try reading.parametricRelu(x, slopes: channels("alpha"), layer)
        case "parametricSoftplus":
            return try reading.parametricSoftplus(x, outer: channels("alpha"), inner: channels("beta"), layer)
        default: return nil
        }
    }
}

extension NeuralLayer {
    /// The axes of an image in the first input: channel, height and width.
    fileprivate func imageAxes() throws -> [Int] {
        let shape = try input().shape
        guard shape.rank >= 3 else { throw Failure.tooFewAxes(3, shape).at(name) }
        return Array(shape.indices.suffix(3))
    }
}
