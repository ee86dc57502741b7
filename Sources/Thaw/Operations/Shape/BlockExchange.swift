/// Depth-to-space and space-to-depth rearrangements.
///
/// In graphs these are reshapes and transposes, which passes and engine already handle. Because Core ML has a
/// dedicated layer, they are recognized before writing: see `Graph.withNamedBlocks`. Only floating-point tensors are
/// rearranged this way.
struct BlockExchange: Operation {
    enum Exchange: Hashable, Sendable, CaseIterable {
        /// Moves channels to blocks of pixels. Either the channels of the same pixel are adjacent, or the pixels of
        /// the same channel.
        case depthToSpace, pixelShuffle
        /// The inverse operations.
        case spaceToDepth, pixelUnshuffle
    }

    var exchange: Exchange
    /// The side length of a block in pixels.
    var size: Int

    var kind: String { "BlockExchange" }
    var isSpatial: Bool { true }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let shape = inputs[0].shape
        guard let rearrangement = rearrangement(of: shape, .last) else {
            throw Failure.uneven(shape, "\(size)×\(size)")
        }
        return [TensorType(rearrangement.result, inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        rearrangement(of: inputs[0].shape, .last)!.steps.reduce(inputs) { $1.evaluate($0) }
    }

    /// How the axes of an image of this shape move; nil if its size does not fit the blocks.
    func rearrangement(of shape: Shape, _ channelOrder: Graph.ChannelOrder) -> Rearrangement? {
        guard shape.rank == 4, (1..<1 << 12).contains(size) else { return nil }
        let isLast = channelOrder == .last
        let image = isLast ? shape : shape.permuted(Graph.toLast)
        let (height, width, depth) = (image[1], image[2], image[3])
        let (pixels, channels, result): ([Int], [Int], [Int])
        let isTaken: Bool
        switch exchange {
        case .depthToSpace, .pixelShuffle:
            let rest = depth / (size * size)
            isTaken = rest * size * size == depth
            pixels = [height, width]
            channels = exchange == .depthToSpace ? [size, size, rest] : [rest, size, size]
            result = [height * size, width * size, rest]
        case .spaceToDepth, .pixelUnshuffle:
            isTaken = height % size == 0 && width % size == 0
            pixels = [height / size, size, width / size, size]
            channels = [depth]
            result = [height / size, width / size, depth * size * size]
        }
        guard isTaken else { return nil }
        let order =
            switch (exchange, isLast) {
            case (.depthToSpace, true), (.spaceToDepth, true): [0, 1, 3, 2, 4, 5]
            case (.depthToSpace, false): [0, 3, 4, 1, 5, 2]
            case (.spaceToDepth, false): [0, 3, 5, 1, 2, 4]
            case (.pixelShuffle, _): [0, 1, 4, 2, 5, 3]
            case (.pixelUnshuffle, _): [0, 1, 3, 5, 2, 4]
            }
        let target = Shape([image[0]] + result)
        return Rearrangement(
            axes: [image[0]] + (isLast ? pixels + channels : channels + pixels), order: order,
            result: isLast ? target : target.permuted(Graph.toFirst))
    }
}

extension BlockExchange: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        let modes: [Exchange: String] = [.depthToSpace: "DEPTH_TO_SPACE", .spaceToDepth: "SPACE_TO_DEPTH"]
        guard let mode = modes[exchange] else {
            // The layer's other modes are newer than exact tensor shapes.
            try layers.requireExactArrays()
            return try layers.addSteps(rearrangement(of: node.input.shape, .first)!.steps, node)
        }
        layers.add(node) { layer in
            layer.reorganizeData.mode = mode
            layer.reorganizeData.blockSize = size
        }
    }
}

extension BlockExchange: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        switch exchange {
        case .depthToSpace:
            block.add("depth_to_space", node, ["x": .value(node.input), "block_size": .integer(size)])
        case .spaceToDepth:
            block.add("space_to_depth", node, ["x": .value(node.input), "block_size": .integer(size)])
        case .pixelShuffle:
            block.add("pixel_shuffle", node, ["x": .value(node.input), "upscale_factor": .integer(size)])
        case .pixelUnshuffle:
            // ML Programs support this only since iOS 16.
            try block.addSteps(rearrangement(of: node.input.shape, .first)!.steps, node)
        }
    }
}
