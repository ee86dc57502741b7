import Kernels

/// Batch normalization at inference: each channel times a factor plus an offset.
///
/// The channel is the last axis. In terms of statistics: scale = gamma / √(variance + epsilon), offset = beta − mean
/// · scale.
struct BatchNormalization: Operation {
    /// One value per channel.
    var scale: Tensor
    var offset: Tensor

    var kind: String { "BatchNormalization" }
    var weights: [Tensor] { [scale, offset] }
    var isSpatial: Bool { true }

    init(scale: Tensor, offset: Tensor) {
        self.scale = scale
        self.offset = offset
    }

    /// From the trained parameters and statistics, with one value per channel each.
    init(gamma: [Float], beta: [Float], mean: [Float], variance: [Float], epsilon: Float) {
        let scale = gamma.indices.map { Double(gamma[$0]) / (Double(variance[$0]) + Double(epsilon)).squareRoot() }
        let offset = beta.indices.map { Float(Double(beta[$0]) - Double(mean[$0]) * scale[$0]) }
        self.init(
            scale: Tensor(scale.map { Float($0) }, shape: [gamma.count]), offset: Tensor(offset, shape: [gamma.count]))
    }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        guard let channels = inputs[0].shape.last, channels == scale.elementCount else {
            throw Failure.channelMismatch(inputs[0].shape.last ?? 0, scale.elementCount)
        }
        return [inputs[0]]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let factors = scale.floats
        let offsets = offset.floats
        return inputs[0].withFloats { x in
            [
                Tensor(shape: inputs[0].shape) { y in
                    for i in 0..<y.count {
                        let channel = i % factors.count
                        y[i] = Float(Double(x[i]) * Double(factors[channel]) + Double(offsets[channel]))
                    }
                }
            ]
        }
    }
}

// MARK: Facts

extension BatchNormalization {
    var family: Family { .normalization }
    var quantizedRole: QuantizedRole { .arithmetic }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        axis == inputs[0].shape.rank - 1 ? .weighted(axis) : .kept(axis)
    }

    init(_ arithmetic: ChannelArithmetic) {
        let channels = arithmetic.scale.count
        self.init(
            scale: Tensor(arithmetic.scale.map { Float($0) }, shape: [channels]),
            offset: Tensor(arithmetic.offset.map { Float($0) }, shape: [channels]))
    }

    func channelArithmetic(on type: TensorType) -> ChannelArithmetic? {
        ChannelArithmetic(scale: scale.floats.map(Double.init), offset: offset.floats.map(Double.init))
    }

    func mergingAxes(_ inputs: [Shape], _ output: Shape) -> (operation: any Operation, groups: AxisGroups)? {
        (self, AxisGroups(output, apart: output.rank - 1))
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption { Caption("Batch normalization") }
}

// MARK: TensorFlow

extension BatchNormalization {
    static let tensorFlow = [
        TensorFlowRule("BatchNormWithGlobalNormalization", axes: .channelsLast, roles: []) { node, context in
            let names = ["mean", "variance", "offset", "scale"]
            var parameters = try names.enumerated().map { try node.constant($0.offset + 1, $0.element).floats }
            guard parameters.allSatisfy({ $0.count == parameters[0].count }) else {
                throw node.refused("mean, variance, offset and scale have different lengths")
            }
            if try !node.bool("scale_after_normalization", default: true) {
                parameters[3] = [Float](repeating: 1, count: parameters[3].count)
            }
            let normalization = BatchNormalization(
                gamma: parameters[3], beta: parameters[2], mean: parameters[0], variance: parameters[1],
                epsilon: try node.float("variance_epsilon", default: 0.001))
            return [try context.add(normalization, node.input(0), name: node.name)]
        },
        TensorFlowRule(
            "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", axes: .image(input: 0),
            roles: [.batchNormalization, .map]
        ) { node, context in
            guard try !node.bool("is_training", default: true) else {
                if let normalization = try ofOneImage(node, context) {
                    // The statistics of the image are not computed. A consumer of them is refused.
                    return [try context.add(normalization, node.input(0), name: node.name)]
                }
                throw node.refused(
                    "the batch normalization is in training mode (is_training)",
                    remedy:
                        "export the model with training=False; if the file still has the moving averages, "
                        + "\(option: .batchNorm) inference uses them")
            }
            let names = ["scale", "offset", "mean", "variance"]
            let parameters = try names.enumerated().map { try node.constant($0.offset + 1, $0.element).floats }
            guard parameters.allSatisfy({ $0.count == parameters[0].count }) else {
                throw node.refused("scale, offset, mean and variance have different lengths")
            }
            let normalization = BatchNormalization(
                gamma: parameters[0], beta: parameters[1], mean: parameters[2], variance: parameters[3],
                epsilon: try node.float("epsilon", default: 0.0001))
            let result = try context.image(node, node.input(0)) { image, context in
                try context.add(normalization, image, name: node.name)
            }
            // The statistics are passed on for training only. Any consumer of them in this graph gets the constants.
            return [result] + [3, 4, 3, 4, 3].map { node.inputs[$0] }
        },
    ]

    /// The only intended use of batch normalization in training mode: a single image, reshaped so that its statistics
    /// are those of a layer normalization. (Keras's layer does this.)
    private static func ofOneImage(_ node: TensorFlowNode, _ context: ImportContext) throws -> Normalization? {
        guard case .edge(let value, let type) = try node.input(0), type.shape.rank == 4, type.shape[0] == 1,
            context.builder.producer(of: value)?.operation is Reshape
        else { return nil }
        let isLast = try node.string("data_format", default: "NHWC") == "NHWC"
        let parameters = try ["scale", "offset"].enumerated().map { index, role in
            let numbers = try node.constant(index + 1, role)
            let channels = type.shape[isLast ? 3 : 1]
            guard numbers.elementCount == channels else {
                throw Failure.channelMismatch(channels, numbers.elementCount)
            }
            return numbers.asFloat32.reshaped(isLast ? [channels] : [channels, 1, 1])
        }
        return Normalization(
            axes: isLast ? [0, 1, 2] : [0, 2, 3], epsilon: try node.float("epsilon", default: 0.0001),
            scale: parameters[0].unless(1), offset: parameters[1].unless(0))
    }
}

// MARK: Core ML

extension BatchNormalization: CoreMLOperation {
    /// Core ML's layers normalize images, among which the older layers count rows.
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? {
        if case .neuralNetwork(.images, _) = parts.dialect { return nil }
        guard inputs[0].shape.rank != 4 else { return nil }
        let scaled = try parts.add(Binary(.multiply, constant: scale), inputs[0], as: "scaled")
        return try parts.add(Binary(.add, constant: offset), scaled)
    }
}

// MARK: Engine

extension BatchNormalization: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .scale(factor: scale, offset: offset)
    }
}

// MARK: Integers

extension BatchNormalization: QuantizableOperation {
    func integerOperation(_ use: QuantizedUse) -> (any Operation)? {
        channelArithmetic(on: use.types[0]).flatMap { IntegerScale($0, use) }
    }
}
