/// Depth-to-space and space-to-depth rearrangements.
///
/// In graphs these are reshapes and transposes, which passes and engine already handle. Because Core ML has a
/// dedicated layer, they are recognized before writing: see `Graph.withRecognizedBlocks`. Only floating-point tensors are
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
        guard let rearrangement = rearrangement(of: shape, .channelsLast) else {
            throw Failure.notDivisible(shape, "\(size)×\(size)")
        }
        return [TensorType(rearrangement.result, inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) throws -> [Tensor] {
        try rearrangement(of: inputs[0].shape, .channelsLast)!.steps.reduce(inputs) { try $1.evaluate($0) }
    }

    /// How the axes of an image of this shape move; nil if its size does not fit the blocks.
    func rearrangement(of shape: Shape, _ channelOrder: Graph.ChannelOrder) -> Rearrangement? {
        guard shape.rank == 4, (1..<1 << 12).contains(size), shape.allSatisfy({ $0 < 1 << 31 }) else { return nil }
        let isLast = channelOrder == .channelsLast
        let image = isLast ? shape : shape.permuted(Graph.toLast)
        let (height, width, depth) = (image[1], image[2], image[3])
        let (pixels, channels, result): ([Int], [Int], [Int])
        let isDivisible: Bool
        switch exchange {
        case .depthToSpace, .pixelShuffle:
            let rest = depth / (size * size)
            isDivisible = rest * size * size == depth
            pixels = [height, width]
            channels = exchange == .depthToSpace ? [size, size, rest] : [rest, size, size]
            result = [height * size, width * size, rest]
        case .spaceToDepth, .pixelUnshuffle:
            isDivisible = height % size == 0 && width % size == 0
            pixels = [height / size, size, width / size, size]
            channels = [depth]
            result = [height / size, width / size, depth * size * size]
        }
        guard isDivisible else { return nil }
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

// MARK: Facts

extension BlockExchange {
    var family: Family { .arrangement }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse { axis == 0 ? .kept(0) : .rearranged }
}

extension BlockExchange: CoreMLOperation {
    /// The neural network layer's other modes are newer than exact tensor shapes. ML Programs support `pixelUnshuffle`
    /// only since iOS 16.
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? {
        switch exchange {
        case .depthToSpace, .spaceToDepth: return nil
        case .pixelShuffle where parts.dialect.isProgram: return nil
        case .pixelShuffle, .pixelUnshuffle:
            return try parts.add(rearrangement(of: inputs[0].shape, .channelsFirst)!.steps, to: inputs[0])
        }
    }
}

extension BlockExchange: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool { true }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        layers.add(node) { layer in
            layer.reorganizeData.mode = exchange == .depthToSpace ? "DEPTH_TO_SPACE" : "SPACE_TO_DEPTH"
            layer.reorganizeData.blockSize = size
        }
    }
}

extension BlockExchange: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let isUpscaling = exchange == .pixelShuffle
        let kind = isUpscaling ? "pixel_shuffle" : exchange == .depthToSpace ? "depth_to_space" : "space_to_depth"
        block.add(
            kind, node,
            ["x": .value(node.input), isUpscaling ? "upscale_factor" : "block_size": .integer(size)])
    }
}
