extension LocalResponseNormalization: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let size = 2 * radius + 1
        block.add(
            "local_response_norm", node,
            [
                "x": .value(node.input), "size": .integer(size), "alpha": .number(alpha * Float(size)),
                "beta": .number(beta), "k": .number(bias),
            ])
    }
}

// MARK: Reading

extension LocalResponseNormalization {
    static let mil = [
        MILRule("local_response_norm") { op, reading in
            // coremltools documents that the channels are the second axis of any tensor, but its tests of a sequence expect
            // them on the third axis from the end. For an image, these are the same.
            let image = try op.image()
            let size = try op.integer("size")
            // The position of an even window is not documented.
            guard size % 2 == 1, size > 0 else {
                throw op.refused("a window of \(size) channels is not supported", remedy: "expected an odd number")
            }
            let normalization = LocalResponseNormalization(
                radius: Swift.min(size / 2, image.shape[1]), bias: try op.number("k", default: 1),
                alpha: try op.number("alpha", default: 1e-4) / Float(size),
                beta: try op.number("beta", default: 0.75))
            return [try reading.add(normalization, image, op)]
        }
    ]
}
