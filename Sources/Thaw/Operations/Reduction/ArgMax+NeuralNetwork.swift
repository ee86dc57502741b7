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
            let place = ArgMax(
                axis: axis, element: .int64, keepsAxis: !(layer.parameters.removeDim as Bool),
                isMinimum: layer.kind == "argMin")
            return [try reading.asFloats(reading.add(place, [layer.input()], layer), layer)]
        }
    ]
}
