extension Pad: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool {
        before.count == 4 && before[0] + after[0] + before[1] + after[1] == 0
    }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        guard fitsImages([], TensorType(node.output.shape)) else {
            return layers.add(node) { layer in
                layer.constantPad.value = Float(value)
                layer.constantPad.padAmounts = before.indices.flatMap { [before[$0], after[$0]] }
            }
        }
        layers.add(node) { layer in
            layer.padding.choose("constant")
            layer.padding.constant.value = Float(value)
            layer.padding["paddingAmounts"].setBorders([2, 3].map { (before[$0], after[$0]) })
        }
    }
}

// MARK: Reading

extension Pad {
    static let neural = [
        NeuralRule("padding") { layer, reading in
            let shape = try layer.input().shape
            guard shape.rank >= 3 else { throw Failure.tooFewAxes(3, shape).at(layer.name) }
            let borders = try layer.edges(layer.parameters.paddingAmounts)
            let rest = Array(repeating: 0, count: shape.rank - 2)
            let before = rest + [borders.height.0, borders.width.0]
            let after = rest + [borders.height.1, borders.width.1]
            let kinds: [String: EdgePadding] = ["reflection": .reflected, "replication": .repeated]
            if let border = layer.parameters.choice.flatMap({ kinds[$0] }) {
                guard zip(before + after, shape.dimensions + shape).allSatisfy({ border.fits($0, of: $1) }) else {
                    throw layer.refused("padding of \(before) and \(after) does not fit a tensor of shape \(shape)")
                }
                return [try reading.bordered(layer.input(), border, before: before, after: after, layer)]
            }
            let constant: Message = layer.parameters["constant"]
            let pad = Pad(before: before, after: after, value: Double(constant.value as Float))
            return [try reading.add(pad, layer.input(), layer)]
        },
        NeuralRule("constantPad") { layer, reading in
            let amounts: [Int] = layer.parameters.padAmounts
            let rank = try layer.input().shape.rank
            guard amounts.count == 2 * rank, amounts.allSatisfy({ (0..<1 << 24).contains($0) }),
                !(layer.parameters.padToGivenOutputSizeMode as Bool)
            else {
                throw layer.refused("the padding \(amounts) is not supported")
            }
            let pad = Pad(
                before: (0..<rank).map { amounts[2 * $0] }, after: (0..<rank).map { amounts[2 * $0 + 1] },
                value: Double(layer.parameters.value as Float))
            return [try reading.add(pad, layer.input(), layer)]
        },
    ]
}
