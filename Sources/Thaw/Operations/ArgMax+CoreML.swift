extension ArgMax: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireExactArrays()
        layers.add(node) { layer in
            let kind = isMinimum ? "argMin" : "argMax"
            layer[kind]["axis"] = axis
            layer[kind]["removeDim"] = !keepsAxis
        }
    }
}

// MARK: Reading

extension ArgMax {
    static let neural = [
        NeuralRule("argMax", "argMin") { layer, reading in
            let axis = try reading.shape(layer.input()).axis(layer.parameters.axis)
            return [
                try reading.add(
                    ArgMax(
                        axis: axis, element: .int64, keepsAxis: !(layer.parameters.removeDim as Bool),
                        isMinimum: layer.kind == "argMin"),
                    [layer.input()], layer)
            ]
        }
    ]
}
