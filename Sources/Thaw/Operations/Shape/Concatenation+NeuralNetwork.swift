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
            let shapes = layer.inputs.map { $0.shape }
            let steps = try naming(location: layer.name) { try Concatenation.interleaving(shapes, axis: axis) }
            let parts: [Operand] = try layer.inputs.map { try reading.add(Reshape(steps.part), $0, layer) }
            let stacked = try reading.add(Concatenation(axis: axis + 1), parts, layer)[0]
            return [try reading.add(Reshape(steps.result), stacked, layer)]
        },
        NeuralRule("stack") { layer, reading in
            let shape = try layer.input().shape
            let stack = try naming(location: layer.name) {
                try Concatenation.stacking(shape, axis: layer.parameters.axis)
            }
            let parts: [Operand] = try layer.inputs.map { try reading.add(Reshape(stack.part), $0, layer) }
            return try reading.add(Concatenation(axis: stack.axis), parts, layer)
        },
    ]
}
