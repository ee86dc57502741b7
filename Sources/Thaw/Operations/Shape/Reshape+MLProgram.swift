extension Reshape: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        // The reshape operation cannot express a scalar.
        guard shape.rank > 0 else {
            guard node.input.shape.rank > 0 else { return block.alias(node) }
            return block.add(
                "squeeze", node,
                ["x": .value(node.input), "axes": .integers(Array(node.input.shape.indices))])
        }
        guard node.input.shape.rank > 0 else {
            return block.add(
                "expand_dims", node, ["x": .value(node.input), "axes": .integers(Array(shape.indices))])
        }
        block.add("reshape", node, ["x": .value(node.input), "shape": .integers(shape.dimensions)])
    }
}

// MARK: Reading

extension Reshape {
    static let mil = [
        MILRule("reshape") { op, reading in
            let x = try op.operand()
            var target = try op.integers("shape")
            for (axis, size) in target.enumerated() where size == 0 && x.shape.indices.contains(axis) {
                target[axis] = x.shape[axis]
            }
            return [try reading.add(Reshape(x.shape, to: target, op), x, op)]
        },
        MILRule("squeeze") { op, reading in
            let x = try op.operand()
            // Longer axes stay, as coremltools documents.
            let axes = try op.axes(x).filter { x.shape[$0] == 1 }
            let kept = x.shape.indices.filter { !axes.contains($0) }
            return [try reading.add(Reshape(Shape(kept.map { x.shape[$0] })), x, op)]
        },
        MILRule("expand_dims") { op, reading in
            let x = try op.operand()
            return [try reading.add(Reshape(x.shape, adding: op.integers("axes"), op), x, op)]
        },
        MILRule("flatten2d") { op, reading in
            let x = try op.operand()
            let axis = try op.integer("axis", default: 1)
            let matrix = try naming(location: op.location) { try Reshape.flattening(x.shape, at: axis) }
            return [try reading.add(matrix, x, op)]
        },
    ]
}
