extension Reshape: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool {
        Reshape.asImage(inputs[0].shape) != nil && Reshape.asImage(shape) != nil
    }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        guard layers.arrays == .images else {
            return layers.add(node) { $0.reshapeStatic.targetShape = shape.dimensions }
        }
        // As images, a row and a 1×1 image are the same.
        guard let from = Reshape.asImage(node.input.shape), let to = Reshape.asImage(shape) else {
            preconditionFailure("\(node.name) does not fit images")
        }
        if from == to {
            layers.alias(node)
        } else if to[1] == 1, to[2] == 1 {
            layers.add(node) { $0.choose("flatten") }
        } else {
            layers.add(node) { $0.reshape.targetShape = to }
        }
    }

    /// Channel, height and width of a tensor that has the shape of an image or a row.
    private static func asImage(_ shape: Shape) -> [Int]? {
        switch shape.rank {
        case 4 where shape[0] == 1: Array(shape.dimensions.dropFirst())
        case 2 where shape[0] == 1: [shape[1], 1, 1]
        default: nil
        }
    }
}

// MARK: Reading

extension Reshape {
    static let neural = [
        NeuralRule("flatten", build: flatten),
        NeuralRule("reshape", build: reshapeImage),
        NeuralRule("reshapeStatic") { layer, reading in
            let reshape = try Reshape(layer.input().shape, to: layer.parameters.targetShape, layer)
            return [try reading.add(reshape, layer.input(), layer)]
        },
        NeuralRule("reshapeLike") { layer, reading in
            let reshape = try Reshape(layer.input().shape, to: layer.input(1).shape.dimensions, layer)
            return [try reading.add(reshape, layer.input(), layer)]
        },
        NeuralRule("reshapeDynamic") { layer, reading in
            let reshape = try Reshape(layer.input().shape, to: layer.integers(1), layer)
            return [try reading.add(reshape, layer.input(), layer)]
        },
        NeuralRule("rankPreservingReshape") { layer, reading in
            let shape = try layer.input().shape
            let target: [Int] = layer.parameters.targetShape
            guard target.count == shape.rank else { throw Failure.wrongRank(target.count, shape).at(layer.name) }
            let kept = target.indices.map { target[$0] == 0 ? shape[$0] : target[$0] }
            return [try reading.add(Reshape(shape, to: kept, layer), layer.input(), layer)]
        },
        NeuralRule("flattenTo2D") { layer, reading in
            let input = try layer.input()
            return [try reading.add(Reshape.flattening(input.shape, at: layer.parameters.axis), input, layer)]
        },
        NeuralRule("squeeze") { layer, reading in
            let shape = try layer.input().shape
            let axes = try (layer.parameters.axes as [Int]).map { try shape.axis($0) }
            let kept = shape.indices.filter {
                layer.parameters.squeezeAll as Bool ? shape[$0] != 1 : !axes.contains($0)
            }
            return [try reading.add(Reshape(Shape(kept.map { shape[$0] })), layer.input(), layer)]
        },
        NeuralRule("expandDims") { layer, reading in
            let reshape = try Reshape(layer.input().shape, adding: layer.parameters.axes, layer)
            return [try reading.add(reshape, layer.input(), layer)]
        },
    ]

    /// Flattens each image to the channels of one pixel.
    private static func flatten(_ layer: NeuralLayer, _ reading: inout ImportContext) throws -> [Operand] {
        let input = try layer.input()
        let shape = input.shape
        let rank = shape.rank
        guard rank >= 3 else { throw Failure.tooFewAxes(3, shape).at(layer.name) }
        let channelsLast = Array(0..<rank - 3) + [rank - 2, rank - 1, rank - 3]
        let ordered =
            layer.parameters.mode as String == "CHANNEL_LAST"
            ? try reading.add(Transpose(channelsLast), input, layer) : input
        let flat = Shape(shape.dropLast(3) + [shape.suffix(3).reduce(1, *), 1, 1])
        return [try reading.add(Reshape(flat), ordered, layer)]
    }

    /// Reshapes an image, with its elements in one of two orders.
    private static func reshapeImage(_ layer: NeuralLayer, _ reading: inout ImportContext) throws -> [Operand] {
        let input = try layer.input()
        let shape = input.shape
        let target = (layer.parameters.targetShape as [Int]).suffix(3)
        guard target.count == 3, shape.rank == 4 else { throw layer.refused("the target shape must have rank 3") }
        guard layer.parameters.mode as String == "CHANNEL_LAST" else {
            return [try reading.add(Reshape(Shape([shape[0]] + target)), input, layer)]
        }
        // Elements are read and written in the order height, width, channel.
        let sizes = Array(target)
        let channelsLast = try reading.add(Transpose(Graph.toLast), input, layer)
        let shaped = try reading.add(Reshape([shape[0], sizes[1], sizes[2], sizes[0]]), channelsLast, layer)
        return [try reading.add(Transpose(Graph.toFirst), shaped, layer)]
    }
}
