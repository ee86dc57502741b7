extension Softmax: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        guard isLogarithmic else {
            return block.add("softmax", node, ["x": .value(node.input), "axis": .integer(axis)])
        }
        // What is left of the scores when the logarithm of their exponentials' sum is taken off, the largest being taken
        // off first so that nothing overflows.
        var narrow = node.output.shape
        narrow[axis] = 1
        let axes = MILArgument.integers([axis])
        let largest = block.part(
            "reduce_max", node, "largest", shape: narrow,
            ["x": .value(node.input), "axes": axes, "keep_dims": .bool(true)])
        let scores = block.part("sub", node, "scores", ["x": .value(node.input), "y": .value(largest)])
        let powers = block.part("exp", node, "powers", ["x": .value(scores)])
        let sum = block.part(
            "reduce_sum", node, "sum", shape: narrow, ["x": .value(powers), "axes": axes, "keep_dims": .bool(true)])
        let logarithm = block.part(
            "log", node, "logarithm", shape: narrow, ["x": .value(sum), "epsilon": .number(0)])
        block.add("sub", node, ["x": .value(scores), "y": .value(logarithm)])
    }
}

// MARK: Reading

extension Softmax {
    static let mil = [
        MILRule("softmax") { op, reading in
            let x = try op.operand()
            return [try reading.add(Softmax(axis: try op.axis(x, default: -1)), x, op)]
        }
    ]
}
