extension BatchNormalization: MILOperation {
    /// Makes the variance add up to 1. An epsilon of 0 might select a default. Half precision represents both this
    /// power of two and 1 minus it exactly.
    private static let epsilon: Float = 0x1p-11

    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add("batch_norm", node, arguments(.value(node.input)))
    }

    /// The arguments of `batch_norm`.
    func arguments(_ x: MILArgument) -> KeyValuePairs<String, MILArgument> {
        let channels = scale.elementCount
        let all = { (number: Float) in
            MILArgument.constant(Tensor(Array(repeating: number, count: channels), shape: [channels]))
        }
        return [
            "x": x, "mean": all(0), "variance": all(1 - Self.epsilon), "gamma": .constant(scale),
            "beta": .constant(offset), "epsilon": .number(Self.epsilon),
        ]
    }
}

// MARK: Reading

extension BatchNormalization {
    static let mil = [
        MILRule("batch_norm") { op, reading in
            let x = try op.operand()
            guard x.shape.rank >= 3 else { throw Failure.tooFewAxes(3, x.shape).at(op.location) }
            let channels = x.shape[1]
            // First: their size limits that of the defaults.
            let mean = try op.channels("mean", channels).floats
            func channelValues(_ key: String, default number: Float) throws -> [Float] {
                try op.has(key) ? op.channels(key, channels).floats : [Float](repeating: number, count: channels)
            }
            let normalization = BatchNormalization(
                gamma: try channelValues("gamma", default: 1), beta: try channelValues("beta", default: 0),
                mean: mean, variance: try op.channels("variance", channels).floats,
                epsilon: try op.number("epsilon", default: 1e-5))
            if x.shape.rank == 4 { return [try reading.add(normalization, x, op)] }
            let shape = Shape([channels] + Array(repeating: 1, count: x.shape.rank - 2))
            let product = try reading.combine(.multiply, x, .constant(normalization.scale.reshaped(shape)), op)
            return [try reading.combine(.add, product, .constant(normalization.offset.reshaped(shape)), op)]
        }
    ]
}
