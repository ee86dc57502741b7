extension Normalization: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let shape = node.input.shape
        if shape.rank == 4, axes == [2, 3], let scale = channels(scale, 1, shape),
            let offset = channels(offset, 0, shape)
        {
            return block.inFloats(node) { node, block in
                block.add(
                    "instance_norm", node,
                    [
                        "x": .value(node.input), "gamma": .constant(scale), "beta": .constant(offset),
                        "epsilon": .number(epsilon),
                    ])
            }
        }
        if followsSize { return block.inFloat32(node, writeParts) }
        block.inFloats(node) { writeLayer($0, to: &$1) }
    }

    /// By reductions and broadcasts, which contain no sizes: mean, difference, mean of squared differences, and the
    /// rest. It is computed in float32, because squares easily exceed the range of float16.
    private func writeParts(_ node: MILNode, to block: inout MILBlock) {
        var narrow = node.input.shape
        for axis in axes { narrow[axis] = 1 }
        let x = MILArgument.value(node.input)
        let (along, keeps) = (MILArgument.integers(axes), MILArgument.bool(true))
        let mean = block.part(
            "reduce_mean", node, "mean", shape: narrow, ["x": x, "axes": along, "keep_dims": keeps])
        let centered = MILArgument.value(block.part("sub", node, "centered", ["x": x, "y": .value(mean)]))
        let squares = block.part("mul", node, "squares", ["x": centered, "y": centered])
        let variance = block.part(
            "reduce_mean", node, "variance", shape: narrow, ["x": .value(squares), "axes": along, "keep_dims": keeps])
        let inverse = block.part(
            "rsqrt", node, "inverse", shape: narrow, ["x": .value(variance), "epsilon": .number(epsilon)])
        writeSteps(after: "mul", ["x": centered, "y": .value(inverse)], node, to: &block)
    }

    /// An operation that normalizes, followed by the remaining factor and offset.
    private func writeSteps(
        after kind: String, _ arguments: KeyValuePairs<String, MILArgument>, _ node: MILNode, to block: inout MILBlock
    ) {
        let steps = [("mul", scale), ("add", offset)].compactMap { pair in pair.1.map { (pair.0, $0) } }
        guard !steps.isEmpty else { return block.add(kind, node, arguments) }
        var value = block.part(kind, node, "normal", arguments)
        for (index, (kind, constant)) in steps.enumerated() {
            let arguments: KeyValuePairs<String, MILArgument> = ["x": .value(value), "y": .constant(constant)]
            if index == steps.count - 1 {
                block.add(kind, node, arguments)
            } else {
                value = block.part(kind, node, "scaled", arguments)
            }
        }
    }

    /// Factor and offset become part of the operation if they have the shape of the axes. Otherwise they follow it.
    private func writeLayer(_ node: MILNode, to block: inout MILBlock) {
        let part = Shape(axes.map { node.input.shape[$0] })
        func own(_ constant: Tensor?) -> Tensor? {
            guard let constant, constant.elementCount == part.elementCount else { return nil }
            let padded = constant.shape.padded(to: node.input.shape.rank)
            return Shape(axes.map { padded[$0] }) == part ? constant.reshaped(part) : nil
        }
        let x = MILArgument.value(node.input)
        let along = MILArgument.integers(axes)
        if let gamma = own(scale), let beta = own(offset) {
            return block.add(
                "layer_norm", node,
                [
                    "x": x, "axes": along, "gamma": .constant(gamma), "beta": .constant(beta),
                    "epsilon": .number(epsilon),
                ])
        }
        writeSteps(after: "layer_norm", ["x": x, "axes": along, "epsilon": .number(epsilon)], node, to: &block)
    }
}

// MARK: Reading

extension Normalization {
    static let mil = [
        MILRule("instance_norm") { op, reading in
            let x = try op.operand()
            guard x.shape.rank == 4 else { throw Failure.wrongRank(4, x.shape).at(op.place) }
            let shape: Shape = [x.shape[1], 1, 1]
            let scale = try op.has("gamma") ? op.channels("gamma", x.shape[1]).reshaped(shape).unless(1) : nil
            let offset = try op.has("beta") ? op.channels("beta", x.shape[1]).reshaped(shape).unless(0) : nil
            let normalization = Normalization(
                axes: [2, 3], epsilon: try op.number("epsilon", default: 1e-5), scale: scale, offset: offset)
            return [try reading.add(normalization, x, op)]
        },
        MILRule("layer_norm") { op, reading in
            let x = try op.operand()
            let axes = try op.axes(x).sorted()
            let whole = Shape(x.shape.indices.map { axes.contains($0) ? x.shape[$0] : 1 })
            func constant(_ key: String, _ neutral: Float) throws -> Tensor? {
                guard op.has(key) else { return nil }
                guard let tensor = try op.operand(key).constant?.asFloat32, tensor.elementCount == whole.elementCount
                else { throw op.refused("'\(key)' does not fit the axes \(axes) of \(x.shape)") }
                return tensor.reshaped(whole).unless(neutral)
            }
            let normalization = Normalization(
                axes: axes, epsilon: try op.number("epsilon", default: 1e-5), scale: try constant("gamma", 1),
                offset: try constant("beta", 0))
            return [try reading.add(normalization, x, op)]
        },
    ]
}
