extension Concatenation: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool {
        axis == 1 && [2, 4].contains(output.shape.rank)
    }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        if layers.arrays == .images {
            layers.add(node) { $0.choose("concat") }
        } else {
            layers.add(node) { $0.concatND.axis = axis }
        }
    }
}

// MARK: Reading

extension Concatenation {
    static let neural = [
        NeuralRule("concat") { layer, reading in
            guard !(layer.parameters.sequenceConcat as Bool) else { throw layer.refused("sequences are not supported") }
            let rank = try layer.input().shape.rank
            return try reading.add(Concatenation(axis: Swift.max(0, rank - 3)), layer.inputs, layer)
        },
        NeuralRule("concatND") { layer, reading in
            let axis = try layer.input().shape.axis(layer.parameters.axis)
            guard layer.parameters.interleave as Bool else {
                return try reading.add(Concatenation(axis: axis), layer.inputs, layer)
            }
            return [try reading.interleaved(layer.inputs, axis: axis, layer)]
        },
        NeuralRule("stack") { layer, reading in
            let first = try layer.input()
            return [try reading.stacked([first] + layer.inputs.dropFirst(), axis: layer.parameters.axis, layer)]
        },
    ]
}
