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
        block.inFloats(node) { node, block in
            var arguments: [(String, MILArgument)] = [("x", .value(node.input)), ("axes", .integers(axes))]
            if let gamma = ofAxes(scale, shape), let beta = ofAxes(offset, shape) {
                arguments += [("gamma", .constant(gamma)), ("beta", .constant(beta))]
            }
            block.add("layer_norm", node.outputs, arguments + [("epsilon", .number(epsilon))])
        }
    }
}

// MARK: Reading

extension Normalization {
    static let mil = [
        MILRule("instance_norm") { op, reading in
            let x = try op.operand()
            guard 3...5 ~= x.shape.rank else { throw Failure.wrongRank(3...5, x.shape).at(op.location) }
            let shape = Shape([x.shape[1]] + Array(repeating: 1, count: x.shape.rank - 2))
            let scale = try op.has("gamma") ? op.channels("gamma", x.shape[1]).reshaped(shape).unless(1) : nil
            let offset = try op.has("beta") ? op.channels("beta", x.shape[1]).reshaped(shape).unless(0) : nil
            let normalization = Normalization(
                axes: Array(2..<x.shape.rank), epsilon: try op.number("epsilon", default: 1e-5), scale: scale,
                offset: offset)
            return [try reading.add(normalization, x, op)]
        },
        MILRule("layer_norm") { op, reading in
            let x = try op.operand()
            let axes = try op.axes(x)
            let whole = Shape(x.shape.indices.map { axes.contains($0) ? x.shape[$0] : 1 })
            let normalization = Normalization(
                axes: axes, epsilon: try op.number("epsilon", default: 1e-5),
                scale: try op.parameter("gamma", x.shape, axes)?.reshaped(whole).unless(1),
                offset: try op.parameter("beta", x.shape, axes)?.reshaped(whole).unless(0))
            return [try reading.add(normalization, x, op)]
        },
    ]
}

extension MILRead {
    /// A constant with a value for each position along some axes of an operand; nil if it is missing.
    fileprivate func parameter(_ key: String, _ shape: Shape, _ axes: [Int]) throws -> Tensor? {
        guard has(key) else { return nil }
        let tensor = try operand(key).constant?.asFloat32
        guard let tensor, tensor.elementCount == axes.reduce(1, { $0 * shape[$1] }) else {
            throw refused("'\(key)' does not fit the axes \(axes) of \(shape)")
        }
        return tensor
    }
}
