/// ML Program operations that are imported as a combination of several graph operations.
enum ComposedOperations {
    static let mil = [
        MILRule("clamped_relu") { op, reading in
            let (slope, bound) = (try op.number("alpha"), try op.number("beta"))
            return [try op.composed(&reading) { try $0.clampedRelu($1, slope: slope, bound: bound) }]
        },
        MILRule("thresholded_relu") { op, reading in
            let bound = try op.number("alpha", default: 1)
            return [try op.composed(&reading) { try $0.thresholdedRelu($1, bound: bound) }]
        },
        MILRule("softplus_parametric") { op, reading in
            let shape = try op.operand().shape
            guard shape.rank >= 3 else { throw Failure.wrongRank(4, shape).at(op.place) }
            let repeated = Shape([shape[1]] + Array(repeating: 1, count: shape.rank - 2))
            let numbers = try ["alpha", "beta"].map { try op.channels($0, shape[1]).reshaped(repeated) }
            return [try op.composed(&reading) { try $0.parametricSoftplus($1, outer: numbers[0], inner: numbers[1]) }]
        },
        MILRule("tan") { op, reading in [try op.composed(&reading) { try $0.tangent($1) }] },
        MILRule("exp2") { op, reading in [try op.composed(&reading) { try $0.powerOfTwo($1) }] },
        MILRule("l2_norm") { op, reading in
            let rank = try op.operand().shape.rank
            guard rank >= 3 else { throw Failure.wrongRank(4, try op.operand().shape).at(op.place) }
            let epsilon = try op.number("epsilon", default: 1e-6)
            return [
                try op.composed(&reading) { try $0.unitLength($1, axes: Array(rank - 3..<rank), epsilon: epsilon) }
            ]
        },
        MILRule("reduce_l1_norm", "reduce_log_sum", "reduce_log_sum_exp") { op, reading in
            let kinds: [String: Composed<Operand>.Sum] = [
                "reduce_l1_norm": .magnitudes, "reduce_log_sum": .logarithm,
                "reduce_log_sum_exp": .logarithmOfExponentials,
            ]
            let axes = try op.axes(op.operand())
            let keepsAxes = try op.bool("keep_dims", default: false)
            return [try op.composed(&reading) { try $0.sum(kinds[op.kind]!, $1, axes: axes, keepsAxes: keepsAxes) }]
        },
        MILRule("depth_to_space") { op, reading in [try exchanged(op, &reading, .depthToSpace, "block_size")] },
        MILRule("space_to_depth") { op, reading in [try exchanged(op, &reading, .spaceToDepth, "block_size")] },
        MILRule("pixel_shuffle") { op, reading in [try exchanged(op, &reading, .pixelShuffle, "upscale_factor")] },
        MILRule("pixel_unshuffle") { op, reading in
            [try exchanged(op, &reading, .pixelUnshuffle, "downscale_factor")]
        },
    ]

    private static func exchanged(
        _ op: MILRead, _ reading: inout MILReading, _ exchange: BlockExchange.Exchange, _ key: String
    ) throws -> Operand {
        let shape = try op.operand().shape
        let size = try op.integer(key)
        return try op.composed(&reading) { composed, x in
            guard let result = try composed.exchanged(x, BlockExchange(exchange: exchange, size: size), shape) else {
                throw op.refused("blocks of \(size)×\(size) do not fit a tensor of shape \(shape)")
            }
            return result
        }
    }
}

extension MILRead {
    /// Applies a composition to the operation's first argument.
    func composed(
        _ reading: inout MILReading, _ body: (Composed<Operand>, Operand) throws -> Operand
    ) throws -> Operand {
        let x = try operand()
        return try withoutActuallyEscaping({ try reading.add($0, $1, self)[0] }, do: { try body(Composed(add: $0), x) })
    }
}
