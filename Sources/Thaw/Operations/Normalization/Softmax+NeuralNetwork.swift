extension Softmax: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        if isLogarithmic { return try writeLogarithm(node, to: &layers) }
        // The older layer works along the channels.
        if layers.arrays == .images {
            guard axis == 1, node.input.shape.rank == 4 || node.input.shape.rank == 2 else {
                return try layers.requireExactArrays()
            }
            layers.add(node) { $0.choose("softmax") }
        } else {
            layers.add(node) { $0.softmaxND.axis = axis }
        }
    }
}

extension Softmax {
    /// Subtracts the logarithm of the sum of exponentials. The maximum is subtracted first to avoid overflow.
    private func writeLogarithm(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireExactArrays()
        var narrow = node
        narrow.outputs[0].shape[axis] = 1
        func reduce(_ kind: String, _ input: NeuralBlob, _ part: String) -> NeuralBlob {
            layers.addPart(narrow, part, [input]) { layer in
                layer[kind]["axes"] = [axis]
                layer[kind]["keepDims"] = true
            }
        }
        let largest = reduce("reduceMax", node.input, "largest")
        let scores = layers.addPart(node, "scores", [node.input, largest]) { $0.choose("subtractBroadcastable") }
        let powers = layers.addPart(node, "powers", [scores]) { $0.unary.type = "EXP" }
        let sum = reduce("reduceSum", powers, "sum")
        let logarithm = layers.addPart(narrow, "logarithm", [sum]) { $0.writeLogarithm() }
        layers.add(node.name, [scores, logarithm], node.outputs) { $0.choose("subtractBroadcastable") }
    }
}

// MARK: Reading

extension Softmax {
    static let neural = [
        NeuralRule("softmax") { layer, reading in
            let shape = reading.shape(try layer.input())
            guard shape.rank >= 3 else { throw Failure.wrongRank(4, shape).at(layer.name) }
            return [try reading.add(Softmax(axis: shape.rank - 3), [layer.input()], layer)]
        },
        NeuralRule("softmaxND") { layer, reading in
            [
                try reading.add(
                    Softmax(axis: try reading.shape(layer.input()).axis(layer.parameters.axis)), [layer.input()], layer)
            ]
        },
    ]
}
