extension Reduction: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let kind = Reduction.operations.first { $0.function == function }?.kind ?? "reduce_l2_norm"
        // Means are floating point, and Booleans are not numeric.
        block.inFloats(node, where: function == .mean || function == .l2Norm || node.input.element == .bool) {
            node, block in
            block.add(
                kind, node,
                ["x": .value(node.input), "axes": .integers(axes), "keep_dims": .bool(keepsAxes)])
        }
    }

    fileprivate static let operations: [(kind: String, function: Function)] = [
        ("reduce_mean", .mean), ("reduce_sum", .sum), ("reduce_max", .maximum), ("reduce_min", .minimum),
        ("reduce_prod", .product),
    ]
}

// MARK: Reading

extension Reduction {
    static let mil =
        operations.map { kind, function in
            MILRule(kind) { op, reading in
                let x = try op.operand()
                let reduction = Reduction(
                    function: function, axes: try op.axes(x), keepsAxes: try op.bool("keep_dims", default: false))
                return [try reading.add(reduction, x, op)]
            }
        }
}
