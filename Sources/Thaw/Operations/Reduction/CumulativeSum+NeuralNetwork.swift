extension CumulativeSum: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireVersion(CoreMLVersion.iOS14.rawValue)
        layers.add(node) { layer in
            layer.cumSum.axis = axis
            layer.cumSum.excludeFinalSum = isExclusive
            layer.cumSum.reverse = isReversed
        }
    }
}

// MARK: Reading

extension CumulativeSum {
    static let neural = [
        NeuralRule("cumSum") { layer, reading in
            guard layer.inputs.count == 1 else { throw layer.refused("an axis that is computed is not supported") }
            let parameters = layer.parameters
            let operation = CumulativeSum(
                axis: try reading.shape(layer.input()).axis(parameters.axis),
                isExclusive: parameters.excludeFinalSum, isReversed: parameters.reverse)
            return [try reading.add(operation, [layer.input()], layer)]
        }
    ]
}
