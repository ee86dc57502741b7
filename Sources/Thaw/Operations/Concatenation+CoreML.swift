extension Concatenation: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        if layers.arrays == .images {
            guard axis == 1, node.output.shape.rank == 4 || node.output.shape.rank == 2 else {
                return try layers.requireExactArrays()
            }
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
            let rank = reading.shape(try layer.input()).rank
            return [try reading.add(Concatenation(axis: Swift.max(0, rank - 3)), layer.inputs, layer)]
        },
        NeuralRule("concatND") { layer, reading in
            guard !(layer.parameters.interleave as Bool) else { throw layer.refused("interleaving is not supported") }
            let axis = try reading.shape(layer.input()).axis(layer.parameters.axis)
            return [try reading.add(Concatenation(axis: axis), layer.inputs, layer)]
        },
    ]
}
