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
            let rank = reading.shape(try layer.input()).rank
            return [try reading.add(Concatenation(axis: Swift.max(0, rank - 3)), layer.inputs, layer)]
        },
        NeuralRule("concatND") { layer, reading in
            let axis = try reading.shape(layer.input()).axis(layer.parameters.axis)
            guard layer.parameters.interleave as Bool else {
                return [try reading.add(Concatenation(axis: axis), layer.inputs, layer)]
            }
            let shapes = layer.inputs.map { reading.shape($0) }
            let steps = try naming(place: layer.name) { try Concatenation.interleaving(shapes, axis: axis) }
            let parts = try layer.inputs.map { try reading.add(Reshape(steps.part), [$0], layer) }
            let stacked = try reading.add(Concatenation(axis: axis + 1), parts, layer)
            return [try reading.add(Reshape(steps.result), [stacked], layer)]
        },
        NeuralRule("stack") { layer, reading in
            let shape = reading.shape(try layer.input())
            let stack = try naming(place: layer.name) {
                try Concatenation.stacking(shape, axis: layer.parameters.axis)
            }
            let parts = try layer.inputs.map { try reading.add(Reshape(stack.part), [$0], layer) }
            return [try reading.add(Concatenation(axis: stack.axis), parts, layer)]
        },
    ]
}
