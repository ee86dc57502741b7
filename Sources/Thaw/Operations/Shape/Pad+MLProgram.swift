extension Pad: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.inFloats(node) { node, block in
            block.add(
                "pad", node,
                [
                    "x": .value(node.input), "pad": .integers(before.indices.flatMap { [before[$0], after[$0]] }),
                    "mode": .text("constant"), "constant_val": .number(Float(value)),
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
            let amounts = try op.integers("pad")
            let first = x.shape.rank - amounts.count / 2
            guard amounts.count % 2 == 0, first >= 0, amounts.allSatisfy((0..<1 << 24).contains) else {
                throw op.refused("the padding \(amounts) does not fit a tensor of shape \(x.shape)")
            }
            // The amounts refer to the last axes.
            let all = Array(repeating: 0, count: 2 * first) + amounts
            let before = x.shape.indices.map { all[2 * $0] }
            let after = x.shape.indices.map { all[2 * $0 + 1] }
            if mode == "constant" {
                let value = try op.number("constant_val", default: 0)
                return [try reading.add(Pad(before: before, after: after, value: Double(value)), x, op)]
            }
            let borders: [String: EdgePadding] = ["reflect": .reflected, "replicate": .repeated]
            guard let border = borders[mode] else { throw op.refused("the mode '\(mode)' is not supported") }
            guard zip(before + after, x.shape.dimensions + x.shape).allSatisfy({ border.fits($0, of: $1) }) else {
                throw op.refused("the padding \(amounts) does not fit a tensor of shape \(x.shape)")
            }
            return [try reading.bordered(x, border, before: before, after: after, op)]
        }
    ]
}
