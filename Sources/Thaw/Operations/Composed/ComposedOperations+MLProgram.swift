/// ML Program operations that are imported as a combination of several graph operations.
enum ComposedOperations {
    static let mil = [
        MILRule("clamped_relu") { op, reading in
            let (slope, bound) = (try op.number("alpha"), try op.number("beta"))
            return [try reading.clampedRelu(op.operand(), slope: slope, bound: bound, op)]
        },
        MILRule("softplus_parametric") { op, reading in
            let numbers = try ["alpha", "beta"].map { try op.channelwise($0) }
            return [try reading.parametricSoftplus(op.operand(), outer: numbers[0], inner: numbers[1], op)]
        },
        MILRule("prelu") { op, reading in
            [try reading.parametricRelu(op.operand(), slopes: op.channelwise("alpha"), op)]
        },
        MILRule("elu") { op, reading in [try reading.elu(op.operand(), alpha: op.number("alpha"), op)] },
        MILRule("scaled_tanh") { op, reading in
            let (outer, inner) = (try op.number("alpha"), try op.number("beta"))
            return [try reading.scaledTanh(op.operand(), outer: outer, inner: inner, op)]
        },
        MILRule("tan") { op, reading in [try reading.tangent(op.operand(), op)] },
        MILRule("exp2") { op, reading in [try reading.powerOfTwo(op.operand(), op)] },
        MILRule("l2_norm") { op, reading in
            let rank = try op.operand().shape.rank
            guard rank >= 3 else { throw Failure.tooFewAxes(3, try op.operand().shape).at(op.location) }
            let epsilon = try op.number("epsilon", default: 1e-6)
            return [try reading.l2Normalized(op.operand(), axes: Array(rank - 3..<rank), epsilon: epsilon, op)]
        },
        MILRule("reduce_l1_norm", "reduce_log_sum", "reduce_log_sum_exp", "reduce_sum_square", "reduce_l2_norm") {
            op, reading in
            let kinds: [String: ImportContext.Sum] = [
                "reduce_l1_norm": .l1Norm, "reduce_log_sum": .logSum,
                "reduce_log_sum_exp": .logSumExp, "reduce_sum_square": .sumOfSquares,
                "reduce_l2_norm": .l2Norm,
            ]
            let x = try op.operand()
            let keepsAxes = try op.bool("keep_dims", default: false)
            return [try reading.sum(kinds[op.kind]!, x, axes: op.axes(x), keepsAxes: keepsAxes, op)]
        },
        MILRule("depth_to_space") { op, reading in [try exchanged(op, &reading, .depthToSpace, "block_size")] },
        MILRule("space_to_depth") { op, reading in [try exchanged(op, &reading, .spaceToDepth, "block_size")] },
        MILRule("pixel_shuffle") { op, reading in [try exchanged(op, &reading, .pixelShuffle, "upscale_factor")] },
        MILRule("pixel_unshuffle") { op, reading in
            [try exchanged(op, &reading, .pixelUnshuffle, "downscale_factor")]
        },
    ]

    private static func exchanged(
        _ op: MILRead, _ reading: inout ImportContext, _ exchange: BlockExchange.Exchange, _ key: String
    ) throws -> Operand {
        let x = try op.operand()
        let size = try op.integer(key)
        guard let result = try reading.exchanged(x, BlockExchange(exchange: exchange, size: size), op) else {
            throw op.refused("blocks of \(size)×\(size) do not fit a tensor of shape \(x.shape)")
        }
        return result
    }
}

extension MILRead {
    /// A constant with one value for each channel, in a shape that broadcasts over the operation's first argument.
    fileprivate func channelwise(_ key: String) throws -> Tensor {
        let shape = try operand().shape
        guard shape.rank >= 3 else { throw Failure.tooFewAxes(3, shape).at(location) }
        return try channels(key, shape[1]).reshaped(Shape([shape[1]] + Array(repeating: 1, count: shape.rank - 2)))
    }
}
