extension Pad: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.inFloats(node) { node, block in
            block.add(
                "pad", node,
                [
                    "x": .value(node.input), "pad": .integers(before.indices.flatMap { [before[$0], after[$0]] }),
                    "mode": .text("constant"), "constant_val": .number(value),
                ])
        }
    }
}

// MARK: Reading

extension Pad {
    static let mil = [
        MILRule("pad") { op, reading in
            let x = try op.operand()
            let mode = try op.text("mode", default: "constant")
            guard mode == "constant" else { throw op.refused("the mode '\(mode)' is not supported") }
            let amounts = try op.integers("pad")
            let first = x.shape.rank - amounts.count / 2
            guard amounts.count % 2 == 0, first >= 0, amounts.allSatisfy((0..<1 << 24).contains) else {
                throw op.refused("the padding \(amounts) does not fit an array of shape \(x.shape)")
            }
            // It is given for the last axes.
            let all = Array(repeating: 0, count: 2 * first) + amounts
            let pad = Pad(
                before: x.shape.indices.map { all[2 * $0] }, after: x.shape.indices.map { all[2 * $0 + 1] },
                value: try op.number("constant_val", default: 0))
            return [try reading.add(pad, x, op)]
        }
    ]
}
